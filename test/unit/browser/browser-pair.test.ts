import { expect, test } from 'vitest';
import { PairModel } from '../../../src/browser/pair-model.ts';
import { keysOfText } from '../../../src/screen/key.ts';
import { UNICODE_GLYPHS } from '../../../src/screen/look.ts';
import { type FakeBrowser, listedBrowser } from './fake-effects.ts';

const LOOK = { colour: false, glyphs: UNICODE_GLYPHS, plain: false };
const WIDE = { columns: 120, rows: 24 };
const NARROW = { columns: 80, rows: 24 };

async function openPair() {
  const seen: string[] = [];
  const lookAgain = async (_: number, name: string) => void seen.push(name);
  const sides: FakeBrowser[] = [];
  const side = (title: string) => (beside?: FakeBrowser['model']['beside']) => {
    const fake = listedBrowser({ title, ...(beside && { beside }) }, { lookAgain });
    sides.push(fake);
    return fake.model;
  };
  const pair = new PairModel(side('store:bucket'), side('/disk'));
  const [left, right] = sides as [FakeBrowser, FakeBrowser];
  await left.settle();
  const keys = (text: string) => {
    for (const key of keysOfText(text)) pair.press(key);
  };
  return { pair, left, right, seen, keys };
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
