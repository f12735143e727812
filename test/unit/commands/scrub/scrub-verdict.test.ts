import { expect, test } from 'vitest';
import {
  judge,
  OldestFiles,
  parseScrubLimit,
  ScrubBudget,
} from '../../../../commands/scrub/scrub-files.ts';
import type { HashRecord } from '../../../../src/caches/hashes/hash-record.ts';

const A = { md5: 'a'.repeat(32) };
const B = { md5: 'b'.repeat(32) };
const readMs = Date.UTC(2026, 10, 20);
const record: HashRecord = {
  ...{ name: 'f', size: 5, modTime: 1n, changedAt: 2n, tag: '7' },
  ...{ hashes: A, readMs, runId: '' },
};

test('a file is suspect only if its content is another one in the same version', () => {
  expect(judge(undefined, record, A)).toEqual({ result: 'new' });
  expect(judge(record, record, A)).toEqual({ result: 'ok' });
  expect(judge(record, record, { sha1: 'c' })).toEqual({ result: 'new' });
  for (const version of [{ size: 6 }, { modTime: 9n }, { tag: '8' }])
    expect(judge(record, { ...record, ...version }, B)).toEqual({ result: 'changed' });
  expect(judge(record, record, B)).toMatchObject({
    result: 'suspect',
    reason: expect.stringContaining('size and times'),
  });
  expect(judge(record, { ...record, changedAt: 3n }, B)).toMatchObject({
    result: 'suspect',
    reason: expect.stringContaining('size and modification time'),
  });
  const onServer = { ...record, modTime: 0n, changedAt: 0n };
  expect(judge(onServer, onServer, B)).toMatchObject({
    reason: expect.stringContaining('ETag'),
  });
});

test('a file that was read within two seconds of its writing may have been written again', () => {
  const young = { ...record, modTime: BigInt(readMs - 1000) * 1_000_000n };
  expect(judge(young, young, B)).toEqual({ result: 'changed' });
  expect(judge(young, young, A)).toEqual({ result: 'ok' });
});

test('a budget is a size or a time', () => {
  expect(parseScrubLimit(undefined)).toEqual({});
  expect(parseScrubLimit('100G')).toEqual({ bytes: 100 * 1024 ** 3 });
  expect(parseScrubLimit('2M')).toEqual({ bytes: 2 * 1024 ** 2 });
  expect(parseScrubLimit('2h')).toEqual({ ms: 7_200_000 });
  expect(parseScrubLimit('1h30m')).toEqual({ ms: 5_400_000 });
  for (const text of ['', 'x', '-1G', 'off', '0', '1h30'])
    expect(() => parseScrubLimit(text)).toThrow('--budget');
});

test('a budget of time ends with it', () => {
  let now = 0;
  const budget = new ScrubBudget({ ms: 1000 }, () => now);
  expect(budget.take(1e12)).toBe(true);
  now = 1000;
  expect(budget.take(1)).toBe(false);
  expect(budget.isSpent).toBe(true);
});

test('the files that wait longest are kept, whatever their order', () => {
  const oldest = new OldestFiles<number>(3);
  for (const ms of [50, 40, 30, 20, 10, 60, 5, 70, 45])
    oldest.add({ file: ms, size: 0, verifiedMs: ms });
  expect(oldest.sorted().map(({ file }) => file)).toEqual([5, 10, 20]);
  expect(oldest.isCut).toBe(true);
});
