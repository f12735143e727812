import { SyncerError, toSyncerError } from '../../core/errors.ts';
import { formatSize } from '../../go/byte-size.ts';
import type { QueueConnection } from '../../queue/connect.ts';
import { persistent } from '../../queue/persistent.ts';
import {
  isAlive,
  type QueueRunState,
  type RunEnding,
  readQueueErrors,
  readRunState,
  readWorkers,
  type WorkerSign,
} from '../../queue/queue-run.ts';
import { RangesInRedis } from '../../queue/ranges-in-redis.ts';
import type { RunSpec } from '../../queue/run-spec.ts';
import type { LedgerRecord } from '../../ranges/range-record.ts';
import type { Invocation } from '../command.ts';
import { logText } from '../log/log-text.ts';

/** A run of a queue as it is now. */
export interface QueueSnapshot {
  readonly spec: Pick<RunSpec, 'id' | 'verb' | 'source' | 'dest'>;
  readonly state: QueueRunState;
  readonly ledger: LedgerRecord;
  readonly workers: readonly WorkerSign[];
  /** The time of the server. */
  readonly nowMs: number;
}

/** `undefined` if the server does not know the run. */
export async function readSnapshot(
  { redis }: Pick<QueueConnection, 'redis'>,
  spec: QueueSnapshot['spec'],
): Promise<QueueSnapshot | undefined> {
  const state = await readRunState(redis, spec.id);
  if (state === undefined) return undefined;
  const ranges = new RangesInRedis(redis, spec.id, (command) => command());
  const [ledger, { workers, nowMs }] = await Promise.all([
    ranges.read(),
    readWorkers(redis, spec.id),
  ]);
  return { spec, state, ledger, workers, nowMs };
}

/** What all workers together have done. */
export function totalsOf({ workers, nowMs }: Pick<QueueSnapshot, 'workers' | 'nowMs'>) {
  const sum = (of: (sign: WorkerSign) => number) =>
    workers.reduce((total, sign) => total + of(sign), 0);
  const alive = workers.filter((sign) => isAlive(sign, nowMs));
  return {
    ...{ workers: alive.length, slots: alive.reduce((total, { slots }) => total + slots, 0) },
    files: sum(({ counts }) => counts.files),
    bytes: sum(({ counts }) => counts.bytes),
    checks: sum(({ counts }) => counts.checks),
    deletes: sum(({ counts }) => counts.deletes),
    rate: alive.reduce((total, { counts }) => total + counts.rate, 0),
  };
}

/** One line about a run. */
export function snapshotLine(snapshot: QueueSnapshot): string {
  const { state, ledger } = snapshot;
  const { files, bytes, checks, deletes, rate, workers } = totalsOf(snapshot);
  const count = (wanted: string) => ledger.ranges.filter((range) => range.state === wanted).length;
  const failed = count('failed');
  const extra = ledger.ranges.reduce((sum, range) => sum + range.extra, 0);
  return [
    `${state.phase}: ranges ${count('done')} done, ${count('held')} running, ${count('open')} waiting${failed > 0 ? `, ${failed} failed` : ''}`,
    `files ${checks} checked, ${files} transferred (${formatSize(bytes)}), ${deletes} deleted of ${extra} extra`,
    `${formatSize(rate)}/s with ${workers} ${workers === 1 ? 'worker' : 'workers'}`,
  ].join('; ');
}

/** A run that is watched by the command that began it. */
export interface WatchedRun {
  /** Resolves when the run has ended. Rejects if the queue is away for long or has lost the run. */
  readonly ending: Promise<RunEnding>;
  /** Stops watching; what all workers have done, and the last error of one of them. */
  end(): Promise<{ readonly files: number; readonly lastError?: SyncerError }>;
}

/** How often the run is looked at, in milliseconds. */
const LOOK_MS = 500;

/** Logs what others find and how far the run is, until it has ended. */
export function watchRun(
  { context, flags }: Invocation,
  queue: QueueConnection,
  spec: RunSpec,
  ownId: string,
  signal: AbortSignal,
): WatchedRun {
  const { clock, emit } = context;
  const over = AbortSignal.any([signal, context.signal]);
  const persist = persistent(queue.address, clock, over);
  let after = '0-0';
  let lastError: SyncerError | undefined;
  const errors = async () => {
    const found = await readQueueErrors(queue.redis, spec.id, after);
    after = found.after;
    for (const { worker, host, code, message, path } of found.errors) {
      lastError = new SyncerError(code, message, path === undefined ? {} : { path });
      // Errors of this process are in its log already.
      if (worker !== ownId) emit(logText('error', `${host}: ${message}`, path));
    }
  };
  let told = clock.monotonic();
  const ending = (async () => {
    for (;;) {
      await persist(errors);
      const seen = await persist(() => readSnapshot(queue, spec));
      if (seen === undefined) {
        throw new SyncerError('unreachable', `the queue has lost run ${spec.id}`, {
          advice: 'nothing is deleted any more; run the same command again',
        });
      }
      if (seen.state.ended !== undefined) return seen.state.ended;
      if (flags.stats > 0 && clock.monotonic() - told >= flags.stats) {
        told = clock.monotonic();
        emit(logText('notice', `Run ${spec.id} ${snapshotLine(seen)}`));
      }
      await clock.sleep(LOOK_MS, over);
    }
  })();
  ending.catch(() => {});
  return {
    ending,
    async end() {
      await errors().catch((thrown) => {
        lastError ??= toSyncerError(thrown);
      });
      const { workers, nowMs } = await readWorkers(queue.redis, spec.id);
      const { files } = totalsOf({ workers, nowMs });
      return { files, ...(lastError === undefined ? {} : { lastError }) };
    },
  };
}
