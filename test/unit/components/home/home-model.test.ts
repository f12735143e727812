import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { actionsFor, homeItems } from '../../../../components/home/home-item.ts';
import { HomeModel } from '../../../../components/home/home-model.ts';
import { HomeView } from '../../../../components/home/home-view.tsx';
import type { HomeCommand, HomeContents, HomeWorks } from '../../../../src/run/home-entry.ts';
import { expandPath, shellLine } from '../../../../src/system/shell-words.ts';
import { ctrlKey, type Key, namedKey, textKey } from '../../../../src/terminal/key.ts';
import {
  homeContents,
  homeMount,
  homeRemote,
  homeWorks,
  pastRun,
  runningRun,
} from '../../run/home-world.ts';
import { showScreen } from '../draw-screen.tsx';

const contents = homeContents({
  remotes: [
    homeRemote('one'),
    homeRemote('two', { needsLogin: true }),
    homeRemote('x', { isKnown: false }),
  ],
  jobs: [
    { name: 'docs', words: ['sync', '/a', 'one:a'] },
    { name: 'look', words: ['check', '/a', 'one:a'] },
  ],
  mounts: [homeMount('/mnt')],
  runs: [pastRun],
  expand: (typed) => expandPath(typed, { HOME: '/home/me', WORK: '/work' }),
});
const works: Partial<HomeWorks> = {
  test: async (remote) => ({ works: remote === 'one', text: `${remote} was listed` }),
  complete: async (words, typed) =>
    ['album/', 'alps/', 'sync'].filter((text) => text.startsWith(typed) && words[0] === 'copy'),
};

function modelOf(changes: Partial<HomeContents> = {}): HomeModel {
  return new HomeModel({ ...contents, ...changes }, homeWorks(works));
}

function press(model: Pick<HomeModel, 'press'>, ...keys: readonly (string | Key)[]): void {
  for (const key of keys) {
    if (typeof key !== 'string') model.press(key);
    else for (const letter of key) model.press(textKey(letter));
  }
}

