import { expect, test } from 'vitest';
import { SyncerError } from '../../../../src/core/errors.ts';
import { progressJson } from '../../../../src/run/progress/run-statistics.ts';
import {
  progressLines,
  progressOneLine,
  type StatsStyle,
} from '../../../../src/shell/progress/progress-lines.ts';
import { applyEvent, ProgressState } from '../../../../src/shell/progress/progress-state.ts';

const style: StatsStyle = { unit: 'bytes', nameLength: 45, mostNamed: 20 };
const idle = { copied: 0, bytesAtTick: 0, ticks: 1, hashed: -1, hashedAtTick: -1, startedMs: 0 };
const stateOf = (change: Partial<ProgressState>): ProgressState => ({
  ...new ProgressState(0),
  ...change,
});

test('nothing done, as rclone prints it', () => {
  expect(progressLines(stateOf({}), 0, style)).toEqual([
    'Transferred:   \t          0 B / 0 B, -, 0 B/s, ETA -',
    'Elapsed time:         0.0s',
  ]);
});

test('a run that has ended is over in no time, or not at all', () => {
  const ended = (bytes: number) => {
    const state = stateOf({ bytes, queuedBytes: 900 - bytes, rate: 10, ticks: 3, hasEnded: true });
    return [
      progressLines(state, 0, style)[0]?.split(', ').at(-1),
      progressJson(state, 0, String)['eta'],
    ];
  };
  expect(ended(900)).toEqual(['ETA 0s', 0]);
  expect(ended(300)).toEqual(['ETA -', null]);
});

test('a whole block, as rclone prints it', () => {
  const state = stateOf({
    ...{ bytes: 2_000_003, queuedBytes: 2_000_000, rate: 1024 * 1024, ticks: 3 },
    ...{ transfers: 2, queuedTransfers: 1, checks: 1, queuedChecks: 2 },
    ...{
      deletedFiles: 1,
      deletedDirs: 2,
      deletedBytes: 2048,
      renames: 3,
      errors: 1,
      retryError: true,
    },
    ...{ listed: 11, serverCopies: 2, serverCopyBytes: 12, serverMoves: 1, serverMoveBytes: 2 },
    active: new Map([
      [1, { id: 1, kind: 'check', path: 'd/c', size: 5, bytes: 0, rate: 0, ...idle }],
      [
        2,
        {
          ...{ id: 2, kind: 'copy', path: 'd/a', ...idle },
          ...{ size: 300_000_000, bytes: 100_000_000, rate: 2_500_000 },
        },
      ],
      [3, { id: 3, kind: 'server-copy', path: 'd/s', size: 5, bytes: 0, rate: 0, ...idle }],
    ]),
  });
  expect(progressLines(state, 3_725_460, style)).toEqual([
    'Transferred:   \t    1.907 MiB / 194.550 MiB, 1%, 1 MiB/s, ETA 3m12s',
    'Errors:                 1 (retrying may help)',
    'Checks:                 1 / 3, 33%, Listed 11',
    'Deleted:                1 (files), 2 (dirs), 2 KiB (freed)',
    'Renamed:                3',
    'Transferred:            2 / 5, 40%',
    'Server Side Copies:     2 @ 12 B',
    'Server Side Moves:      1 @ 2 B',
    'Elapsed time:     1h2m5.4s',
    'Checking:',
    ` * ${'d/c'.padStart(45)}: checking`,
    'Transferring:',
    ` * ${'d/a'.padStart(45)}: 33% / 286.102 MiB, 2.384 MiB/s, 1m20s`,
    ` * ${'d/s'.padStart(45)}: transferring`,
  ]);
});

test.each([
  [{ fatalError: true, retryError: true }, ' (fatal error encountered)'],
  [{ retryError: true }, ' (retrying may help)'],
  [{}, ' (no need to retry)'],
])('errors say what they mean: %j', (flags, note) => {
  const lines = progressLines(stateOf({ errors: 12, ...flags }), 0, style);
  expect(lines[1]).toBe(`Errors:                12${note}`);
});

