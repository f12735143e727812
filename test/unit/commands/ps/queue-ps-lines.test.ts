import { expect, test } from 'vitest';
import { queueJson, queuePsLines } from '../../../../commands/ps/runs-of-queue.ts';
import { aQueueRun } from '../../../support/queue-snapshot.ts';

test('nothing, a run that goes on with its workers, and one that has ended', () => {
  expect(queuePsLines([])).toEqual(['No run is in the queue.']);
  const run = aQueueRun();
  const ended = { ...run.state, ended: { how: 'failed', atMs: 40_000 } } as const;
  const other = { ...run, spec: { ...run.spec, id: '1-abcd' }, state: ended };
  expect(`\n${queuePsLines([run, other]).join('\n')}\n`).toMatchInlineSnapshot(`
    "
    RUN   STATE             STARTED    DONE                            WORKERS  COMMAND
    7k3f  copying           1 min ago  400 files, 16 MiB, 2.861 MiB/s  2        sync lake:data copy:data
    abcd  failed 1 min ago  1 min ago  400 files, 16 MiB               -        sync lake:data copy:data

    WORKER          PID  RUN   SLOTS  RANGES  DONE              LAST SIGN
    node-3.example  99   7k3f  4      10      100 files, 4 MiB  1 s ago
    node-5          99   7k3f  4      10      100 files, 4 MiB  1 s ago
    node-7          99   7k3f  4      10      100 files, 4 MiB  lost 9 s ago: 2 ranges for others in 6 s
    "
  `);
});

test('a check has checked files', () => {
  const run = aQueueRun();
  const check = { ...run, spec: { ...run.spec, verb: 'check' as const } };
  expect(queuePsLines([check])[1]).toMatch(/checking .*4,800 files, 16 MiB/);
});

test('as JSON: counts of ranges, totals, and the state of each worker', () => {
  const { workers, ...run } = queueJson(aQueueRun());
  expect(run).toMatchInlineSnapshot(`
    {
      "attempt": 1,
      "begunMs": 0,
      "dest": "copy:data",
      "id": "20261122-220000-7k3f",
      "phase": "copying",
      "ranges": {
        "done": 1,
        "failed": 1,
        "held": 3,
        "open": 1,
      },
      "source": "lake:data",
      "totals": {
        "bytes": 16777216,
        "checks": 4800,
        "deletes": 0,
        "errors": 0,
        "files": 400,
        "ranges": 40,
        "rate": 3000000,
        "slots": 8,
        "totalBytes": 29360128,
        "totalFiles": 700,
        "workers": 2,
      },
      "verb": "sync",
    }
  `);
  expect(workers.map(({ host, state }) => [host, state])).toEqual([
    ['node-3.example', 'working'],
    ['node-5', 'working'],
    ['node-7', 'lost'],
    ['node-9', 'left'],
  ]);
  expect(workers[0]).not.toHaveProperty('hasLeft');
});
