import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { actionsFor, shellLine } from '../../../src/home/home-actions.ts';
import type { HomeCommand, HomeContents, HomeRemote } from '../../../src/home/home-entry.ts';
import { HomeModel } from '../../../src/home/home-model.ts';
import type { PastRun } from '../../../src/home/past-run.ts';
import { expandPath } from '../../../src/kit/expand-path.ts';
import { ctrlKey, type Key, namedKey, textKey } from '../../../src/screen/key.ts';

const remote = (name: string, about: Partial<HomeRemote> = {}): HomeRemote => ({
  name,
  type: 's3',
  place: 'here',
  login: '',
  needsLogin: false,
  isKnown: true,
  ...about,
});
const run: PastRun = {
  endedMs: 0,
  tookMs: 1,
  words: ['copy', 'a', 'b'],
  dir: '/w',
  exit: 0,
  files: 1,
  bytes: 2,
  checks: 0,
  deleted: 0,
  errors: 0,
};
const contents: HomeContents = {
  remotes: [remote('one'), remote('two', { needsLogin: true }), remote('x', { isKnown: false })],
  runs: [run],
  configPath: '/c',
  flags: [],
  expand: (typed) => expandPath(typed, { HOME: '/home/me', WORK: '/work' }),
  test: async (remote) => ({ works: remote === 'one', text: `${remote} was listed` }),
  complete: async (words, typed) =>
    ['album/', 'alps/', 'sync'].filter((text) => text.startsWith(typed) && words[0] === 'copy'),
};

function press(model: HomeModel, ...keys: readonly (string | Key)[]): void {
  for (const key of keys) {
    if (typeof key !== 'string') model.press(key);
    else for (const letter of key) model.press(textKey(letter));
  }
}

async function endOf(...keys: readonly (string | Key)[]): Promise<HomeCommand | undefined> {
  const model = new HomeModel(contents);
  press(model, ...keys);
  return model.result;
}

const enter = namedKey('enter');
const down = namedKey('down');
const tab = namedKey('tab');

describe('the home screen ends with what is to run', () => {
  test.each<[string, readonly (string | Key)[], string | undefined]>([
    ['browse', [enter, 'b'], 'syncer ncdu one:'],
    ['browse by Enter', [enter, enter], 'syncer ncdu one:'],
    ['h goes back', ['lh', 'll'], 'syncer ncdu one:'],
    ['browse by l', ['ll'], 'syncer ncdu one:'],
    ['sync', [enter, 's', '/to here', enter], "syncer sync one: '/to here' -P --review"],
    ['copy', ['2', enter, 'c', 'd:', enter], 'syncer copy two: d: -P'],
    [
      'from another folder',
      [enter, 'c', namedKey('up'), 'sub', enter, 'd:', enter],
      'syncer copy one:sub d: -P',
    ],
    ['login', [down, enter, enter], 'syncer config reconnect two:'],
    ['new remote', ['n'], 'syncer config'],
    ['upload', [enter, 'u', '/here', enter, 'x', enter], 'syncer copy /here one:x -P'],
    ['swapped', [enter, 's', '/to', ctrlKey('t'), enter], 'syncer sync /to one: -P --review'],
    [
      'Tab to the other field',
      [enter, 'c', '/to', tab, 'sub', enter, enter],
      'syncer copy one:sub /to -P',
    ],
    ['Tab round', [enter, 'c', '/a', tab, tab, 'b', enter], 'syncer copy one: /ab -P'],
    ['home', [enter, 'c', '~/backup', enter], 'syncer copy one: /home/me/backup -P'],
    ['home in a mount', [enter, 'm', '~', enter], 'syncer mount one: /home/me --daemon'],
    ['a variable', [enter, 's', '$WORK/x', enter], 'syncer sync one: /work/x -P --review'],
    ['run again', ['h', enter, 'ry'], 'syncer copy a b'],
    ['its plan first', ['h', enter, 'rp'], 'syncer copy a b --review'],
    ['leave', ['q'], undefined],
    ['leave by Ctrl-C anywhere', [enter, 'c', ctrlKey('c')], undefined],
    [
      'back and leave',
      [enter, 'c', namedKey('escape'), namedKey('escape'), namedKey('escape')],
      undefined,
    ],
  ])('%s', async (_, keys, line) => {
    const command = await endOf(...keys);
    expect(command === undefined ? undefined : shellLine(command.words)).toBe(line);
  });

  test.each<[string, readonly (string | Key)[], string]>([
    ['what is asked for', [enter, 'c', 'd:', enter], 'syncer copy one: d: -P --config=my.conf'],
    ['what is not', [enter, 'b'], 'syncer ncdu one: --config=my.conf'],
    ['the configuration', ['g'], 'syncer config --config=my.conf'],
    ['but a run of before is run as it was', ['h', enter, 'ry'], 'syncer copy a b'],
  ])('a flag that names the configuration stays with %s', async (_, keys, line) => {
    const model = new HomeModel({ ...contents, flags: ['--config=my.conf'] });
    press(model, ...keys);
    expect(shellLine((await model.result)?.words ?? [])).toBe(line);
  });

  test('a run is repeated where it ran', async () => {
    expect(await endOf('h', enter, 'ry')).toMatchObject({ dir: '/w' });
  });

  test.each([
    ['in a place that is gone', { ...run, dir: '' }],
    ['with a word that was left out', { ...run, words: ['copy', 'a', 'REDACTED'] }],
  ])('a run %s is not repeated', (_, past) => {
    const model = new HomeModel({ ...contents, runs: [past] });
    press(model, 'h', enter, 'ry');
    expect(model.state).toMatchObject({ at: 'run', run: past });
  });

  test.each([
    ['~other/x', 'home directories of other users'],
    ['$NOWHERE/x', '$NOWHERE is not set'],
  ])('%s is refused, and nothing runs', (typed, why) => {
    const model = new HomeModel(contents);
    press(model, enter, 'c', typed, enter);
    expect(model.state).toMatchObject({ at: 'ask', complaint: expect.stringContaining(why) });
  });

  test('Enter does not run anything again, however long it is held', () => {
    const model = new HomeModel(contents);
    press(model, 'h', enter, 'r', ...Array.from({ length: 99 }, () => enter));
    expect(model.state).toMatchObject({ at: 'run', run });
  });

  test('a path is completed as far as it is clear, then what matches is shown', async () => {
    const model = new HomeModel(contents);
    const complete = async () => {
      press(model, ctrlKey('n'));
      await new Promise(setImmediate);
      return model.state.at === 'ask' ? [model.state.fields[1]?.text, model.state.matches] : [];
    };
    press(model, enter, 'c', 'a');
    expect(await complete()).toEqual(['al', undefined]);
    expect(await complete()).toEqual(['al', ['album/', 'alps/']]);
    press(model, 'b');
    expect(await complete()).toEqual(['album/', undefined]);
  });

  test('an answer that is missing is asked for, and nothing runs', () => {
    const model = new HomeModel(contents);
    press(model, enter, 's', enter);
    expect(model.state).toMatchObject({
      at: 'ask',
      field: 1,
      complaint: expect.stringContaining('enter "to"'),
    });
  });
});

