import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { render } from 'ink';
import type { ComponentType } from 'react';
import { expect, onTestFinished, test } from 'vitest';
import type { BrowserSides } from '../../../../components/browser/browser.ts';
import { BrowserView } from '../../../../components/browser/browser-view.tsx';
import { PairModel } from '../../../../components/browser/pair-model.ts';
import { WizardView } from '../../../../components/config/wizard-view.tsx';
import { HomeModel } from '../../../../components/home/home-model.ts';
import { HomeView } from '../../../../components/home/home-view.tsx';
import { HooksView } from '../../../../components/hooks/hooks-view.tsx';
import { InstallerView } from '../../../../components/installer/installer-view.tsx';
import { MenuModel } from '../../../../components/installer/menu-model.ts';
import { ReviewModel } from '../../../../components/review/review-model.ts';
import { ReviewView } from '../../../../components/review/review-view.tsx';
import { ScreenRoot } from '../../../../components/shared/run-screen.tsx';
import { type ScreenViewProps, screenView } from '../../../../components/ui/screen.tsx';
import { openRawKeys } from '../../../../src/shell/process/raw-keys.ts';
import { ActionScreen } from '../../../../src/terminal/action-screen.ts';
import { UNICODE_GLYPHS } from '../../../../src/terminal/look.ts';
import type { KeyedScreen } from '../../../../src/terminal/screen-model.ts';
import { completing, longHome } from '../../run/home-world.ts';
import { MIXED } from '../../run/review/a-plan.ts';
import { type FakeBrowser, listedBrowser, scannedBrowser } from '../../size-tree/fake-effects.ts';
import { openModel, works } from '../config/wizard-screen.ts';
import { filledScreen, keyedScreen } from '../hooks/screen-world.ts';

const LOOK = { colour: false, glyphs: UNICODE_GLYPHS, plain: false };

/** Shows a screen in a terminal that is none. @returns types a text in one write */
function typist<Model extends KeyedScreen<unknown>>(
  model: Model,
  View: ComponentType<ScreenViewProps<Model>>,
) {
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode() {},
    ref() {},
    unref() {},
  });
  let shown = '';
  const stdout = Object.assign(new EventEmitter(), {
    columns: 80,
    rows: 24,
    isTTY: true,
    write: (text: string) => {
      shown = text;
    },
  });
  const Shown = screenView(model, View, 'test');
  const app = render(
    <ScreenRoot
      model={new ActionScreen<unknown>(model, () => performance.now())}
      View={Shown}
      look={LOOK}
      process={Object.assign(new EventEmitter(), { pid: 1, kill: () => true }) as never}
      openKeys={(press) => openRawKeys(stdin, () => {}, press, { escapeMs: 0 })}
      empty={() => {}}
    />,
    {
      stdin: stdin as never,
      stdout: stdout as never,
      debug: true,
      interactive: true,
      patchConsole: false,
      exitOnCtrlC: false,
    },
  );
  onTestFinished(() => app.unmount());
  return { type: (text: string) => void stdin.write(text), shown: () => shown };
}

test('review: a word that comes in one write is the filter, and the keys behind it meet its list', async () => {
  const model = new ReviewModel({
    plan: MIXED,
    title: 'sync',
    subject: '',
    problems: [],
    readOnly: false,
  });
  const { type, shown } = typist(model, ReviewView);
  type('/jpg\rjjjj ');
  await expect.poll(shown).toContain('"jpg"');
  await expect.poll(shown).toMatch(/❯.*b\.jpg/);
  expect(model.state.filter.text).toBe('jpg');
  const excluded = model.state.tree.nodes.filter(({ dropped }) => dropped);
  expect(excluded.map(({ path }) => path)).toEqual(['photos/2024/b.jpg']);
});

test('hooks: keys that come in one write each meet the page that the one before opened', async () => {
  const screen = filledScreen();
  const { type } = typist(keyedScreen(screen), HooksView);
  type('ajj\rv');
  await expect.poll(() => screen.state().open).toMatchObject({ id: '1', below: 'request' });
});

