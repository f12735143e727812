import type { Context } from '../../core/context.ts';
import { SyncerError } from '../../core/errors.ts';
import { tooManyDeletes } from '../../engine/loss/budget.ts';
import { tooLong, tooMuch } from '../../engine/run-limits.ts';
import { formatSize } from '../../go/quantities.ts';
import type { LedgerRecord } from '../ranges/ledger.ts';
import type { QueueConnection } from './connect.ts';
import { lostRun, persistent } from './queue-error.ts';
import {
  COUNTS,
  ENDED_BY,
  isAlive,
  listenForNews,
  type QueueError,
  type QueueRunState,
  type RunEnding,
  readQueueErrors,
  readRunState,
  readWorkers,
  Waiting,
  type WorkerCounts,
  type WorkerSign,
} from './queue-run.ts';
import { rangesInRedis } from './ranges-in-redis.ts';
import type { RunSpec } from './run-spec.ts';

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
  const [ledger, signs] = await Promise.all([
    rangesInRedis(redis, spec.id, (command) => command()).read(),
    readWorkers(redis, spec.id),
  ]);
  return { spec, state, ledger, ...signs };
}

/** What all workers together have done. */
export function totalsOf({ workers, nowMs }: Pick<QueueSnapshot, 'workers' | 'nowMs'>) {
  const sum = (of: (sign: WorkerSign) => number) =>
    workers.reduce((total, sign) => total + of(sign), 0);
  const alive = workers.filter((sign) => isAlive(sign, nowMs));
  const found = (sign: WorkerSign, total: 'totalFiles' | 'totalBytes', done: 'files' | 'bytes') =>
    sign.counts[isAlive(sign, nowMs) ? total : done];
  return {
    workers: alive.length,
    slots: alive.reduce((total, { slots }) => total + slots, 0),
    ...(Object.fromEntries(
      COUNTS.map((of) => [of, sum(({ counts }) => counts[of])]),
    ) as WorkerCounts),
    // What a worker has found and not done is found again by others once it is gone.
    totalFiles: sum((sign) => found(sign, 'totalFiles', 'files')),
    totalBytes: sum((sign) => found(sign, 'totalBytes', 'bytes')),
    rate: alive.reduce((total, { counts }) => total + counts.rate, 0),
  };
}

/** Files that are deleted in the end, or the differences of a check. */
export const extraOf = (ledger: LedgerRecord | undefined): number =>
  ledger?.ranges.reduce((sum, range) => sum + range.extra, 0) ?? 0;

/** How many ranges are in each state. Finished neighbours may have become one. */
export function rangeStates({ ranges }: LedgerRecord) {
  const counts = { open: 0, held: 0, done: 0, failed: 0 };
  for (const { state } of ranges) counts[state]++;
  return counts;
}

/** What a run does now, in a word. */
export function phaseText({ spec, state }: Pick<QueueSnapshot, 'spec' | 'state'>): string {
  return spec.verb === 'check' && state.phase === 'copying' ? 'checking' : state.phase;
}

/** One line about a run. */
export function snapshotLine(snapshot: QueueSnapshot): string {
  const { ledger, state } = snapshot;
  const { files, bytes, checks, deletes, rate, workers, ranges } = totalsOf(snapshot);
  const { held, open, failed } = rangeStates(ledger);
  const speed = `${formatSize(rate)}/s with ${workers} ${workers === 1 ? 'worker' : 'workers'}`;
  return [
    `${phaseText(snapshot)}: ranges ${ranges} done, ${held} running, ${open} waiting${failed > 0 ? `, ${failed} failed` : ''}`,
    `files ${checks} checked, ${files} transferred (${formatSize(bytes)}), ${deletes} deleted`,
    ...(state.ended === undefined ? [speed] : []),
  ].join('; ');
}

/** Where a watched run is shown. */
export interface QueueRunDisplay {
  /** About once a second. */
  show(snapshot: QueueSnapshot): void;
  /** A worker has found an error. */
  fail(error: QueueError): void;
}

