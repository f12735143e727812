import { SyncerError } from '../../core/errors.ts';
import { openQueue, type QueueConnection } from '../../queue/connect.ts';
import { queueAddress } from '../../queue/queue-address.ts';
import { queueEntry } from '../../queue/queue-entry.ts';
import { listEndedSpecs, listRunSpecs } from '../../queue/queue-run.ts';
import { RUNS_KEY } from '../../queue/run-keys.ts';
import type { RunSpec } from '../../queue/run-spec.ts';
import type { Invocation } from '../command.ts';
import { queueNetwork } from './queue-network.ts';

/** Works with the queue of `--queue`, or at the address `given`, and closes it. */
export async function withQueue<T>(
  { flags, env, context }: Invocation,
  work: (queue: QueueConnection) => Promise<T>,
  given = flags.queue,
): Promise<T> {
  const address = queueAddress(given, env);
  const queue = await openQueue(address, await queueNetwork(flags), context.signal);
  try {
    return await work(queue);
  } finally {
    await queue.close();
  }
}

/** The runs of a queue. */
export interface QueueRuns<Run extends Pick<RunSpec, 'id'> = RunSpec> {
  readonly now: readonly Run[];
  /** Those that have ended within the last day, the last one first. */
  readonly ended: readonly Run[];
}

/** What the runs of a queue do, to be shown: their signatures matter to workers. */
export async function queueRuns({ redis }: Pick<QueueConnection, 'redis'>): Promise<QueueRuns> {
  const [now, ended] = await Promise.all([listRunSpecs(redis), listEndedSpecs(redis)]);
  return { now: Object.values(now).map(specOf), ended: Object.values(ended).map(specOf) };
}

const specOf = (text: string) => queueEntry<{ readonly value: RunSpec }>(text, RUNS_KEY).value;

/**
 * The run that a user names by its id or the end of it; without a name, the only one that goes on.
 *
 * @throws vanished if there is none
 * @throws usage if it could be several
 */
export function findQueueRun<Run extends Pick<RunSpec, 'id'>>(
  named: string | undefined,
  { now, ended }: QueueRuns<Run>,
): Run {
  const runs =
    named === undefined ? now : [...now, ...ended].filter(({ id }) => named && id.endsWith(named));
  const [found, ...more] = runs;
  const advice = 'list them with: syncer ps --queue';
  if (found === undefined) {
    const what = named === undefined ? 'no run goes on' : `there is no run ${named}`;
    throw new SyncerError('vanished', `${what} in the queue`, { advice });
  }
  if (more.length === 0) return found;
  const what = named === undefined ? 'several runs go on' : `"${named}" is the end of several runs`;
  throw new SyncerError('usage', `${what} in the queue`, { advice });
}