test('what is unknown can only be edited', () => {
  expect(actionsFor(remote('x', { isKnown: false })).map(({ key }) => key)).toEqual(['e']);
});

test('any keys in any order: it never throws, and the cursor stays on a line', () => {
  const keys = fc.oneof(
    fc.constantFrom(
      enter,
      down,
      namedKey('up'),
      namedKey('escape'),
      namedKey('end'),
      namedKey('tab'),
    ),
    fc.constantFrom(...'abchjklmnrsg?19').map(textKey),
  );
  fc.assert(
    fc.property(fc.array(keys, { maxLength: 60 }), (walk) => {
      const model = new HomeModel(contents);
      for (const key of walk) {
        model.press(key);
        const view = model.state;
        if ('cursor' in view) expect(view.cursor).toBeGreaterThanOrEqual(0);
        if (view.at === 'remotes') expect(view.cursor).toBeLessThan(6);
      }
    }),
  );
});

describe('a test of a remote', () => {
  test.each([
    ['1', { works: true, text: 'one was listed' }],
    ['2', { works: false, text: 'two was listed' }],
  ])('shows on the page of remote %s, until it is left', async (key, result) => {
    const model = new HomeModel(contents);
    press(model, key, enter, 't');
    expect(model.state).toMatchObject({ at: 'actions', test: 'running' });
    await expect.poll(() => model.state).toMatchObject({ at: 'actions', test: result });
    press(model, namedKey('escape'));
    expect(model.state).toEqual({ at: 'remotes', cursor: 0 });
  });

  test('of a page that was left is not shown on another', async () => {
    const model = new HomeModel(contents);
    press(model, '1', enter, 't', namedKey('escape'), '2', enter);
    await Promise.resolve();
    expect(model.state).toEqual({ at: 'actions', remote: contents.remotes[1], cursor: 0 });
  });
});

test('after an action the screen is back at its remote, if that is still there', async () => {
  expect(await endOf('2', enter, 'b')).toMatchObject({ remote: 'two' });
  const back = (remote: string) => new HomeModel({ ...contents, remote }).state;
  expect(back('two')).toMatchObject({ at: 'actions', remote: { name: 'two' } });
  expect(back('gone')).toEqual({ at: 'remotes', cursor: 0 });
});
