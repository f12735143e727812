import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { CommandCall, Environment } from '../../shell/command-line/command.ts';
import { openQueue, type QueueConnection, queueNetwork } from './connect.ts';
import { type QueueAddress, queueAddress } from './queue-address.ts';
import { queueError } from './queue-error.ts';
import { listEndedSpecs, listRunSpecs, runEntry } from './queue-run.ts';
import type { RunSpec } from './run-spec.ts';

/** Works with the queue of `--queue`, or at the address `given`, and closes it. */
export async function withQueue<T>(
  { flags, env, context }: CommandCall & Environment,
  work: (queue: QueueConnection) => Promise<T>,
  given = flags.queue,
): Promise<T> {
  const address = queueAddress(given, env);
  const queue = await openQueue(address, await queueNetwork(flags), context.signal);
  try {
    return await work(queue);
  } catch (thrown) {
    throw inWords(thrown, address);
  } finally {
    await queue.close();
  }
}

export interface QueueRuns<Run extends Pick<RunSpec, 'id'> = RunSpec> {
  readonly now: readonly Run[];
  /** Those that have ended within the last day, the last one first. */
  readonly ended: readonly Run[];
  /** Those that cannot be read. */
  readonly damaged?: readonly DamagedRun[];
}

/** A run of a queue that cannot be read, and why. */
export interface DamagedRun {
  readonly id: string;
  readonly error: SyncerError;
}

/** What the runs of a queue do, to be shown: their signatures matter to workers. */
export async function queueRuns({
  redis,
}: Pick<QueueConnection, 'redis'>): Promise<Required<QueueRuns>> {
  const damaged: DamagedRun[] = [];
  const specsOf = (texts: Readonly<Record<string, string>>) =>
    Object.entries(texts).flatMap(([id, text]) => {
      try {
        const { value } = runEntry(text);
        if (value.id === id) return [value];
        throw new SyncerError('other', `it has the entry of run ${value.id}`);
      } catch (thrown) {
        damaged.push(damagedRun(id, thrown));
        return [];
      }
    });
  const [now, ended] = await Promise.all([listRunSpecs(redis), listEndedSpecs(redis)]);
  return { now: specsOf(now), ended: specsOf(ended), damaged };
}

/** A run with the reason why it cannot be read. */
export function damagedRun(id: string, thrown: unknown): DamagedRun {
  const { message } = toSyncerError(thrown);
  const advice = `remove it with: syncer stop ${id} --queue URL; then run its command again`;
  return { id, error: new SyncerError('other', `run ${id}: ${message}`, { advice }) };
}

/** An error of the connection in words: the server has refused a command, or has gone away. Others are unchanged. */
export function inWords(thrown: unknown, address: QueueAddress): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const { name, message } = thrown;
  const isOfQueue =
    /^(Reply|MaxRetriesPerRequest)Error$/.test(name) ||
    /^(Command timed out|Connection is closed)/.test(message);
  return isOfQueue ? queueError(thrown, address) : thrown;
}

/**
 * The run that a user names by its id or the end of it; without a name, the only one that goes on.
 *
 * @throws vanished if there is none
 * @throws usage if it could be several
 */
export function findQueueRun<Run extends Pick<RunSpec, 'id'>>(
  named: string | undefined,
  { now, ended, damaged = [] }: QueueRuns<Run>,
): Run {
  const unreadable = damaged.find(({ id }) => named && id.endsWith(named));
  if (unreadable !== undefined) throw unreadable.error;
  const runs =
    named === undefined ? now : [...now, ...ended].filter(({ id }) => named && id.endsWith(named));
  const [found, ...more] = runs;
  const advice = 'list them with: syncer ps --queue URL';
  if (found === undefined) {
    const what = named === undefined ? 'no run is in progress' : `there is no run ${named}`;
    throw new SyncerError('vanished', `${what} in the queue`, { advice });
  }
  if (more.length === 0) return found;
  const what =
    named === undefined ? 'several runs are in progress' : `"${named}" is the end of several runs`;
  throw new SyncerError('usage', `${what} in the queue`, { advice });
}