/** How often the run is looked at, and how long the last figures of its workers are waited for, in milliseconds. */
const [LOOK_MS, LAST_SIGNS_MS] = [1_000, 3_000];

/** Shows what workers find and how far the run is, until it has ended, or `ends` is aborted. */
export function watchRun(
  queue: QueueConnection,
  spec: QueueSnapshot['spec'],
  { clock, signal }: Context,
  display: QueueRunDisplay,
  ends: AbortSignal,
) {
  const over = AbortSignal.any([ends, signal]);
  const persist = persistent(queue.address, clock, over);
  const waiting = new Waiting();
  const wait = (ms: number) => waiting.wait(clock.sleep(ms, over));
  listenForNews(queue, spec.id, (news) => {
    if (news === 'state') waiting.end();
  });
  let after = '0-0';
  let lastError: SyncerError | undefined;
  let last: QueueSnapshot | undefined;
  const errors = async () => {
    for (;;) {
      const found = await readQueueErrors(queue.redis, spec.id, after);
      if (found.errors.length === 0) return;
      after = found.after;
      for (const error of found.errors) {
        lastError = errorOfWorker(error);
        display.fail(error);
      }
    }
  };
  const ending = (async () => {
    for (;;) {
      await persist(errors);
      last = await persist(() => readSnapshot(queue, spec));
      if (last === undefined) throw lostRun(spec.id);
      display.show(last);
      if (last.state.ended !== undefined) return last.state.ended;
      await wait(LOOK_MS);
    }
  })();
  ending.catch(() => {});
  return {
    /** Resolves when the run has ended. Rejects if the queue is away for long or has lost the run. */
    ending,
    /** What all workers have done, once the run has ended. */
    async end() {
      const until = clock.monotonic() + LAST_SIGNS_MS;
      const read = () => persist(() => readWorkers(queue.redis, spec.id));
      let signs = await read();
      const works = () => signs.workers.some((sign) => isAlive(sign, signs.nowMs));
      while (works() && clock.monotonic() < until) {
        await wait(LOOK_MS / 4);
        signs = await read();
      }
      await persist(errors);
      const final = (await persist(() => readSnapshot(queue, spec))) ?? last;
      if (final !== undefined) display.show({ ...final, ...signs });
      const { files } = totalsOf(signs);
      return { files, extra: extraOf(final?.ledger), lastError };
    },
  };
}

/** An error of a worker as an error of this process. */
export function errorOfWorker({ code, message, path }: QueueError): SyncerError {
  return new SyncerError(code, message, path === undefined ? {} : { path });
}

/**
 * The number of files that all workers of a run have transferred; throws the error that decides the exit code unless the
 * run has finished, and a check has found no differences.
 *
 * @param did what all workers have done: `extra` are the differences of a check
 */
export function resultOf(
  { how }: RunEnding,
  { id, verb }: Pick<RunSpec, 'id' | 'verb'>,
  did: Partial<Awaited<ReturnType<ReturnType<typeof watchRun>['end']>>> = {},
): number {
  const { files = 0, extra = 0, lastError } = did;
  switch (how) {
    case 'finished':
      if (verb === 'check' && extra > 0)
        throw new SyncerError('differences', `${extra} differences found`);
      return files;
    case 'too-many-deletes':
    case 'too-large-deletes':
      throw tooManyDeletes(ENDED_BY[how]);
    case 'too-much':
      throw tooMuch();
    case 'too-long':
      throw tooLong();
    case 'stopped':
      throw new SyncerError('stopped', `run ${id} was stopped`, {
        advice: 'run the same command again to continue',
      });
    case 'failed':
      if (lastError !== undefined) throw lastError;
      throw new SyncerError('other', `some ranges of names of run ${id} could not be finished`, {
        advice: 'run the same command again',
      });
  }
}
