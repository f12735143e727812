import { expect, test } from 'vitest';
import type { BrowserSides } from '../../../../components/browser/browser.ts';
import { BrowserView } from '../../../../components/browser/browser-view.tsx';
import { PairModel } from '../../../../components/browser/pair-model.ts';
import { keysOfText } from '../../../../src/terminal/key.ts';
import { type FakeBrowser, fakeBrowser, listedBrowser } from '../../size-tree/fake-effects.ts';
import { showScreen } from '../draw-screen.tsx';

const WIDE = { columns: 120, rows: 24 };
const NARROW = { columns: 60, rows: 24 };

async function openPair() {
  const seen: string[] = [];
  const lookAgain = async (_: number, name: string) => void seen.push(name);
  const sides: FakeBrowser[] = [];
  const side = (spec: string) => (own: BrowserSides) => {
    const make = spec === '/none' ? fakeBrowser : listedBrowser;
    const fake = make({ spec, sides: own }, { lookAgain });
    sides.push(fake);
    return fake.model;
  };
  const pair = new PairModel([side('store:bucket'), side('/disk')], side);
  const [left, right] = sides as [FakeBrowser, FakeBrowser];
  await left.settle();
  const keys = (text: string) => {
    for (const key of keysOfText(text)) pair.press(key);
  };
  const { draw } = showScreen(pair, BrowserView, 'ncdu');
  return { pair, left, right, sides, seen, keys, draw };
}

/** The columns of the left and of the right list in a wide window, without blanks at their ends. */
const halves = (rows: readonly string[]) =>
  [[0, 58], [61]].map(([from, to]) =>
    rows.slice(2, -3).map((row) => row.slice(from, to).trimEnd()),
  );

test('both lists are side by side, and Tab moves the cursor; narrow, one is there', async () => {
  const { pair, keys, draw } = await openPair();
  const marks = () =>
    halves(draw(WIDE)).map(([path, ...rows]) => [path, rows.find((row) => row.startsWith('❯'))]);
  const big = expect.stringMatching(/big\/$/);
  expect(marks()).toEqual([
    ['store:bucket', big],
    ['/disk', big],
  ]);
  expect(pair.state).toBe(0);
  keys('\tj');
  expect(marks()).toEqual([
    ['store:bucket', big],
    ['/disk', expect.stringMatching(/mid\/$/)],
  ]);
  expect(pair.state).toBe(1);
  const [title] = draw(NARROW);
  expect(title).toMatch(/^syncer ncdu {2}\/disk {2,}right {2}largest first$/);
  expect(draw(NARROW).join()).not.toContain('│');
});

test.each([
  ['p', 'copy'],
  ['P', 'move'],
] as const)('%s goes to what the other side shows, after y, and shows there', async (key, verb) => {
  const { left, right, seen, keys } = await openPair();
  keys('\tl\t');
  keys(`j${key}\r${key}`);
  expect(left.transfers).toEqual([]);
  keys('y');
  await left.settle();
  const [transfer] = left.transfers;
  expect(transfer?.request).toMatchObject({ verb, dest: '/disk/big' });
  transfer?.done();
  await left.settle();
  expect(seen).toEqual(['mid']);
  expect(right.transfers).toEqual([]);
});

test('secrets of a connection string are used and not shown', async () => {
  const sides: FakeBrowser[] = [];
  const pair = new PairModel(
    [':s3,key=SECRET:a', ':s3,key=SECRET:b'].map((spec) => (own: BrowserSides) => {
      const fake = listedBrowser({ spec, sides: own });
      sides.push(fake);
      return fake.model;
    }),
    () => () => fakeBrowser().model,
  );
  const [left] = sides as [FakeBrowser];
  await left.settle();
  const { draw } = showScreen(pair, BrowserView);
  let seen = '';
  for (const key of keysOfText('yiqYpyT')) {
    pair.press(key);
    await left.settle();
    seen += [...draw(WIDE), ...draw(NARROW)].join('\n');
  }
  expect(seen).not.toContain('SECRET');
  expect(seen).toContain('to :s3,key=REDACTED:b');
  expect(left.copied).toEqual([':s3,key=SECRET:a/big']);
  expect(left.transfers[0]?.request.dest).toBe(':s3,key=SECRET:b');
});

test('q asks for tasks of both sides, and ends both', async () => {
  const { pair, keys, draw } = await openPair();
  keys('py\tq');
  const [left, right] = halves(draw(WIDE)).map((rows) => rows.join('\n'));
  expect(left).not.toContain('Quit');
  expect(right).toMatch(/│ Quit +│/);
  keys('y');
  await pair.result;
  expect((await pair.close())?.code).toBe('stopped');
  expect(pair.summary()).toHaveLength(1);
});

test('| asks for a second side, shows it, and closes the other one again', async () => {
  const sides: FakeBrowser[] = [];
  const side = (spec: string) => (own: BrowserSides) => {
    const complete = async () => ['photos:a', 'photos:b'];
    const fake = listedBrowser({ spec, sides: own }, { complete });
    sides.push(fake);
    return fake.model;
  };
  const pair = new PairModel([side('store:bucket')], side);
  await sides[0]?.settle();
  const press = async (text: string) => {
    for (const key of keysOfText(text)) pair.press(key);
    await sides[0]?.settle();
  };
  const { draw } = showScreen(pair, BrowserView, 'ncdu');
  const titles = () => halves(draw(WIDE)).map(([title]) => title);
  expect(draw(WIDE)[0]).toContain('store:bucket');
  await press('|\x0e');
  expect(draw(WIDE)).toContain('open: photos:');
  await press('\x0e');
  expect(draw(WIDE).join()).toContain('photos:a');
  await press('c\r');
  expect(titles()).toEqual(['store:bucket', 'photos:c']);
  expect(pair.state).toBe(1);
  await press('|');
  expect(draw(WIDE)[0]).toMatch(/^syncer ncdu {2}photos:c /);
});

test('a side that cannot be listed after the other one was closed ends the browser', async () => {
  const { pair, sides, keys, draw } = await openPair();
  keys('||/none\r|');
  expect(draw(WIDE)[0]).toMatch(/^syncer ncdu {2}\/none /);
  sides[2]?.scans[0]?.fail(new Error('no such directory'));
  await expect(pair.result).rejects.toThrow('no such directory');
  keys('jq');
});

test('a side with tasks is not closed; one that cannot be listed closes and says why', async () => {
  const { pair, left, right, sides, keys, draw } = await openPair();
  keys('py\t|');
  await left.settle();
  const status = () => draw(WIDE).at(-2);
  expect(status()).toBe('tasks are running: T shows them');
  left.transfers[0]?.done();
  await left.settle();
  keys('|');
  expect(draw(WIDE)[0]).toMatch(/^syncer ncdu {2}\/disk /);
  keys('|/none\r');
  expect(pair.state).toBe(1);
  sides[2]?.scans[0]?.fail(new Error('no such directory'));
  await right.settle();
  expect([pair.state, status()]).toEqual([0, 'no such directory']);
  keys('q');
  await pair.result;
  expect(await pair.close()).toBeUndefined();
  expect(pair.summary()).toHaveLength(1);
});