test('of many transfers some are named and the others counted', () => {
  const ids = Array.from({ length: 30 }, (_, id) => id);
  const active = new Map(
    ids.map((id) => [
      id,
      { id, kind: 'copy' as const, path: `f${id}`, size: 0, bytes: 0, rate: 0, ...idle },
    ]),
  );
  const lines = progressLines(stateOf({ active }), 0, { ...style, nameLength: 0 }).slice(-22);
  expect(lines[0]).toBe('Transferring:');
  expect(lines.slice(1, 21).map((line) => /f\d+/.exec(line)?.[0])).toEqual(
    ids.slice(0, 20).map((id) => `f${id}`),
  );
  expect(lines[21]).toBe(' * and 10 more');
});

test('long names are cut in the middle, by characters', () => {
  const path = `${'é'.repeat(10)}${'😀'.repeat(10)}`;
  const active = new Map([
    [1, { id: 1, kind: 'copy' as const, path, size: 0, bytes: 0, rate: 0, ...idle }],
  ]);
  const short = progressLines(stateOf({ active }), 0, { ...style, nameLength: 10 }).at(-1);
  expect(short).toBe(' * ééééé…😀😀😀😀:  0% / 0 B, 0 B/s, -');
  const whole = progressLines(stateOf({ active }), 0, { ...style, nameLength: 0 }).at(-1);
  expect(whole).toBe(` * ${path}:  0% / 0 B, 0 B/s, -`);
});

test.each([
  [400, '0.4s'],
  [59_990, '59.9s'],
  [60_000, '1m0.0s'],
  [3_600_000, '1h0m0.0s'],
  [90_000_000, '25h0m0.0s'],
])('%i ms are %s', (ms, text) => {
  expect(progressLines(stateOf({}), ms, style).at(-1)).toBe(`Elapsed time:  ${text.padStart(11)}`);
});

test('one line', () => {
  const state = stateOf({ bytes: 1024, queuedBytes: 1024, rate: 512, ticks: 1 });
  expect(progressOneLine(state, 0, style)).toBe('        1 KiB / 2 KiB, 50%, 512 B/s, ETA 2s');
  const busy = stateOf({ transfers: 1, queuedTransfers: 4, checks: 2, queuedChecks: 3 });
  expect(progressOneLine(busy, 0, { ...style, unit: 'bits' })).toBe(
    '          0 B / 0 B, -, 0 bit/s, ETA - (xfr#1/5, chk#2/5)',
  );
});

test('JSON has what rclone puts under stats', () => {
  const lastError = new SyncerError('network', 'no connection');
  const state = stateOf({
    bytes: 10,
    transfers: 1,
    errors: 1,
    lastError,
    retryError: true,
    ticks: 1,
  });
  expect(progressJson(state, 1500, String)).toEqual({
    ...{ bytes: 10, checks: 0, deletedDirs: 0, deletes: 0, elapsedTime: 1.5, errors: 1, eta: null },
    ...{ fatalError: false, lastError: 'no connection', renames: 0, retryError: true, speed: 0 },
    ...{ totalBytes: 10, totalChecks: 0, totalTransfers: 1, transfers: 1, listed: 0 },
    ...{ serverSideCopies: 0, serverSideCopyBytes: 0, serverSideMoves: 0, serverSideMoveBytes: 0 },
    transferTime: 0,
  });
});

test('JSON has the sides and speed of each transfer, and for how long something was transferred', () => {
  const state = new ProgressState(0);
  const at = (ms: number) => ({ monotonic: () => ms });
  const hide = (text: string) => text.replace('secret', '***');
  applyEvent(state, { type: 'sides', source: 'a/secret', dest: 'shelf:b' }, at(500));
  const start = { type: 'transfer-start', kind: 'copy', size: 4000 } as const;
  applyEvent(state, { ...start, id: 1, path: 'x' }, at(1000));
  applyEvent(state, { ...start, id: 2, path: 'y' }, at(2000));
  applyEvent(state, { type: 'transfer-bytes', id: 2, bytes: 1000 }, at(3000));
  applyEvent(state, { type: 'transfer-end', id: 1 }, at(3000));
  const transferring = { dstFs: 'shelf:b', srcFs: 'a/***', group: 'global_stats', name: 'y' };
  expect(progressJson(state, 4000, hide)).toMatchObject({
    transferTime: 3,
    transferring: [{ ...transferring, speed: 500, speedAvg: 0, percentage: 25 }],
  });
  applyEvent(state, { type: 'transfer-end', id: 2 }, at(5000));
  expect(progressJson(state, 9000, hide)).toMatchObject({ transferTime: 4, elapsedTime: 9 });
});
