import { expect, test } from 'vitest';
import { SyncerError } from '../../../src/core/errors.ts';
import { refusesWell, refusesWellLater } from './hostile-text.ts';

test('planted faults are found: a crash, an error without words', async () => {
  const crash = () => {
    throw new TypeError('x is undefined');
  };
  const silent = () => {
    throw new SyncerError('usage', '');
  };
  expect(() => refusesWell(crash)).toThrow('x is undefined');
  expect(() => refusesWell(silent)).toThrow('without a message');
  await expect(refusesWellLater(async () => crash())).rejects.toThrow('x is undefined');
  expect(refusesWell(() => 1)).toBe(1);
  expect(
    refusesWell(() => {
      throw new SyncerError('usage', 'no');
    }),
  ).toBeUndefined();
});
