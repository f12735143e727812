import fs from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import { KeptTimes } from '../../../../src/backends/local/local-disk.ts';

const SECOND = 1_000_000_000n;

afterEach(() => {
  vi.restoreAllMocks();
});

/** A disk that cuts all times. */
function disk(cut: bigint, ctimeNs: bigint, errorNs = 1n) {
  const kept = new KeptTimes(errorNs);
  const written = (modTime: bigint) => {
    const stats = {
      mtimeNs: modTime - (modTime % cut),
      ctimeNs: ctimeNs - (ctimeNs % cut),
      size: 1n,
    };
    const look = vi.spyOn(fs, 'lstatSync').mockReturnValue(stats as unknown as fs.Stats);
    look.mockClear();
    const entry = kept.written('a', '/d/a', 1, modTime);
    return { modTime: entry.modTime, looks: look.mock.calls.length };
  };
  return { written };
}

test.each([
  ['NTFS and SMB', 100n],
  ['exFAT', 10_000_000n],
  ['ext3', SECOND],
  ['FAT', 2n * SECOND],
])('%s: a time that it happens to keep does not show that it keeps others', (_disk, cut) => {
  const { written } = disk(cut, 1_700_000_000_123_456_789n);
  expect(written(2n * SECOND)).toEqual({ modTime: 2n * SECOND, looks: 1 });
  const fine = 4n * SECOND + 99n;
  expect(written(fine)).toEqual({ modTime: 4n * SECOND, looks: 1 });
});

test.each([
  ['a fine time of a change', 2n * SECOND, 1_700_000_000_123_456_789n],
  ['a fine time that was kept', 2n * SECOND + 1n, 2n * SECOND],
])('a disk that keeps times is not asked again: %s', (_how, first, ctimeNs) => {
  const { written } = disk(1n, ctimeNs);
  expect(written(first)).toEqual({ modTime: first, looks: 1 });
  expect(written(3n * SECOND + 5n)).toEqual({ modTime: 3n * SECOND + 5n, looks: 0 });
});

test('times that are set roughly are always looked at', () => {
  const { written } = disk(7n, 1_700_000_000_123_456_789n, 1000n);
  const kept = 2n * SECOND + 3n;
  expect(written(kept - (kept % 7n))).toMatchObject({ looks: 1 });
  expect(written(kept)).toEqual({ modTime: kept - (kept % 7n), looks: 1 });
  expect(disk(1007n, 0n, 1000n).written(2013n)).toMatchObject({ modTime: 2013n });
});