test('home: a path that comes in one write is typed whole', async () => {
  const model = new HomeModel(longHome, completing);
  const { type, shown } = typist(model, HomeView);
  type('\rc/quit now');
  await expect.poll(shown).toContain('/quit now');
  expect(model.state).toMatchObject({
    at: 'ask',
    fields: [{ text: 'r0:' }, { text: '/quit now' }],
  });
  type('\t\x15a:');
  await expect.poll(() => model.state).toMatchObject({ fields: [{ text: 'a:' }, {}] });
});

test('history: keys that come in one write open the run that they reached, and y behind r runs nothing', async () => {
  const model = new HomeModel(longHome, completing);
  const { type, shown } = typist(model, HomeView);
  type('hjj\rryy');
  await expect.poll(shown).toContain('Run it again now?');
  type('y');
  await expect.poll(shown).toContain('Press y again');
  expect(model.state).toMatchObject({ at: 'sure', back: { at: 'run', list: { cursor: 2 } } });
});

test('config: a name and a type that come in one write answer the questions that they lead to', async () => {
  const model = openModel(works);
  const { type, shown } = typist(model, WizardView);
  type('nstore\rs3\r');
  await expect.poll(shown).toContain('new remote store (s3)');
  type('Other\rnAK\rqk\r');
  await expect.poll(shown).toContain('region');
  const { step } = model.state.conversation;
  const values = step.kind === 'ask' ? step.draft?.values : undefined;
  expect(Object.fromEntries(values ?? [])).toMatchObject({
    provider: 'Other',
    access_key_id: 'AK',
    secret_access_key: 'qk',
  });
});

test('config: y behind d, in one write, deletes nothing', async () => {
  const model = openModel(works);
  const { type, shown } = typist(model, WizardView);
  type('jdyy');
  await expect.poll(shown).toContain('Delete "work"');
  type('y');
  await expect.poll(shown).toContain('Press y again');
  expect(model.state.isWriting).toBe(false);
});

test('installer: y behind the choice, in one write, begins nothing', async () => {
  const begun: string[] = [];
  const model = new MenuModel({
    look: async () => ({ title: 'Uninstall', steps: ['delete a'], notes: [] }),
    begin: async (deed) => {
      begun.push(deed);
      return { code: 0, lines: [] };
    },
    interrupt: () => {},
  });
  const { type, shown } = typist(model, InstallerView);
  type('j\ryyy');
  await expect.poll(shown).toContain('Uninstall? y/n');
  type('y');
  await expect.poll(shown).toContain('Press y again');
  expect(begun).toEqual([]);
});

test('browser: a word that comes in one write is the filter, and d behind it asks about what that shows', async () => {
  const { model, alone, removals } = await scannedBrowser();
  const { type, shown } = typist(alone, BrowserView);
  type('/mid\rdyyy');
  await expect.poll(shown).toContain('mid/  2 objects');
  type('y');
  await expect.poll(shown).toContain('Press y again');
  expect(model.rows.filter).toBe('mid');
  expect(removals).toEqual([]);
});

test('browser: a new order and keys behind it, in one write, meet the entries of that order', async () => {
  const { model, alone } = await scannedBrowser();
  const { type, shown } = typist(alone, BrowserView);
  type('nnGv');
  await expect.poll(shown).toMatch(/❯●.*big\//);
  expect([...model.marks].map((node) => model.tree.name(node))).toEqual(['big']);
});

test('browser with two sides: Tab in one write with other keys gives those behind it to the other side', async () => {
  const sides: FakeBrowser[] = [];
  const side = (spec: string) => (own: BrowserSides) => {
    const fake = listedBrowser({ spec, sides: own });
    sides.push(fake);
    return fake.model;
  };
  const pair = new PairModel([side('a:'), side('b:')], side);
  const { type, shown } = typist(pair, BrowserView);
  type('j\t/small\rv\tv');
  await expect.poll(shown).toMatch(/❯● .*mid\/ +│/);
  const marked = sides.map(({ model: { marks, tree } }) => [...marks].map((at) => tree.name(at)));
  await expect.poll(() => marked).toEqual([['mid'], ['small']]);
});
