import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { RUN_MODE } from '../../../../src/shell/progress/view-keys.ts';
import { ctrlKey, type Key, namedKey, textKey } from '../../../../src/terminal/key.ts';
import { typing, viewScreen } from './view-frame.ts';

const OWN = { isStopping: false };
const enter = namedKey('enter');

/** The state after keys that each count, and what they did. */
function pressAll(keys: readonly (Key | string)[], run: Parameters<typeof viewScreen>[0] = OWN) {
  const { press, actions } = viewScreen(run);
  return { mode: press(...keys), actions };
}

test.each([
  ['p', 'pause-or-go-on'],
  ['+', 'more'],
  ['=', 'more'],
  ['-', 'fewer'],
  ['q', 'stop'],
])('%s means %s', (letter, type) => {
  expect(pressAll([letter]).actions).toEqual([{ type }]);
});

test('Ctrl-C stops, and ends at once where it is stopping already', () => {
  expect(pressAll([ctrlKey('c')]).actions).toEqual([{ type: 'stop' }]);
  expect(pressAll([ctrlKey('c')], { isStopping: true }).actions).toEqual([{ type: 'end-now' }]);
  for (const open of ['b1', ':x', '?'])
    expect(pressAll([open, ctrlKey('c')])).toEqual({ mode: RUN_MODE, actions: [{ type: 'stop' }] });
});

test.each([
  ['500k', 500 * 1024],
  ['10M', 10 * 1024 ** 2],
  ['64', 64 * 1024],
  ['off', Number.POSITIVE_INFINITY],
  ['0', Number.POSITIVE_INFINITY],
])('a limit of %s is typed after b', (text, rate) => {
  const outcome = pressAll([`b${text}`, enter]);
  expect(outcome).toEqual({ mode: RUN_MODE, actions: [{ type: 'limit', rate }] });
});

test.each(['x', '1M:2M', '08:00,1M', '-5', '1 M'])('%s is no limit, which is told', (text) => {
  const { mode, actions } = pressAll([`b${text}`, enter]);
  expect(actions).toEqual([]);
  expect(mode).toMatchObject({ kind: 'limit', complaint: expect.stringContaining('Not a rate') });
  expect(pressAll([`b${text}`, enter, '5']).mode).not.toHaveProperty('complaint');
});

test('letters of a limit are no keys; Escape and an empty answer change nothing', () => {
  expect(pressAll(['bqp']).actions).toEqual([]);
  expect(pressAll(['bq', namedKey('escape')])).toEqual({ mode: RUN_MODE, actions: [] });
  expect(pressAll(['b', enter])).toEqual({ mode: RUN_MODE, actions: [] });
});

test.each([
  [':fewer', 'fewer'],
  [':pause', 'pause-or-go-on'],
  [':stop after', 'stop'],
])('%s and Enter means %s', (text, type) => {
  expect(pressAll([text, enter])).toEqual({ mode: RUN_MODE, actions: [{ type }] });
});

test(': runs nothing that it does not find or that was not chosen, and never aborts', () => {
  expect(pressAll([':', enter]).actions).toEqual([]);
  for (const text of [':SIGQUIT', ':immediately', ':nothing of it']) {
    expect(pressAll([text, enter]).actions).toEqual([]);
  }
  expect(pressAll([':', namedKey('down'), enter]).actions).toEqual([{ type: 'stop' }]);
  expect(pressAll([':q', namedKey('escape')])).toEqual({ mode: RUN_MODE, actions: [] });
  expect(pressAll([':limit', enter]).mode).toMatchObject({ kind: 'limit' });
});

test('? shows the keys, and any key hides them and does no more', () => {
  const { screen, press, actions } = viewScreen(OWN);
  press('?');
  expect(screen.helpFrom).toBe(0);
  press('p');
  expect([screen.helpFrom, actions]).toEqual([undefined, []]);
});

test('no walk over the keys ever sets a limit that was not typed and confirmed', () => {
  const key = fc.oneof(
    fc.constantFrom(...'pq+-b?x1kM').map(textKey),
    fc.constantFrom(enter, namedKey('escape'), namedKey('backspace'), namedKey('left')),
  );
  fc.assert(
    fc.property(fc.array(key), (keys) => {
      const { model, press, actions } = viewScreen(OWN);
      for (const one of keys) {
        const before = model.state;
        const done = actions.length;
        press(one);
        const action = actions[done];
        if (action?.type !== 'limit') continue;
        expect(one).toBe(enter);
        if (before.kind !== 'limit') continue;
        expect(before.edited.text).not.toBe('');
        expect(action.rate).toBeGreaterThan(0);
      }
    }),
  );
});

