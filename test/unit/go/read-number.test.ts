import { expect, test } from 'vitest';
import { readBool, readFloat, readInt } from '../../../src/go/read-number.ts';

test.each([
  ['0', 0],
  ['-0', 0],
  ['42', 42],
  ['+5', 5],
  ['-1', -1],
  ['0x1F', 31],
  ['0b101', 5],
  ['0o17', 15],
  ['010', 8],
  ['1_000', 1000],
  ['0x_ff', 255],
  [' 3', 3],
  ['3\t', 3],
  ['9007199254740991', Number.MAX_SAFE_INTEGER],
])('readInt(%j) is %j', (text, value) => {
  expect(readInt(text)).toBe(value);
});

test.each([
  '',
  '-',
  'x',
  '1.5',
  '1__0',
  '_1',
  '1_',
  '09',
  '0x',
  '1 2',
  '- 1',
  ' ',
  '1e3',
  '1k',
  '９',
])('readInt(%j) throws', (text) => {
  expect(() => readInt(text)).toThrow('not a whole number');
});

test('a number that is too large to be exact is refused', () => {
  expect(() => readInt('9007199254740992')).toThrow('out of range');
});

test('readBool takes what Go takes', () => {
  expect(['1', 't', 'T', 'TRUE', 'true', 'True'].map(readBool)).not.toContain(false);
  expect(['0', 'f', 'F', 'FALSE', 'false', 'False'].map(readBool)).not.toContain(true);
  for (const text of ['', 'yes', 'tRue', 'on', '2']) expect(() => readBool(text)).toThrow('true');
});

test('readFloat takes what Go takes', () => {
  expect(['1', '-2.5', '.5', '1e3', '+inf', '-Infinity', ' 4 '].map(readFloat)).toEqual([
    1,
    -2.5,
    0.5,
    1000,
    Infinity,
    -Infinity,
    4,
  ]);
  for (const text of ['', 'x', '1,5', '1 2']) expect(() => readFloat(text)).toThrow('not a number');
});
