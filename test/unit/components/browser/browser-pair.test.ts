import { expect, test } from 'vitest';
import type { BrowserSides } from '../../../../components/browser/browser.ts';
import { PairModel } from '../../../../components/browser/pair-model.ts';
import { keysOfText } from '../../../../src/terminal/key.ts';
import { UNICODE_GLYPHS } from '../../../../src/terminal/look.ts';
import { type FakeBrowser, fakeBrowser, listedBrowser } from '../../size-tree/fake-effects.ts';

const LOOK = { colour: false, glyphs: UNICODE_GLYPHS, plain: false };
const WIDE = { columns: 120, rows: 24 };
const NARROW = { columns: 80, rows: 24 };

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
  return { pair, left, right, sides, seen, keys };
}

test('both lists are side by side, and Tab moves the cursor; narrow, one is there', async () => {
  const { pair, keys } = await openPair();
  const marks = () => {
    const { lines, paneList = [], pane } = pair.frame(WIDE, LOOK);
    return [
      ...[lines, paneList].map((all) => all.findIndex(({ selected }) => selected)),
      pane?.length,
    ];
  };
  expect(marks()).toEqual([1, -1, 4]);
  keys('\tj');
  expect(marks()).toEqual([-1, 2, 4]);
  const { subject, aside, pane } = pair.frame(NARROW, LOOK);
  expect([subject, aside, pane]).toEqual(['/disk', 'right  by size down', undefined]);
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
  let seen = '';
  for (const key of keysOfText('yiqYpyT')) {
    pair.press(key);
    await left.settle();
    seen += JSON.stringify([pair.frame(WIDE, LOOK), pair.frame(NARROW, LOOK)]);
  }
  expect(seen).not.toContain('SECRET');
  expect(seen).toContain('to :s3,key=REDACTED:b');
  expect(left.copied).toEqual([':s3,key=SECRET:a/big']);
  expect(left.transfers[0]?.request.dest).toBe(':s3,key=SECRET:b');
});

test('q asks for tasks of both sides, and ends both', async () => {
  const { pair, keys } = await openPair();
  keys('py\tq');
  expect(
    pair
      .frame(WIDE, LOOK)
      .box?.flat()
      .map(({ text }) => text),
  ).toContain('quit?');
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
  const titles = () => {
    const { lines, paneList } = pair.frame(WIDE, LOOK);
    return paneList && [lines, paneList].map((all) => all[0]?.line[0]?.text);
  };
  expect(titles()).toBeUndefined();
  await press('|\x0e');
  expect(pair.frame(WIDE, LOOK).field?.edited.text).toBe('photos:');
  await press('\x0e');
  expect(JSON.stringify(pair.frame(WIDE, LOOK).lines)).toContain('photos:a');
  await press('c\r');
  expect(titles()).toEqual(['store:bucket', 'photos:c']);
  expect(pair.state).toBe(1);
  await press('|');
  expect([titles(), pair.frame(WIDE, LOOK).subject]).toEqual([undefined, 'photos:c']);
});

test('a side with tasks is not closed; one that cannot be listed closes and says why', async () => {
  const { pair, left, right, sides, keys } = await openPair();
  keys('py\t|');
  await left.settle();
  const status = () =>
    pair
      .frame(WIDE, LOOK)
      .status?.map(({ text }) => text)
      .join('');
  expect(status()).toBe('tasks run on the other side: Tab, then T shows them');
  left.transfers[0]?.done();
  await left.settle();
  keys('|');
  expect(pair.frame(WIDE, LOOK).subject).toBe('/disk');
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
