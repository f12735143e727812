import { expect, test } from 'vitest';
import type { BrowserSides } from '../../../components/browser/browser.ts';
import { BrowserView } from '../../../components/browser/browser-view.tsx';
import { PairModel } from '../../../components/browser/pair-model.ts';
import { HomeModel } from '../../../components/home/home-model.ts';
import { HomeView } from '../../../components/home/home-view.tsx';
import { ReviewModel } from '../../../components/review/review-model.ts';
import { ReviewView } from '../../../components/review/review-view.tsx';
import { keysOfText, type MouseAct, namedKey, textKey } from '../../../src/terminal/key.ts';
import type { Size } from '../../../src/terminal/screen-model.ts';
import { showScreen } from '../components/draw-screen.tsx';
import { completing, longHome } from '../run/home-world.ts';
import { MIXED } from '../run/review/a-plan.ts';
import { type FakeBrowser, listedBrowser } from '../size-tree/fake-effects.ts';

const WIDE: Size = { columns: 120, rows: 30 };
const TALL: Size = { columns: 120, rows: 40 };
const NARROW: Size = { columns: 80, rows: 24 };

/** The home screen in a window, and its first list. */
function homeScreen(size: Size) {
  const model = new HomeModel(longHome, completing);
  const { screen, draw } = showScreen(model, HomeView);
  const at = (kind: MouseAct['kind'], text: string) => {
    const row = draw(size).findIndex((line) => line.slice(0, 60).includes(text));
    screen.point({ kind, column: 1, row });
  };
  const cursor = () =>
    draw(size).flatMap((line) => (line.startsWith('❯') ? [line.slice(0, 60)] : []));
  return { model, screen, draw: () => draw(size), at, cursor };
}

test('home: a click goes to the line, over headings; another one opens it; the wheel moves', () => {
  const { screen, at, cursor, draw } = homeScreen(TALL);
  at('click', 'History');
  expect(cursor()).toEqual([expect.stringContaining('History')]);
  at('click', 'History');
  expect(draw()[0]).toContain('history');
  expect(cursor()).toHaveLength(1);
  screen.press(namedKey('escape'));
  at('wheel-up', 'r5');
  at('wheel-up', 'r5');
  const [before] = cursor();
  at('wheel-down', 'r5');
  at('wheel-up', 'r5');
  expect(cursor()).toEqual([before]);
  at('wheel-up', 'r5');
  expect(cursor()).not.toEqual([before]);
});

test('a question takes no click', () => {
  const { model, screen, at, draw } = homeScreen(TALL);
  at('click', 'History');
  for (const key of keysOfText('\r\rr')) screen.press(key);
  draw();
  const question = model.state;
  expect(question.at).toBe('sure');
  for (let row = 0; row < 30; row++) screen.point({ kind: 'click', column: 50, row });
  at('wheel-down', 'syncer');
  expect(model.state).toEqual(question);
});

test('a field of a text takes no click, and keeps what was typed', () => {
  const { model, screen, draw } = homeScreen(NARROW);
  for (const key of keysOfText('\rc/x')) screen.press(key);
  draw();
  for (let row = 0; row < 24; row++) screen.point({ kind: 'click', column: 5, row });
  expect(model.state.at).toBe('ask');
});

test('plan: a click on a directory below the cursor goes there, then folds it', () => {
  const about = { plan: MIXED, title: 'sync', subject: '', problems: [], readOnly: false };
  const model = new ReviewModel(about);
  const { screen, draw } = showScreen(model, ReviewView);
  const lines = model.state.lines.length;
  const dir = model.state.lines.findLast(({ isDir, danger }) => isDir && danger === undefined);
  const click = () => {
    const row = draw(NARROW).findIndex((text) => text.includes(`${dir?.name}/`));
    screen.point({ kind: 'click', column: 5, row });
  };
  click();
  expect(draw(NARROW).filter((row) => row.startsWith('❯'))).toEqual([
    expect.stringContaining(`${dir?.name}/`),
  ]);
  expect(model.state.lines).toHaveLength(lines);
  screen.point({ kind: 'click', column: 5, row: 0 });
  screen.point({ kind: 'click', column: 5, row: NARROW.rows - 1 });
  expect(model.state.lines).toHaveLength(lines);
  click();
  expect(model.state.lines.length).not.toBe(lines);
});

test('plan: a click that comes in one read behind another one meets no list that was not drawn', () => {
  const about = { plan: MIXED, title: 'sync', subject: '', problems: [], readOnly: false };
  const model = new ReviewModel(about);
  const { screen, draw } = showScreen(model, ReviewView);
  draw(NARROW);
  for (let times = 0; times < 2; times++) screen.point({ kind: 'click', column: 5, row: 4 });
  expect(model.state.cursor).toBe(3);
  draw(NARROW);
  screen.press(namedKey('down'));
  screen.point({ kind: 'click', column: 5, row: 1 });
  expect(model.state.cursor).toBe(4);
  draw(NARROW);
  screen.point({ kind: 'click', column: 5, row: 1 });
  expect(model.state.cursor).toBe(0);
});

test('actions by name: a click chooses, and does nothing', () => {
  for (const size of [NARROW, WIDE]) {
    const { screen, draw } = homeScreen(size);
    screen.press(keysOfText(':')[0] as never);
    draw();
    const [column, row] = size === NARROW ? [5, 3] : [40, 8];
    screen.point({ kind: 'click', column, row });
    screen.point({ kind: 'click', column, row });
    expect(screen.finding?.cursor).toBeGreaterThan(0);
  }
});

test('two sides: a click on a side goes there, the wheel moves the side below it', async () => {
  const sides: FakeBrowser[] = [];
  const side = (spec: string) => (own: BrowserSides) => {
    const fake = listedBrowser({ spec, sides: own });
    sides.push(fake);
    return fake.model;
  };
  const pair = new PairModel([side('a'), side('b')], side);
  await sides[0]?.settle();
  const { screen, draw } = showScreen(pair, BrowserView);
  const at = (kind: MouseAct['kind'], text: string, column: number) => {
    screen.point({ kind, column, row: draw(WIDE).findIndex((row) => row.includes(text)) });
  };
  /** Where the cursors of both sides are, and which side has the keys. */
  const cursors = () => [...sides.map(({ model }) => model.rows.cursor), pair.state];
  at('click', 'mid', 90);
  expect(cursors()).toEqual([0, 1, 1]);
  at('click', 'mid', 1);
  expect(cursors()).toEqual([1, 1, 0]);
  at('wheel-down', 'mid', 90);
  expect(cursors()).toEqual([1, 2, 0]);
  at('wheel-up', 'mid', 1);
  expect(cursors()).toEqual([0, 2, 0]);
  at('click', 'mid', 59);
  expect(cursors()).toEqual([0, 2, 0]);
  screen.press(textKey('d'));
  for (let row = 0; row < WIDE.rows; row++) {
    draw(WIDE);
    for (const column of [5, 30, 59, 90]) screen.point({ kind: 'click', column, row });
  }
  expect(cursors()).toEqual([0, 2, 0]);
  expect(draw(WIDE).join('\n')).toContain('Delete 1 directory');
});
