import { SyncerError } from '../../core/errors.ts';
import { openQueue, type QueueConnection } from '../../queue/connect.ts';
import { queueAddress } from '../../queue/queue-address.ts';
import { isAlive, listRunSpecs, stopQueueRun } from '../../queue/queue-run.ts';
import type { RunSpec } from '../../queue/run-spec.ts';
import type { Invocation } from '../command.ts';
import { queueNetwork } from './queue-network.ts';
import { type QueueSnapshot, readSnapshot, snapshotLine, totalsOf } from './watch-run.ts';

/** `ps --queue`: the runs of a queue, and who works on them. */
export async function listQueue(invocation: Invocation): Promise<void> {
  const { flags, out } = invocation;
  await withQueue(invocation, async (queue) => {
    const specs = Object.values(await listRunSpecs(queue.redis)).map(specOf);
    const read = await Promise.all(specs.map((spec) => readSnapshot(queue, spec)));
    const runs = read.filter((run) => run !== undefined);
    const text = flags['ps-json']
      ? `${JSON.stringify(runs.map(asJson), undefined, 2)}\n`
      : runs.map((run) => `${runLines(run).join('\n')}\n`).join('');
    await out.write(text);
  });
}

/** `stop --queue`: ends a run on all its workers. Rejects with `vanished` if there is no such run. */
export async function stopInQueue(invocation: Invocation): Promise<void> {
  const { args, flags, out } = invocation;
  const [named = ''] = args;
  await withQueue(invocation, async (queue) => {
    const run = idOf(named, Object.keys(await listRunSpecs(queue.redis)));
    const isThere = await stopQueueRun(queue.redis, run, flags['stop-now'] ? 'now' : 'soft');
    if (!isThere) throw noRun(named);
    await out.write(`${run}: stops${flags['stop-now'] ? '' : ' after its current files'}\n`);
  });
}

/** A run is named by its id or the end of it. */
function idOf(named: string, ids: readonly string[]): string {
  const [found, ...more] = ids.filter((id) => named !== '' && id.endsWith(named));
  if (more.length > 0) throw new SyncerError('usage', `"${named}" is the end of several runs`);
  if (found === undefined) throw noRun(named);
  return found;
}

const noRun = (named: string) =>
  new SyncerError('vanished', `there is no run ${named} in the queue`, {
    advice: 'list them with: syncer ps --queue',
  });

async function withQueue(
  { flags, env, context }: Invocation,
  work: (queue: QueueConnection) => Promise<void>,
): Promise<void> {
  const address = queueAddress(flags.queue, env);
  const queue = await openQueue(address, await queueNetwork(flags), context.signal);
  try {
    await work(queue);
  } finally {
    await queue.close();
  }
}

/** Only shown: its signature matters to workers. */
function specOf(text: string): RunSpec {
  return (JSON.parse(text) as { readonly value: RunSpec }).value;
}

/** A run, and a line for each of its workers. */
function runLines(run: QueueSnapshot): readonly string[] {
  const { spec, workers, nowMs } = run;
  return [
    `${spec.id}  ${spec.verb} ${spec.source} -> ${spec.dest}  ${snapshotLine(run)}`,
    ...workers
      .filter(({ hasLeft }) => hasLeft !== true)
      .map((sign) => {
        const { host, pid, slots, counts, atMs } = sign;
        const ago = Math.max(0, Math.round((nowMs - atMs) / 1000));
        const work = `${slots} slots, ${counts.ranges} ranges, ${counts.files} files`;
        return isAlive(sign, nowMs)
          ? `  ${host} ${pid}  ${work}`
          : `  ${host} ${pid}  lost ${ago} s ago; its ranges go to other workers`;
      }),
  ];
}

function asJson(run: QueueSnapshot) {
  const { spec, state, ledger, workers } = run;
  const states = ['open', 'held', 'done', 'failed'] as const;
  const ranges = Object.fromEntries(
    states.map((wanted) => [wanted, ledger.ranges.filter(({ state: is }) => is === wanted).length]),
  );
  const { id, verb, source, dest } = spec;
  return { id, verb, source, dest, ...state, ranges, totals: totalsOf(run), workers };
}
