import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  countsAlone,
  pressViewKey,
  RUN_MODE,
  type ViewMode,
} from '../../../../src/shell/progress/view-keys.ts';
import { ctrlKey, type Key, namedKey, textKey } from '../../../../src/terminal/key.ts';

function pressAll(keys: readonly Key[], mode: ViewMode = RUN_MODE) {
  return keys.reduce((last, key) => pressViewKey(last.mode, key, { isStopping: false }), {
    mode,
  } as ReturnType<typeof pressViewKey>);
}

const typing = (text: string) => [...text].map(textKey);
const enter = namedKey('enter');

test.each([
  ['p', 'pause-or-go-on'],
  ['+', 'more'],
  ['=', 'more'],
  ['-', 'fewer'],
  ['q', 'stop'],
])('%s means %s', (letter, type) => {
  expect(pressAll(typing(letter)).action).toEqual({ type });
});

test('Ctrl-C stops, and ends at once where it is stopping already', () => {
  expect(pressViewKey(RUN_MODE, ctrlKey('c'), { isStopping: false }).action).toEqual({
    type: 'stop',
  });
  expect(pressViewKey(RUN_MODE, ctrlKey('c'), { isStopping: true }).action).toEqual({
    type: 'end-now',
  });
  expect(pressAll([...typing('b1'), ctrlKey('c')]).action).toEqual({ type: 'stop' });
});

test.each([
  ['500k', 500 * 1024],
  ['10M', 10 * 1024 ** 2],
  ['64', 64 * 1024],
  ['off', Number.POSITIVE_INFINITY],
  ['0', Number.POSITIVE_INFINITY],
])('a limit of %s is typed after b', (text, rate) => {
  const outcome = pressAll([...typing(`b${text}`), enter]);
  expect(outcome).toEqual({ mode: RUN_MODE, action: { type: 'limit', rate } });
});

test.each(['x', '1M:2M', '08:00,1M', '-5', '1 M'])('%s is no limit, which is told', (text) => {
  const { mode, action } = pressAll([...typing(`b${text}`), enter]);
  expect(action).toBeUndefined();
  expect(mode).toMatchObject({ kind: 'limit', complaint: expect.stringContaining('Not a rate') });
  expect(pressViewKey(mode, textKey('5'), { isStopping: false }).mode).not.toHaveProperty(
    'complaint',
  );
});

test('letters of a limit are no keys; Escape and an empty answer change nothing', () => {
  expect(pressAll(typing('bqp')).action).toBeUndefined();
  expect(pressAll([...typing('bq'), namedKey('escape')])).toEqual({ mode: RUN_MODE });
  expect(pressAll([textKey('b'), enter])).toEqual({ mode: RUN_MODE });
});

test.each([
  [':fewer', 'fewer'],
  [':pause', 'pause-or-go-on'],
  [':stop after', 'stop'],
])('%s and Enter means %s', (text, type) => {
  expect(pressAll([...typing(text), enter])).toEqual({ mode: RUN_MODE, action: { type } });
});

test(': runs nothing that it does not find or that was not chosen, and never aborts', () => {
  expect(pressAll([...typing(':'), enter]).action).toBeUndefined();
  for (const text of [':SIGQUIT', ':immediately', ':nothing of it']) {
    expect(pressAll([...typing(text), enter]).action).toBeUndefined();
  }
  expect(pressAll([...typing(':'), namedKey('down'), enter]).action).toEqual({ type: 'stop' });
  expect(pressAll([...typing(':q'), namedKey('escape')])).toEqual({ mode: RUN_MODE });
  expect(pressAll([...typing(':limit'), enter]).mode).toMatchObject({ kind: 'limit' });
});

test('? shows the keys and hides them again', () => {
  expect(pressAll(typing('?')).mode).toEqual({ kind: 'help', first: 0 });
  expect(pressAll(typing('?jj')).mode).toEqual({ kind: 'help', first: 2 });
  expect(pressAll(typing('??')).mode).toEqual(RUN_MODE);
});

