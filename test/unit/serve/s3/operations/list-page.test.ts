import { expect, test } from 'vitest';
import {
  isGroup,
  type ListPosition,
  listPage,
  positionOf,
  tokenOf,
} from '../../../../../src/serve/s3/operations/list-objects.ts';
import { SortedKeys } from '../../../../../src/serve/s3/store/sorted-keys.ts';

const keys = new SortedKeys();
for (const key of ['a-b', 'a/1', 'a/2', 'a/b/1', 'a0', 'c', 'd/', 'd/x', '\uff5e', '😀'])
  keys.add(key);

/** All pages of a listing, one after the other. */
function pages(max: number, delimiter: string): string[][] {
  const all: string[][] = [];
  let position: ListPosition | undefined = { after: '', afterGroup: false };
  while (position !== undefined) {
    const page = listPage(keys, { prefix: '', delimiter, ...position }, max);
    all.push([...page.keys, ...page.prefixes.map((prefix) => `${prefix}*`)]);
    position = page.next && positionOf(tokenOf(page.next));
  }
  return all;
}

test('every key once, in UTF-8 order, whatever the size of the page', () => {
  const whole = pages(1000, '');
  expect(whole).toEqual([['a-b', 'a/1', 'a/2', 'a/b/1', 'a0', 'c', 'd/', 'd/x', '\uff5e', '😀']]);
  for (let max = 1; max <= 11; max++) expect(pages(max, '').flat()).toEqual(whole[0]);
});

test('every common prefix once, whatever the size of the page', () => {
  expect(pages(1000, '/')).toEqual([['a-b', 'a0', 'c', '\uff5e', '😀', 'a/*', 'd/*']]);
  expect(pages(1, '/').flat()).toEqual(['a-b', 'a/*', 'a0', 'c', 'd/*', '\uff5e', '😀']);
  expect(pages(2, '/')).toEqual([['a-b', 'a/*'], ['a0', 'c'], ['\uff5e', 'd/*'], ['😀']]);
});

test('a page of none is the last', () => {
  expect(listPage(keys, { prefix: '', delimiter: '', after: '', afterGroup: false }, 0)).toEqual({
    keys: [],
    prefixes: [],
  });
});

test('a full page that is the last says so', () => {
  const walk = { prefix: 'a/', delimiter: '', after: '', afterGroup: false };
  expect(listPage(keys, walk, 3).next).toBeUndefined();
  expect(listPage(keys, walk, 2).next).toEqual({ after: 'a/2', afterGroup: false });
});

test('a marker of version 1 that is a common prefix', () => {
  expect(isGroup('a/', '', '/')).toBe(true);
  expect(isGroup('x/a/', 'x/', '/')).toBe(true);
  expect(isGroup('a/b/', '', '/')).toBe(false);
  expect(isGroup('a', '', '/')).toBe(false);
  expect(isGroup('a/', '', '')).toBe(false);
});

test.each(['', 'x', 'bm90IGpzb24', Buffer.from('k1').toString('base64url')])(
  'no token: %j',
  (token) => expect(positionOf(token)).toBeUndefined(),
);

test('a token carries keys of any bytes', () => {
  const position = { after: 'a\udcff\n"😀', afterGroup: true };
  expect(positionOf(tokenOf(position))).toEqual(position);
});