async function endOf(...keys: readonly (string | Key)[]): Promise<HomeCommand | undefined> {
  const { screen, draw } = showScreen<HomeCommand | undefined, HomeModel>(modelOf(), HomeView);
  const pressDrawn = (key: Key) => {
    draw({ columns: 80, rows: 24 });
    screen.press(key);
  };
  press({ press: pressDrawn }, ...keys);
  return screen.result;
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
    ['sync', [enter, 's', '/to here', enter], "syncer sync one: '/to here' -P --review --trash"],
    ['copy', ['2', enter, 'c', 'd:', enter], 'syncer copy two: d: -P --review'],
    [
      'from another folder',
      [enter, 'c', namedKey('up'), 'sub', enter, 'd:', enter],
      'syncer copy one:sub d: -P --review',
    ],
    ['login', [down, enter, enter], 'syncer config reconnect two:'],
    ['new remote', ['n'], 'syncer config new'],
    ['configuration', ['g'], 'syncer config'],
    ['upload', [enter, 'u', '/here', enter, 'x', enter], 'syncer copy /here one:x -P --review'],
    [
      'swapped',
      [enter, 's', '/to', ctrlKey('t'), enter],
      'syncer sync /to one: -P --review --trash',
    ],
    [
      'Tab to the other field',
      [enter, 'c', '/to', tab, 'sub', enter, enter],
      'syncer copy one:sub /to -P --review',
    ],
    ['Tab round', [enter, 'c', '/a', tab, tab, 'b', enter], 'syncer copy one: /ab -P --review'],
    ['home', [enter, 'c', '~/backup', enter], 'syncer copy one: /home/me/backup -P --review'],
    ['home in a mount', [enter, 'm', '~', enter], 'syncer mount one: /home/me --daemon'],
    ['a variable', [enter, 's', '$WORK/x', enter], 'syncer sync one: /work/x -P --review --trash'],
    ['run again', ['h', enter, 'ry'], 'syncer copy a b'],
    ['its plan first', ['h', enter, 'rp'], 'syncer copy a b --review'],
    ['a job', ['jjj', enter, 'ry'], 'syncer run docs -P'],
    ['a job by its key', ['jjjry'], 'syncer run docs -P'],
    ['the plan of a job', ['jjj', enter, enter], 'syncer run docs --review -P'],
    ['the plan instead of the run', ['jjjrp'], 'syncer run docs -P --review'],
    ['a comparison of the paths of a job', ['jjjv'], 'syncer run docs --check -P'],
    ['a job that changes nothing', ['jjjjr'], 'syncer run look -P'],
    ['a job that is deleted', ['jjjdy'], 'syncer job docs --delete'],
    ['a mount', ['jjjjj', enter, 'b'], 'syncer ncdu /mnt'],
    ['the end of a mount', ['jjjjjuy'], 'syncer unmount /mnt'],
    ['the first list by its keys', ['c/x', enter], 'syncer copy one: /x -P --review'],
    [
      'an action by its name',
      [':upl', enter, '/x', enter, enter],
      'syncer copy /x one: -P --review',
    ],
    ['a job by the name of an action', ['jjj:runs it', enter, 'y'], 'syncer run docs -P'],
    ['leave', ['q'], undefined],
    [
      'back and leave',
      [enter, 'c', namedKey('escape'), namedKey('escape'), namedKey('escape')],
      undefined,
    ],
  ])('%s', async (_, keys, line) => {
    const command = await endOf(...keys);
    expect(command === undefined ? undefined : shellLine(command.words)).toBe(line);
  });

  test('sync has no trash where there is no history', async () => {
    const model = modelOf({ noHistory: true });
    press(model, enter, 's', '/x', enter);
    expect((await model.result)?.words).toEqual(['sync', 'one:', '/x', '-P', '--review']);
  });

  test('Enter on a run that waits names its terminal, and does not attach', () => {
    const run = { ...runningRun, words: ['sync', 'a', 'b', '--review'], state: 'waiting' } as const;
    for (const [terminal, where] of [
      [{ terminal: 'pts/3' }, 'terminal pts/3'],
      [{}, 'the terminal of process 7'],
    ] as const) {
      const model = modelOf({ running: [{ ...run, ...terminal }] });
      press(model, '/7k3f', enter, enter);
      expect(model.state).toMatchObject({ notice: `It waits: review it in ${where}` });
      press(model, 'j');
      expect(model.state).not.toHaveProperty('notice');
    }
  });

  test('Ctrl-C anywhere ends it as interrupted', async () => {
    const ended = endOf(enter, 'c', ctrlKey('c'));
    await expect(ended).rejects.toMatchObject({ code: 'interrupted', exit: 130 });
  });

  test.each<[string, readonly (string | Key)[], string]>([
    [
      'what is asked for',
      [enter, 'c', 'd:', enter],
      'syncer copy one: d: -P --review --config=my.conf',
    ],
    ['what is not', [enter, 'b'], 'syncer ncdu one: --config=my.conf'],
    ['the configuration', ['g'], 'syncer config --config=my.conf'],
    ['but a run of before is run as it was', ['h', enter, 'ry'], 'syncer copy a b'],
  ])('a flag that names the configuration stays with %s', async (_, keys, line) => {
    const model = modelOf({ flags: ['--config=my.conf'] });
    press(model, ...keys);
    expect(shellLine((await model.result)?.words ?? [])).toBe(line);
  });

  test('a run is repeated where it ran', async () => {
    expect(await endOf('h', enter, 'ry')).toMatchObject({ dir: '/w' });
  });

  test.each([
    ['in a place that is gone', { ...pastRun, dir: '' }],
    ['with a word that was left out', { ...pastRun, words: ['copy', 'a', 'REDACTED'] }],
  ])('a run %s is not repeated', (_, past) => {
    const model = modelOf({ runs: [past] });
    press(model, 'h', enter, 'ry');
    expect(model.state).toMatchObject({ at: 'run', run: past });
  });

  test.each([
    ['~other/x', 'home directories of other users'],
    ['$NOWHERE/x', '$NOWHERE is not set'],
  ])('%s is refused, and nothing runs', (typed, why) => {
    const model = modelOf();
    press(model, enter, 'c', typed, enter);
    expect(model.state).toMatchObject({ at: 'ask', complaint: expect.stringContaining(why) });
  });

  test('Enter does not run anything again, however long it is held', () => {
    const model = modelOf();
    press(model, 'h', enter, 'r', ...Array.from({ length: 99 }, () => enter));
    expect(model.state).toMatchObject({ at: 'run', run: pastRun });
  });

  test.each([
    ['a job that changes files', 'jjjr'],
    ['a job that is deleted', 'jjjd'],
    ['a mount that ends', 'jjjjju'],
  ])('%s asks, and Enter is no', (_, keys) => {
    const model = modelOf();
    press(model, keys);
    expect(model.state.at).toBe('sure');
    press(model, enter);
    expect(model.state.at).toBe('remotes');
  });

  test('a path is completed as far as it is clear, then what matches is shown', async () => {
    const model = modelOf();
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
    const model = modelOf();
    press(model, enter, 's', enter);
    expect(model.state).toMatchObject({
      at: 'ask',
      field: 1,
      complaint: expect.stringContaining('enter "to"'),
    });
  });
});