test('the view of another run is left by q and Ctrl-C, and stops it only after a question', () => {
  const attached = { isStopping: false, attachedTo: 'copy a b' };
  for (const key of ['q', ctrlKey('c')]) {
    expect(pressAll([key], attached).actions).toEqual([{ type: 'detach' }]);
  }
  expect(pressAll(['s'], attached)).toEqual({ mode: { kind: 'stop' }, actions: [] });
  for (const key of [namedKey('enter'), namedKey('escape'), 'n', 'q']) {
    expect(pressAll(['s', key], attached)).toEqual({ mode: RUN_MODE, actions: [] });
  }
  expect(pressAll(['sy'], attached)).toEqual({ mode: RUN_MODE, actions: [{ type: 'stop' }] });
});

test.each([
  ['a run that cannot be steered', { attachedTo: 'copy a b' }, 'p+-b'],
  ['a command that only watches', {}, 'p+-bs'],
])('%s has no keys for that', (_, run, keys) => {
  const fixed = { isStopping: false, isFixed: true, ...run };
  for (const name of keys) expect(pressAll([name], fixed)).toEqual({ mode: RUN_MODE, actions: [] });
  for (const key of ['q', ctrlKey('c')])
    expect(pressAll([key], fixed).actions).toEqual([{ type: 'detach' }]);
});

describe('while the time of keys counts', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Keys with so many milliseconds between them, and what they have done when no more come. */
  function typed(texts: readonly (string | Key)[], gapMs: number, run = OWN) {
    const { press, actions, model, screen } = viewScreen(run, undefined, () => performance.now());
    for (const key of texts.flatMap((one) => (typeof one === 'string' ? typing(one) : [one]))) {
      vi.advanceTimersByTime(gapMs);
      press(key);
    }
    vi.advanceTimersByTime(300);
    return { mode: model.state, done: actions.map(({ type }) => type), finding: screen.finding };
  }

  test.each([
    ['+', ['more']],
    ['++', ['more', 'more']],
    ['+++', ['more', 'more', 'more']],
    ['pp', ['pause-or-go-on', 'pause-or-go-on']],
    ['px', []],
    ['xp', []],
    ['xpp', []],
    ['+-', []],
    ['q ', []],
    ['ee', []],
  ])('%j typed quickly does %j', (text, done) => {
    expect(typed([text], 50).done).toEqual(done);
    expect(typed([text], 0).done).toEqual(done);
  });

  test('a key counts also in a process that was busy, and before the view could be read', () => {
    expect(typed(['p'], 0).done).toEqual(['pause-or-go-on']);
    expect(typed(['p', '+'], 5000).done).toEqual(['pause-or-go-on', 'more']);
  });

  test('what is typed for the shell opens nothing; a field takes what is typed quickly', () => {
    const { mode, finding } = typed(['scp x host:e b', enter], 50);
    expect([mode, finding]).toEqual([RUN_MODE, undefined]);
    expect(typed(['b', 'x'], 50).mode).toEqual(RUN_MODE);
    expect(typed(['b'], 250).mode).toMatchObject({ kind: 'limit' });
    expect(typed(['b', '1M', enter, '+'], 250).done).toEqual(['limit', 'more']);
  });

  test.each([
    ['b', ['1M', enter, 'p'], ['limit', 'pause-or-go-on']],
    ['s', [enter, 'p'], ['pause-or-go-on']],
    ['e', ['k', 'p'], []],
  ])('behind %s, %j do %j', (opens, keys, done) => {
    const run = { isStopping: false, attachedTo: 'copy a b' };
    const { press, actions } = viewScreen(run, undefined, () => performance.now());
    press(opens);
    vi.advanceTimersByTime(300);
    press(...keys);
    vi.advanceTimersByTime(300);
    expect(actions.map(({ type }) => type)).toEqual(done);
  });

  test('an action that was found quickly behind text is not run', () => {
    expect(typed([':', 'pause', enter], 50).done).toEqual([]);
    expect(typed([':', 'pause', enter], 250).done).toEqual(['pause-or-go-on']);
  });
});

test('what is typed into a field that is not seen is not taken', () => {
  const hidden = { isStopping: false, isAsked: true };
  const { press, model, actions } = viewScreen(hidden);
  const mode = press('b5');
  hidden.isAsked = false;
  for (const key of [textKey('x'), enter, namedKey('down'), namedKey('backspace')]) {
    expect(press(key)).toEqual(mode);
  }
  expect(press(namedKey('escape'))).toEqual(RUN_MODE);
  expect([model.state, actions]).toEqual([RUN_MODE, []]);
});

test('an action that has no room to be seen is not run', () => {
  const { press, actions } = viewScreen(OWN, { columns: 80, rows: 2 });
  press(':fewer', enter);
  expect(actions).toEqual([]);
});

test('whether to stop another run is answered only where the question is seen whole', () => {
  const attached = { isStopping: false, attachedTo: 'copy a b', isAsked: false };
  expect(pressAll(['sy'], attached)).toEqual({ mode: { kind: 'stop' }, actions: [] });
  expect(pressAll(['sn'], attached)).toEqual({ mode: RUN_MODE, actions: [] });
});
