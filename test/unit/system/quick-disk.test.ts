import { expect, test } from 'vitest';
import { QuickDisk } from '../../../src/system/quick-disk.ts';

test('a disk that was slow is left to other threads for a while', () => {
  let now = 0;
  const disk = new QuickDisk({ monotonic: () => now });
  const taking = (ms: number) => () => {
    now += ms;
    return ms;
  };
  expect([disk.isQuick, disk.run(taking(4)), disk.isQuick]).toEqual([true, 4, true]);
  expect([disk.run(taking(30)), disk.isQuick]).toEqual([30, false]);
  now += 999;
  expect(disk.isQuick).toBe(false);
  now += 1;
  expect(disk.isQuick).toBe(true);
  const fails = () => {
    now += 30;
    throw new Error('full');
  };
  expect(() => disk.run(fails)).toThrow('full');
  expect(disk.isQuick).toBe(false);
});