test('what is unknown can only be edited', () => {
  expect(
    actionsFor({
      kind: 'remote',
      name: 'x',
      isPinned: false,
      remote: homeRemote('x', { isKnown: false }),
    }).map(({ key }) => key),
  ).toEqual(['e']);
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
    fc.constantFrom(...'abcdhjklmnprsuvyg?19').map(textKey),
  );
  fc.assert(
    fc.property(fc.array(keys, { maxLength: 60 }), (walk) => {
      const model = modelOf();
      for (const key of walk) {
        model.press(key);
        const view = model.state;
        if ('cursor' in view) expect(view.cursor).toBeGreaterThanOrEqual(0);
        if (view.at === 'remotes')
          expect(view.cursor).toBeLessThan(homeItems(model.contents).length);
      }
    }),
  );
});

describe('a test of a remote', () => {
  test.each([
    ['1', { works: true, text: 'one was listed' }],
    ['2', { works: false, text: 'two was listed' }],
  ])('shows on the page of remote %s, until it is left', async (key, result) => {
    const model = modelOf();
    press(model, key, enter, 't');
    expect(model.state).toMatchObject({ at: 'actions', test: 'running' });
    await expect.poll(() => model.state).toMatchObject({ at: 'actions', test: result });
    press(model, namedKey('escape'));
    expect(model.state).toMatchObject({ at: 'remotes' });
  });

  test('of a page that was left is not shown on another', async () => {
    const model = modelOf();
    press(model, '1', enter, 't', namedKey('escape'), '2', enter);
    await Promise.resolve();
    expect(model.state).toEqual({
      at: 'actions',
      item: { kind: 'remote', name: 'two', isPinned: false, remote: contents.remotes[1] },
      cursor: 0,
    });
  });
});

test('after an action the screen is back at its remote, if that is still there', async () => {
  expect(await endOf('2', enter, 'b')).toMatchObject({
    from: { kind: 'remote', name: 'two', isOpen: true },
  });
  const back = (name: string, kind = 'remote', isOpen = true) =>
    modelOf({ from: { kind, name, isOpen } }).state;
  expect(back('two')).toMatchObject({ at: 'actions', item: { remote: { name: 'two' } } });
  expect(back('look', 'job', false)).toEqual({ at: 'remotes', cursor: 4 });
  expect(back('gone')).toEqual({ at: 'remotes', cursor: 0 });
});

