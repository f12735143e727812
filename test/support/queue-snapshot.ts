import type { WorkerSign } from '../../src/run/queue/queue-run.ts';
import type { QueueSnapshot } from '../../src/run/queue/watch-run.ts';

/** A worker that has done 100 files in 10 ranges. */
export function aWorker(host: string, more: Partial<WorkerSign> = {}): WorkerSign {
  return {
    ...{ id: host, host, pid: 99, version: '1', slots: 4, atMs: 99_000 },
    counts: {
      ...{ files: 100, bytes: 4 * 1024 ** 2, totalFiles: 250, totalBytes: 10 * 1024 ** 2 },
      ...{ checks: 1_200, deletes: 0, errors: 0, ranges: 10, rate: 1_500_000 },
    },
    ...more,
  };
}

/** A run after 100 seconds: two workers, and one that was lost 9 seconds ago with two ranges. */
export function aQueueRun(): QueueSnapshot {
  const range = { files: 1_000, extra: 0 };
  return {
    spec: { id: '20261122-220000-7k3f', verb: 'sync', source: 'lake:data', dest: 'copy:data' },
    state: { phase: 'copying', attempt: 1, begunMs: 0 },
    ledger: {
      phase: 'copying',
      ranges: [
        { ...range, last: 'a', state: 'done', extra: 20 },
        { ...range, after: 'a', last: 'b', state: 'held', owner: 'node-7' },
        { ...range, after: 'b', last: 'c', state: 'held', owner: 'node-7' },
        { ...range, after: 'c', last: 'd', state: 'held', owner: 'node-3' },
        { ...range, after: 'd', last: 'e', state: 'failed' },
        { ...range, after: 'e', state: 'open' },
      ],
    },
    workers: [
      aWorker('node-3.example'),
      aWorker('node-5'),
      aWorker('node-7', { atMs: 91_000 }),
      aWorker('node-9', { hasLeft: true }),
    ],
    nowMs: 100_000,
  };
}