test('no walk over the keys ever sets a limit that was not typed and confirmed', () => {
  const key = fc.oneof(
    fc.constantFrom(...'pq+-b?x1kM').map(textKey),
    fc.constantFrom(enter, namedKey('escape'), namedKey('backspace'), namedKey('left')),
  );
  fc.assert(
    fc.property(fc.array(key), (keys) => {
      let mode: ViewMode = RUN_MODE;
      for (const one of keys) {
        const before: ViewMode = mode;
        const outcome = pressViewKey(mode, one, { isStopping: false });
        mode = outcome.mode;
        if (outcome.action?.type !== 'limit') continue;
        expect(one).toBe(enter);
        expect(before.kind).toBe('limit');
        expect(outcome.action.rate).toBeGreaterThan(0);
      }
    }),
  );
});

test('the view of another run is left by q and Ctrl-C, and stops it only after a question', () => {
  const attached = { isStopping: false, attachedTo: 'copy a b' };
  for (const key of [textKey('q'), ctrlKey('c')]) {
    expect(pressViewKey(RUN_MODE, key, attached).action).toEqual({ type: 'detach' });
  }
  const asked = pressViewKey(RUN_MODE, textKey('s'), attached);
  expect(asked).toEqual({ mode: { kind: 'stop' } });
  for (const key of [namedKey('enter'), namedKey('escape'), textKey('n'), textKey('q')]) {
    expect(pressViewKey(asked.mode, key, attached)).toEqual({ mode: RUN_MODE });
  }
  const yes = pressViewKey(asked.mode, textKey('y'), attached);
  expect(yes).toEqual({ mode: RUN_MODE, action: { type: 'stop' } });
});

test('a run that cannot be steered has no keys for that', () => {
  const fixed = { isStopping: false, attachedTo: 'copy a b', isFixed: true };
  for (const name of 'p+-b') {
    expect(pressViewKey(RUN_MODE, textKey(name), fixed)).toEqual({ mode: RUN_MODE });
  }
});

test('a command that only watches its run has the same keys, and leaves the run to others', () => {
  const watched = { isStopping: false, isFixed: true };
  for (const name of 'p+-bs') {
    expect(pressViewKey(RUN_MODE, textKey(name), watched)).toEqual({ mode: RUN_MODE });
  }
  for (const key of [textKey('q'), ctrlKey('c')]) {
    expect(pressViewKey(RUN_MODE, key, watched).action).toEqual({ type: 'detach' });
  }
});

test.each([
  ['run', 'q', true],
  ['run', 'e', true],
  ['run', 'b', true],
  ['run', ':', true],
  ['run', '?', true],
  ['run', 'h', true],
  ['run', 'x', false],
  ['errors', 'p', true],
  ['stop', 'y', true],
  ['stop', 'x', false],
  ['stop', 'n', undefined],
] as const)('in %s, %s counts only alone: %s', (kind, letter, isAlone) => {
  const mode: ViewMode = kind === 'errors' ? { kind, first: 0 } : { kind };
  expect(countsAlone(mode, textKey(letter), { isStopping: false })).toBe(isAlone);
});

test('what is typed into a field that is not seen is not taken', () => {
  const hidden = { isStopping: false, isAsked: false };
  for (const opened of ['b5', ':fewer'])
    for (const key of [textKey('x'), enter, namedKey('down'), namedKey('backspace')]) {
      const { mode } = pressAll(typing(opened));
      expect(pressViewKey(mode, key, hidden)).toEqual({ mode });
      expect(pressViewKey(mode, namedKey('escape'), hidden)).toEqual({ mode: RUN_MODE });
    }
});

test('whether to stop another run is answered only where the question is seen whole', () => {
  const attached = { isStopping: false, attachedTo: 'copy a b', isAsked: false };
  const mode: ViewMode = { kind: 'stop' };
  expect(pressViewKey(mode, textKey('y'), attached)).toEqual({ mode });
  expect(pressViewKey(mode, textKey('n'), attached)).toEqual({ mode: RUN_MODE });
});
