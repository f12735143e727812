import { expect, test } from 'vitest';
import { inodeNumber } from '../../../../src/vfs/tree/tree.ts';

test('the number of a name is the same each time, and another in another directory', () => {
  expect(inodeNumber(1, 'a')).toBe(inodeNumber(1, 'a'));
  expect(inodeNumber(1, 'a')).not.toBe(inodeNumber(1, 'b'));
  expect(inodeNumber(1, 'a')).not.toBe(inodeNumber(2, 'a'));
  expect(inodeNumber(2 ** 40 + 1, 'a')).not.toBe(inodeNumber(2 ** 41 + 1, 'a'));
});

test('numbers are exact integers above those that have a meaning, and hardly ever meet', () => {
  const numbers = new Set<number>();
  for (let i = 0; i < 100_000; i++) {
    numbers.add(inodeNumber(1, `file ${i}`));
  }
  expect([...numbers].every((each) => Number.isSafeInteger(each) && each >= 1024)).toBe(true);
  expect(numbers.size).toBe(100_000);
});
