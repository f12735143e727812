import { expect, test } from 'vitest';
import { formatGuards, parseGuards } from '../../../../src/run/guards/guard-list.ts';

test.each([
  ['on', 'empty,percent=50,count=1000,same-device,swapped'],
  ['off', 'off'],
  ['on,marker,percent=20', 'empty,percent=20,count=1000,same-device,marker,swapped'],
  ['on,off,home', 'home'],
  [' empty , marker=a/.here ,count=0', 'empty,count=0,marker=a/.here'],
  ['percent=0.5', 'percent=0.5'],
])('%s is %s', (text, canonical) => {
  expect(formatGuards(parseGuards(text))).toBe(canonical);
  expect(parseGuards(canonical)).toEqual(parseGuards(text));
});

test.each([
  '',
  'On',
  'percent',
  'percent=',
  'percent=x',
  'count=1.5',
  'count=-1',
  'empty=1',
  'a b',
])('%j is refused', (text) => {
  expect(() => parseGuards(text)).toThrow('--guard');
});

test.each(['marker=../x', 'marker=/x', 'marker=a//b', 'marker=.'])('%s is refused', (text) => {
  expect(() => parseGuards(text)).toThrow('not a path below the source');
});
