import { hasCode, SyncerError } from '../../core/errors.ts';
import type { QueueConnection } from '../../queue/connect.ts';
import { lostRun, queueError } from '../../queue/queue-error.ts';
import { dropQueueRun, stopQueueRun } from '../../queue/queue-run.ts';
import type { RunSpec } from '../../queue/run-spec.ts';
import type { Invocation } from '../command.ts';
import { logText } from '../log/log-text.ts';
import {
  type DamagedRun,
  damagedRun,
  findQueueRun,
  queueRuns,
  withQueue,
} from './find-queue-run.ts';
import { queueJson, queuePsLines } from './queue-ps-lines.ts';
import { type QueueSnapshot, readSnapshot } from './watch-run.ts';

/** `ps --queue`: the runs of a queue, and who works on them. Rejects in the end if some cannot be read. */
export async function listQueue(invocation: Invocation): Promise<void> {
  const { flags, out, context } = invocation;
  await withQueue(invocation, async (queue) => {
    const { now, ended, damaged } = await readRuns(queue);
    const runs = [...now, ...ended];
    const lines = runs.length === 0 && damaged.length > 0 ? [] : queuePsLines(runs);
    const text = flags['ps-json']
      ? `${JSON.stringify(runs.map(queueJson), undefined, 2)}\n`
      : lines.map((line) => `${line}\n`).join('');
    await out.write(text);
    const last = damaged.pop();
    for (const { error } of damaged) context.emit(logText('error', error.message));
    if (last !== undefined) throw last.error;
  });
}

/**
 * `stop --queue`: ends a run on all its workers, and removes one that cannot be read. Rejects with `vanished` if there is
 * no such run, or it has ended.
 */
export async function stopInQueue(invocation: Invocation): Promise<void> {
  const { args, flags, out } = invocation;
  await withQueue(invocation, async (queue) => {
    const { now, ended, damaged } = await readRuns(queue);
    const ids = {
      now: [...now.map(({ spec }) => spec), ...damaged],
      ended: ended.map(({ spec }) => spec),
    };
    const { id } = findQueueRun<Pick<RunSpec, 'id'>>(args[0], ids);
    if (damaged.some((run) => run.id === id)) {
      await dropQueueRun(queue.redis, id);
      await out.write(`${id}: could not be read, and was removed\n`);
      return;
    }
    const isStopped = await stopQueueRun(queue.redis, id, flags['stop-now'] ? 'now' : 'soft');
    if (!isStopped) throw new SyncerError('vanished', `run ${id} has ended already`);
    await out.write(`${id}: stops${flags['stop-now'] ? '' : ' after its current files'}\n`);
  });
}

/** All runs of a queue as they are now; one that cannot be read hides no other one. */
async function readRuns(queue: QueueConnection) {
  const specs = await queueRuns(queue);
  const damaged: DamagedRun[] = [...specs.damaged];
  const read = async (spec: RunSpec, isOver: boolean): Promise<QueueSnapshot[]> => {
    let reason: SyncerError = lostRun(spec.id);
    try {
      const run = await readSnapshot(queue, spec);
      if (run !== undefined || isOver) return run === undefined ? [] : [run];
    } catch (thrown) {
      reason = queueError(thrown, queue.address);
      if (!hasCode(reason, 'other')) throw reason;
    }
    damaged.push(damagedRun(spec.id, reason));
    return [];
  };
  const [now, ended] = await Promise.all([
    Promise.all(specs.now.map((spec) => read(spec, false))),
    Promise.all(specs.ended.map((spec) => read(spec, true))),
  ]);
  return { now: now.flat(), ended: ended.flat(), damaged };
}
