import { listRunSpecs, stopQueueRun } from '../../queue/queue-run.ts';
import type { Invocation } from '../command.ts';
import { findQueueRun, queueRuns, withQueue } from './find-queue-run.ts';
import { queueJson, queuePsLines } from './queue-ps-lines.ts';
import { readSnapshot } from './watch-run.ts';

/** `ps --queue`: the runs of a queue, and who works on them. */
export async function listQueue(invocation: Invocation): Promise<void> {
  const { flags, out } = invocation;
  await withQueue(invocation, async (queue) => {
    const { now, ended } = await queueRuns(queue);
    const read = await Promise.all([...now, ...ended].map((spec) => readSnapshot(queue, spec)));
    const runs = read.filter((run) => run !== undefined);
    const text = flags['ps-json']
      ? `${JSON.stringify(runs.map(queueJson), undefined, 2)}\n`
      : queuePsLines(runs)
          .map((line) => `${line}\n`)
          .join('');
    await out.write(text);
  });
}

/** `stop --queue`: ends a run on all its workers. Rejects with `vanished` if there is no such run. */
export async function stopInQueue(invocation: Invocation): Promise<void> {
  const { args, flags, out } = invocation;
  await withQueue(invocation, async ({ redis }) => {
    const ids = Object.keys(await listRunSpecs(redis)).map((id) => ({ id }));
    const { id } = findQueueRun(args[0], { now: ids, ended: [] });
    // One that has ended by now needs no stop.
    await stopQueueRun(redis, id, flags['stop-now'] ? 'now' : 'soft');
    await out.write(`${id}: stops${flags['stop-now'] ? '' : ' after its current files'}\n`);
  });
}
