import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InstallerView } from '../../../../components/installer/installer-view.tsx';
import {
  type MenuDeed,
  type MenuEnd,
  type MenuPlan,
  menuChoice,
} from '../../../../components/installer/menu-keys.ts';
import { MenuModel, type MenuNews } from '../../../../components/installer/menu-model.ts';
import { ctrlKey, type Key, namedKey, textKey } from '../../../../src/terminal/key.ts';
import { ASCII_GLYPHS } from '../../../../src/terminal/look.ts';
import { showScreen } from '../draw-screen.tsx';

const PLAN: MenuPlan = { title: 'Uninstall webhook', steps: ['delete a'], notes: ['kept b'] };
const settle = () => new Promise(setImmediate);

/** A menu whose work is steered by hand. */
function open(found: MenuPlan | MenuEnd = PLAN) {
  const begun: MenuDeed[] = [];
  let interruptions = 0;
  let tell: (news: MenuNews) => void = () => {};
  const end = Promise.withResolvers<MenuEnd>();
  const model = new MenuModel({
    look: async () => found,
    begin(deed, onNews) {
      begun.push(deed);
      tell = onNews;
      return end.promise;
    },
    interrupt: () => void interruptions++,
  });
  return {
    model,
    begun,
    interruptions: () => interruptions,
    tell: (news: MenuNews) => tell(news),
    async finish(how: MenuEnd) {
      end.resolve(how);
      await end.promise;
      await Promise.resolve();
    },
  };
}

/** Chooses something, and says yes to its plan. */
async function choose(model: MenuModel, ...keys: readonly Key[]) {
  for (const key of keys) model.press(key);
  await settle();
  model.press(textKey('y'));
}

test('digits and arrows choose', async () => {
  for (const [keys, deed] of [
    [[textKey('1')], 'install'],
    [[textKey('2')], 'uninstall'],
    [[namedKey('enter')], 'install'],
    [[namedKey('down'), namedKey('enter')], 'uninstall'],
    [[textKey('j'), textKey('k'), namedKey('enter')], 'install'],
  ] as const) {
    const { model, begun } = open();
    await choose(model, ...keys);
    expect(begun).toEqual([deed]);
  }
});

test('nothing begins before its plan was shown and y was pressed; Enter is no answer', async () => {
  for (const chosen of ['1', '2']) {
    const { model, begun } = open();
    model.press(textKey(chosen));
    model.press(textKey('y'));
    await settle();
    expect(model.state).toMatchObject({ at: 'ask', plan: PLAN });
    for (let count = 0; count < 50; count++) model.press(namedKey('enter'));
    expect(model.state.at).toBe('ask');
    model.press(textKey('n'));
    expect([model.state.at, begun]).toEqual(['menu', []]);
  }
});

test('what cannot be done is said, and is not asked', async () => {
  const { model, begun } = open({ code: 1, lines: ['why'] });
  await choose(model, textKey('2'));
  expect([model.state, begun]).toMatchObject([
    { at: 'work', end: { code: 1, lines: ['why'] } },
    [],
  ]);
});

test('rule 4.5 menu: any other letter or digit is an input error', async () => {
  for (const letter of ['0', '3', 'x', '１', ' ']) {
    const { model, begun } = open();
    model.press(textKey(letter));
    expect(await model.result).toMatchObject({
      code: 1,
      lines: [expect.stringMatching(/input error/)],
    });
    expect(begun).toEqual([]);
  }
});

test('while it works only Ctrl-C does something: it interrupts, and ends when all is undone', async () => {
  const { model, begun, interruptions, finish } = open();
  await choose(model, textKey('1'));
  for (const key of [textKey('2'), textKey('q'), namedKey('enter')]) model.press(key);
  expect([begun, interruptions()]).toEqual([['install'], 0]);
  model.press(ctrlKey('c'));
  model.press(ctrlKey('c'));
  expect(interruptions()).toBe(2);
  await finish({ code: 130, lines: ['interrupted'] });
  expect(await model.result).toEqual({ code: 130, lines: ['interrupted'] });
});

test('the steps, their progress, and the end, which stays until it is closed', async () => {
  const { model, tell, finish } = open();
  await choose(model, textKey('1'));
  tell({ kind: 'plan', title: 'Install webhook 2.8.0', steps: ['a', 'b'] });
  tell({ kind: 'step', index: 0, change: { state: 'done' } });
  tell({ kind: 'step', index: 1, change: { state: 'running', note: '5 %' } });
  tell({ kind: 'undone', line: 'deleted a' });
  await finish({ code: 1, lines: ['why'] });
  expect(model.state).toEqual({
    at: 'work',
    deed: 'install',
    title: 'Install webhook 2.8.0',
    steps: [
      { text: 'a', state: 'done', note: '' },
      { text: 'b', state: 'running', note: '5 %' },
    ],
    undone: ['deleted a'],
    end: { code: 1, lines: ['why'] },
  });
  // Closed, it goes back to the menu; the exit code is that of the last deed.
  model.press(namedKey('enter'));
  expect(model.state).toMatchObject({ at: 'menu', cursor: 0 });
  model.press(textKey('q'));
  expect(await model.result).toEqual({ code: 1, lines: ['why'] });
});

test('u looks into an upgrade, which the menu as text does not offer', async () => {
  const { model, begun } = open();
  await choose(model, textKey('u'));
  expect(begun).toEqual(['upgrade']);
  expect(() => menuChoice('u')).toThrow('input error');
});

test('a process that is asked to end leaves the menu at once', async () => {
  const { model } = open();
  model.leave(143);
  expect(await model.result).toEqual({ code: 143, lines: ['Nothing was changed.'] });
});

test('Ctrl-C at the question says that nothing was changed', async () => {
  const { model } = open();
  model.press(textKey('1'));
  await settle();
  expect(model.state.at).toBe('ask');
  model.press(ctrlKey('c'));
  expect(await model.result).toEqual({ code: 130, lines: ['Nothing was changed.'] });
});

test('no order of keys and news breaks it, and nothing begins twice', async () => {
  const key = fc.constantFrom(
    ...['1', '2', 'q', 'j', 'k', 'y', 'n'].map(textKey),
    ...(['up', 'down', 'enter', 'escape', 'tab'] as const).map((name) => namedKey(name)),
    ctrlKey('c'),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(key), async (keys) => {
      const { model, begun, tell } = open();
      for (const one of keys) {
        model.press(one);
        await Promise.resolve();
        tell({ kind: 'step', index: 0, change: { state: 'done' } });
      }
      expect(begun.length).toBeLessThanOrEqual(1);
    }),
  );
});

test('a plan can be answered in 40 columns, however long the name of its host is', async () => {
  const title = 'Install webhook 2.8.0 of releases.example.org:8443';
  const steps = Array.from({ length: 9 }, (_, at) => `step ${at}`);
  const { model, begun } = open({ title, steps, notes: [] });
  const shown = showScreen(model, InstallerView, 'webhook');
  model.press(textKey('1'));
  await settle();
  const look = { colour: false, glyphs: ASCII_GLYPHS, plain: false };
  const rows = shown.draw({ columns: 40, rows: 12 }, look);
  expect(rows.join(' ')).toContain('releases.example.org:8443? y/n');
  expect(rows.at(-1)).toContain('y install | n cancel');
  model.press(textKey('y'));
  expect(begun).toEqual(['install']);
});
