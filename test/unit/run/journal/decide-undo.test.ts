import { expect, test } from 'vitest';
import { decideUndo } from '../../../../src/run/journal/decide-undo.ts';

const change = {
  n: 1,
  place: 0,
  do: 'create',
  path: 'a',
  new: { size: 3, time: '2024-01-01T10:00:01.123456789Z' },
} as const;
const then = BigInt(Date.parse('2024-01-01T10:00:01Z')) * 1_000_000n;

test.each([
  ['the time to the second', then, true, 'delete'],
  ['the time to 2 seconds', then - 1_000_000_000n, true, 'delete'],
  ['a later time', then + 3_000_000_000n, true, 'leave'],
  ['a time with a fraction', then + 1n, true, 'leave'],
  ['the time to the second on a server', then, false, 'leave'],
])('a file of an interrupted run whose result is missing: %s', (_what, modTime, onDisk, wanted) => {
  const now = { kind: 'file', path: 'a', size: 3, modTime } as const;
  expect(decideUndo(change, { now, windowNs: 1n, onDisk }, false).do).toBe(wanted);
});

test.each([
  ['failed, and there is nothing', { ok: false }, undefined, 'nothing'],
  ['was done, and there is nothing', { ok: true }, undefined, 'leave'],
  ['was done, and others have created it again', { ok: true }, 'dir', 'leave'],
  ['has no result, and it is there', undefined, 'dir', 'nothing'],
] as const)('a directory whose purge %s', (_what, done, kind, wanted) => {
  const purge = { n: 1, place: 0, do: 'delete', path: 'd', dir: true } as const;
  const now = kind && ({ kind, path: 'd' } as const);
  const found = { now, windowNs: 1n, onDisk: true };
  expect(decideUndo({ ...purge, ...(done && { done }) }, found, false).do).toBe(wanted);
});

test.each([
  ['the same object again', 'e', then, 'nothing'],
  ['other content', 'f', then, 'leave'],
  ['the same content with another time', 'e', then + 3_000_000_000n, 'leave'],
])('a replaced file that is not kept, by %s', (_what, etag, modTime, wanted) => {
  const time = '2024-01-01T10:00:01Z';
  const left = { size: 3, time: modTime === then ? time : '2024-01-01T10:00:04Z', etag };
  const old = { size: 3, time, etag: 'e' };
  const replaced = { n: 1, place: 0, do: 'replace', path: 'a', old, new: left } as const;
  const now = { kind: 'file', path: 'a', size: 3, modTime, etag } as const;
  const found = { now, windowNs: 1n, onDisk: false };
  const done = { ok: true, new: left } as const;
  expect(decideUndo({ ...replaced, done }, found, false).do).toBe(wanted);
});
