import { expect, test } from 'vitest';
import { foldName } from '../../../src/core/name-order.ts';

test.each([
  ['README.TXT', 'readme.txt'],
  ['ÀÉÎ', 'àéî'],
  ['ПРИВЕТ', 'привет'],
  ['ΟΔΟΣ', 'οδοσ'],
  ['ΟΔΟΣ.ΤΧΤ', 'οδοσ.τχτ'],
  ['雪☃', '雪☃'],
  ['\udc80A', '\udc80a'],
])('%s is %s', (name, folded) => {
  expect(foldName(name)).toBe(folded);
  expect(foldName(folded)).toBe(folded);
});