describe('the cursor of the home screen stays on its row', () => {
  const esc = namedKey('escape');
  const rowOf = (model: HomeModel) => {
    const { state } = model;
    const item = state.at === 'remotes' && homeItems(model.contents, state)[state.cursor];
    return item === false ? state.at : item?.name;
  };
  const later = { ...pastRun, id: '20260101-000000-later', words: ['check', 'x', 'y'] };

  test.each<[string, readonly (string | Key)[], string]>([
    ['after Esc of a filter that found another row', ['jjj/x:', esc], 'docs'],
    ['after Esc of an empty filter', ['jjj/', esc], 'docs'],
    ['after Esc of a filter that shows its row', ['jjj/docs', esc], 'docs'],
    ['after Esc of a filter that found one row', ['/docs', esc], 'docs'],
    ['after Esc of a filter that is kept', ['/docs', enter, esc], 'docs'],
    [
      'after a text that was deleted again',
      ['jjj/tw', namedKey('backspace'), namedKey('backspace'), esc],
      'docs',
    ],
    ['on return from the actions of an item', ['jjj', enter, esc], 'docs'],
    ['on return from the history', ['jjjh', esc], 'docs'],
    ['on return from a run of the list', ['jjjjjj', enter, esc], pastRun.id],
    ['after no to a question', ['jjjr', 'n'], 'docs'],
  ])('%s', (_, keys, row) => {
    const model = modelOf();
    press(model, ...keys);
    expect(rowOf(model)).toBe(row);
  });

  test('in the history, on return from a run of a filtered list', () => {
    const model = modelOf({ runs: [pastRun, later, { ...pastRun, id: 'third' }] });
    press(model, 'h/check', enter, enter);
    expect(model.state).toMatchObject({ at: 'run', run: later });
    press(model, esc);
    expect(model.state).toMatchObject({ at: 'runs', cursor: 0, filter: { text: 'check' } });
    press(model, esc);
    expect(model.state).toMatchObject({ at: 'runs', cursor: 1 });
  });

  test('after a command for a run, also when the run has ended', async () => {
    const model = modelOf({ running: [runningRun] });
    press(model, 'jjjjjj', enter);
    const { from, words } = (await model.result) ?? {};
    expect([words?.[0], from?.name]).toEqual(['attach', runningRun.id]);
    if (from === undefined) throw new Error('the command comes from no row');
    expect(rowOf(modelOf({ running: [runningRun], from }))).toBe(runningRun.id);
    const ended = { ...pastRun, id: runningRun.id };
    expect(rowOf(modelOf({ runs: [later, ended], from }))).toBe(runningRun.id);
    expect(rowOf(modelOf({ runs: [later, pastRun], from }))).toBe(later.id);
  });

  test('after a command for a run of the history', async () => {
    const undo = new Map([[later.id, { can: true, text: '' }]]);
    const model = modelOf({ runs: [pastRun, later], undo });
    press(model, 'hju');
    const { from } = (await model.result) ?? {};
    if (from === undefined) throw new Error('the command comes from no row');
    const runs = [{ ...pastRun, id: 'undo' }, pastRun, later];
    expect(modelOf({ runs, from }).state).toMatchObject({ at: 'runs', cursor: 2 });
  });

  test('and a filter leaves the remotes their numbers', () => {
    const model = modelOf();
    const { screen, draw } = showScreen<HomeCommand | undefined, HomeModel>(model, HomeView);
    press(screen, '/two', enter);
    expect(draw({ columns: 80, rows: 24 }).join('\n')).toMatch(/^❯ 2 {2}two/m);
    press(screen, '1');
    expect(rowOf(model)).toBe('two');
    press(screen, '2');
    expect(rowOf(model)).toBe('two');
  });
});

test('on the first list no key is said to go back: Esc quits', async () => {
  const model = modelOf();
  expect(model.keys().map(({ does }) => does)).not.toContain('back');
  press(model, namedKey('escape'));
  expect(await model.result).toBeUndefined();
});
