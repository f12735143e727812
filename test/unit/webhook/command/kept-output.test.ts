import { expect, test } from 'vitest';
import { KeptOutput } from '../../../../src/webhook/command/run-command.ts';

test.each([
  [0, ''],
  [5, 'abcde'],
  [7, 'abcdefg'],
  [Number.POSITIVE_INFINITY, 'abcdefg'],
])('of seven bytes at most %d are kept', (max, expected) => {
  const kept = new KeptOutput(max);
  for (const piece of ['ab', 'cdef', 'g']) kept.push(Buffer.from(piece));
  expect(kept.bytes().toString()).toBe(expected);
  expect(kept.written).toBe(7);
});
