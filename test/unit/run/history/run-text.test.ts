import { expect, test } from 'vitest';
import { runEnd, runLine, runSum } from '../../../../src/run/history/run-text.ts';
import type { PastRun } from '../../../../src/state/runs.ts';

const run = (more: Partial<PastRun>): PastRun => ({
  id: '20261121-113012-7k3f',
  ...{ endedMs: 0, tookMs: 0, words: ['copy'], dir: '/', exit: 0, files: 0, bytes: 0 },
  ...{ checks: 0, deleted: 0, errors: 0 },
  ...more,
});

test.each<[Partial<PastRun>, string, string]>([
  [{}, 'done', 'nothing to do'],
  [{ exit: 1, errors: 1 }, 'failed', 'nothing was done'],
  [{ exit: 141, errors: 1 }, 'window or pipe closed', 'nothing was done'],
  [{ exit: 21, errors: 1 }, 'stopped by a guard', 'nothing was done'],
  [{ exit: 1, errors: 10_105 }, '10,105 errors', 'nothing was done'],
  [{ exit: 130 }, 'stopped', 'nothing was done'],
  [{ exit: 1, errors: 2, checks: 1200, deleted: 3 }, '2 errors', '1,200 checked, 3 deleted'],
  [{ files: 1000, bytes: 1024 }, 'done', '1,000 transferred, 1 KiB'],
  [
    { files: 1, bytes: 5120, copiedByServer: 2048, checks: 1 },
    'done',
    '1 transferred, 5 KiB, 2 KiB copied by the server, 1 checked',
  ],
  [{ resumedBytes: 2048, throttledMs: 65_000 }, 'done', '2 KiB resumed, throttled for 1 min 5 s'],
  [{ changes: 30 }, 'done', '30 changes'],
  [{ deleted: 3, changes: 5 }, 'done', '3 deleted'],
  [{ exit: 130, unknown: 2 }, 'stopped', '2 with unknown result'],
  [{ files: 1000, isTrial: true }, 'plan only', 'nothing applied'],
])('%j: %s, %s', (more, end, sum) => {
  expect([runEnd(run(more)), runSum(run(more))]).toEqual([end, sum]);
});

test.each([
  ['--progress --config=/c copy a b', 'syncer copy a b --progress --config=/c'],
  ['-P copy a b --exclude x', 'syncer copy a b --exclude x -P'],
  ['--transfers 4 copy a b', 'syncer --transfers 4 copy a b'],
  ['purge a', 'syncer purge a'],
])('a list shows %s with its command first', (words, line) => {
  expect(runLine({ words: words.split(' ') })).toBe(line);
});
