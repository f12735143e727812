import { describe, expect, test } from 'vitest';
import { isDescribed, isYoung, settled } from '../../../../src/caches/times/known-time.ts';
import { learnFromDetails, learnFromWrite } from '../../../../src/caches/times/mod-time-index.ts';
import { modTimeFromMs } from '../../../../src/core/mod-time.ts';
import type { FileEntry } from '../../../../src/core/remote.ts';

const LATER = 60_000;

/** An entry; times in milliseconds. */
function entry(times: { storedMs?: number; toldMs?: number; modMs?: number } = {}): FileEntry {
  const { storedMs, toldMs, modMs = 1 } = times;
  return {
    kind: 'file',
    path: 'dir/name',
    size: 3,
    etag: 'etag',
    modTime: modTimeFromMs(modMs),
    ...(storedMs === undefined ? {} : { storedTime: modTimeFromMs(storedMs) }),
    ...(toldMs === undefined ? {} : { toldAt: modTimeFromMs(toldMs) }),
  };
}

/** Whether a listing with this LastModified is completed, when the monotonic clock shows `nowMs`. */
function covers(
  learned: ReturnType<typeof learnFromWrite>,
  storedMs: number,
  nowMs = LATER,
): boolean {
  const known = learned === undefined ? undefined : settled(learned, nowMs);
  return known !== undefined && isDescribed(known, entry({ storedMs }));
}

describe('an answer to HEAD', () => {
  test('tells of objects written two seconds before', () => {
    const covered = (storedMs: number, toldMs: number) =>
      covers(learnFromDetails(entry({ storedMs, toldMs }), undefined), storedMs);
    expect(covered(10_000, 12_000)).toBe(true);
    expect(covered(10_000, 11_000)).toBe(false);
    expect(covered(10_000, 10_000)).toBe(false);
    expect(covered(10_000, 9000)).toBe(false);
  });

  test('covers what listings tell more exactly, but not what would be too young', () => {
    const old = learnFromDetails(entry({ storedMs: 10_000, toldMs: 20_000 }), undefined);
    expect(covers(old, 10_999)).toBe(true);
    expect(covers(old, 11_000)).toBe(false);
    expect(covers(old, 9999)).toBe(false);
    const young = learnFromDetails(entry({ storedMs: 10_000, toldMs: 12_000 }), undefined);
    expect(covers(young, 10_000)).toBe(true);
    expect(covers(young, 10_001)).toBe(false);
  });

  test('is of the object that was listed where both agree', () => {
    const details = entry({ storedMs: 10_000, toldMs: 20_000 });
    const exact = learnFromDetails(details, entry({ storedMs: 10_250 }));
    expect(covers(exact, 10_250)).toBe(true);
    expect(covers(exact, 10_251)).toBe(false);
    const changedSince = learnFromDetails(details, entry({ storedMs: 8250 }));
    expect(covers(changedSince, 8250)).toBe(false);
    expect(covers(changedSince, 10_700)).toBe(true);
  });

  test('teaches nothing where something is missing', () => {
    const details = entry({ storedMs: 10_000, toldMs: 20_000 });
    const { modTime: _time, ...timeless } = details;
    const { etag: _etag, ...untagged } = details;
    expect(learnFromDetails(details, undefined)).toBeDefined();
    for (const lacking of [
      timeless,
      untagged,
      { ...details, etag: '' },
      { ...details, size: -1 },
      entry({ storedMs: 10_000 }),
      entry({ toldMs: 20_000 }),
    ]) {
      expect(learnFromDetails(lacking, undefined)).toBeUndefined();
    }
  });

  test('keeps an MD5 that is not the ETag', () => {
    const details = entry({ storedMs: 10_000, toldMs: 20_000 });
    const md5Of = (md5: string) =>
      learnFromDetails({ ...details, hashes: { md5 } }, undefined)?.known.md5;
    expect(md5Of('0f')).toBe('0f');
    expect(md5Of('etag')).toBeUndefined();
  });
});

describe('a write', () => {
  // It took 300 ms by our clock, whatever that shows, and was answered in second 20 of the store's.
  const learned = learnFromWrite(entry({ toldMs: 20_000 }), 500, 800);

  test('happened between its begin and its answer', () => {
    expect(covers(learned, 18_999)).toBe(false);
    expect(covers(learned, 19_000)).toBe(true);
    expect(covers(learned, 20_999)).toBe(true);
    expect(covers(learned, 21_300)).toBe(false);
  });

  test('is known from two seconds later on', () => {
    expect(covers(learned, 20_000, 800)).toBe(false);
    expect(covers(learned, 20_000, 2799)).toBe(false);
    expect(covers(learned, 20_000, 2800)).toBe(true);
    expect(covers(learned, 20_500, 3299)).toBe(false);
    expect(covers(learned, 20_500, 3300)).toBe(true);
  });

  test('is worth waiting for until then', () => {
    expect(learned && isYoung(learned, 3000)).toBe(true);
    expect(learned && isYoung(learned, 5000)).toBe(false);
  });

  test('teaches nothing without the time of the answer', () => {
    expect(learnFromWrite(entry({ storedMs: 10_000 }), 0, 10)).toBeUndefined();
  });
});

test('nothing describes a file whose listing lacks ETag or LastModified', () => {
  const known = learnFromDetails(entry({ storedMs: 10_000, toldMs: 20_000 }), undefined)?.known;
  const listed = entry({ storedMs: 10_000 });
  const { etag: _etag, ...untagged } = listed;
  expect(known && isDescribed(known, listed)).toBe(true);
  expect(known && isDescribed(known, untagged)).toBe(false);
  expect(known && isDescribed(known, entry())).toBe(false);
  expect(known && isDescribed({ ...known, etag: '' }, { ...listed, etag: '' })).toBe(false);
  expect(known && isDescribed(known, { ...listed, size: 4 })).toBe(false);
  expect(known && isDescribed(known, { ...listed, etag: 'other' })).toBe(false);
});
