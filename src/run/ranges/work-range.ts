import { watchingAbort } from '../../core/context.ts';
import { SyncerError } from '../../core/errors.ts';
import type { SyncerEvent } from '../../core/events.ts';
import type { FileEntry } from '../../core/remote.ts';
import { attemptCheck, type CheckRequest } from '../../engine/check.ts';
import type { SyncRequest } from '../../engine/file-work.ts';
import type { ListedRange } from '../../engine/in-range.ts';
import type { SyncOptions } from '../../engine/pass.ts';
import type { Attempt, RunSetup } from '../../engine/run.ts';
import { attemptSync } from '../../engine/sync.ts';
import { checkPool } from '../../engine/task-pool.ts';
import { transferPools } from '../../engine/transfer-queue.ts';
import { middleName } from '../../names/middle-name.ts';
import type { HeldRange, Phase, RangeRecord } from './ledger.ts';

/** How a range is worked on. */
export interface RangeRules {
  /** A range ends after about this many names, or `MS_A_RANGE`; what follows is another one. */
  readonly namesARange: number;
  /** The holder has reached further, or the range is cut. */
  onBatch?(): void;
  /** A file that only the destination has, while nothing is deleted. */
  onExtra?(file: FileEntry): void;
}

/** A range that takes longer ends early, in milliseconds: of what is finished nothing is done again. */
const MS_A_RANGE = 5_000;

/**
 * One range of a run: the engine, over both listings of the range. What is to be deleted is counted in the phase
 * `copying` and deleted in `deleting`. Differences of a check are emitted when the range has ended: those of a range that
 * another holder has by now never. Does not reject because of what the engine finds, only if the ledger cannot be
 * reached. It became `lost` if another holder has it, `left` if the run was ended by a person or a signal.
 */
export async function workRange(
  setup: RunSetup,
  task: RangeTask,
  held: HeldRange,
  { namesARange, onBatch, onExtra }: RangeRules,
) {
  const { context, control } = setup;
  const { clock } = context;
  const untilMs = clock.monotonic() + MS_A_RANGE;
  /** Ends the work on it: with the run, or when another holder has the range. */
  const ends = new AbortController();
  let [isListed, isLost] = [false, false];
  let [names, extra, extraBytes, dest] = [0, 0, 0, 0];
  const range: ListedRange = {
    after: held.after,
    deletesLater: task.deletes,
    get last() {
      return held.last;
    },
    listed(side) {
      if (side === 'source') isListed = true;
    },
    async reaches(count, span) {
      const reached = await held.reach(span, isListed);
      if (reached === 'lost') {
        const error = new SyncerError('other', 'these names were given to another worker');
        isLost = true;
        ends.abort(error);
        throw error;
      }
      if (reached === 'ended') return false;
      names += count;
      if (held.isCareful || names >= namesARange || clock.monotonic() >= untilMs)
        await held.cut(span.last);
      onBatch?.();
      return true;
    },
    onDest(file, isExtra) {
      dest++;
      if (isExtra && held.phase === 'copying') onExtra?.(file);
    },
    onExtra(bytes) {
      extra++;
      extraBytes += Math.max(0, bytes);
    },
  };
  const end = async ({ error }: Attempt) => {
    if (isLost) return 'lost';
    // Without the last page of the source nothing shows that all of the range was looked at.
    if (error === undefined && isListed) {
      const files = task.deletes === 'source' ? extra : names - extra;
      const deleted = task.deletes && { extraBytes, dest };
      return (await held.done({ files, extra, ...deleted })) ? 'done' : 'lost';
    }
    const isEnded = context.signal.aborted || control?.stopping.aborted === true;
    const isOurs = isEnded ? await held.release() : await held.fail();
    if (!isOurs) return 'lost';
    return isEnded ? 'left' : 'failed';
  };
  const follow = () => ends.abort(context.signal.reason);
  if (context.signal.aborted) follow();
  /** Not more than `namesARange`. */
  const differences: SyncerEvent[] = [];
  const emit = (event: SyncerEvent) => {
    const isDifference =
      event.type === 'error'
        ? event.error.code === 'differences'
        : event.type === 'log' && event.code === 'differs';
    if (isDifference) differences.push(event);
    else context.emit(event);
  };
  return watchingAbort(context.signal, follow, async () => {
    const within = { ...setup, context: { ...context, signal: ends.signal, emit } };
    const attempt = await task.attempt(within, range, held.phase);
    const became = await end(attempt);
    // Otherwise another holder finds them again.
    if (became === 'done' || became === 'failed')
      for (const event of differences) context.emit(event);
    if (became !== 'lost') return { attempt, became };
    // What was found in a range that another one does again is no error of the run.
    const { transferred } = attempt;
    return { attempt: { error: undefined, errors: 0, worthRetrying: true, transferred }, became };
  });
}

/** What could be worked on at the same time, and is not. */
export interface IdleSlots {
  /** Slots without a range. */
  readonly slots: number;
  /** Workers without any range. */
  readonly workers: number;
}

/**
 * Batches of a range before an idle slot takes a part of what is not listed; how often a range is cut for others, besides
 * once for each of its batches; and of how many cuts the first is at a name that is listed: a guess may be where no
 * names are.
 */
const [BATCHES_BEFORE_CUT, FIRST_CUTS, GUESSES] = [6, 32, 4];

/**
 * Where ranges can be cut for idle slots, the one with most to do first. Listing is done by all slots: a range that lists
 * is cut about in the middle of the names that may follow. Slots of one worker share its transfers and checks, so that
 * those of a slow range would gain nothing: only workers without a range get a part.
 */
export function cutsFor(
  ranges: readonly RangeRecord[],
  idle: IdleSlots,
): { readonly range: RangeRecord; readonly point: string }[] {
  const listed = ({ points = [] }: RangeRecord) => points.length;
  return ranges
    .filter(({ state, isSlow }) => state === 'held' && idle[isSlow ? 'workers' : 'slots'] > 0)
    .sort((a, b) => listed(b) - listed(a) || (b.batches ?? 0) - (a.batches ?? 0))
    .flatMap((range, _, { length }) => {
      const { points = [], isListed = false, isSlow = false, batches = 0, cuts = 0 } = range;
      const parts = 1 + Math.ceil(idle.workers / length);
      const given = Math.max(1, Math.floor((points.length + 1) / parts));
      const atListed = points[points.length - given];
      const isLong = isSlow || batches >= BATCHES_BEFORE_CUT;
      const mayGuess = isLong && !isListed && cuts < FIRST_CUTS + batches;
      const { reached, last, seen } = range;
      const guessed =
        mayGuess && reached !== undefined ? middleName(reached, last, { seen }) : undefined;
      const point = cuts % GUESSES === 0 ? (atListed ?? guessed) : (guessed ?? atListed);
      return point === undefined ? [] : [{ range, point }];
    });
}

/** What is done with each range of a run. */
export interface RangeTask {
  /** What the phase `deleting` deletes: extra files, or those of the source; absent: there is no such phase. */
  readonly deletes?: 'extra' | 'source' | undefined;
  /** One range, in a phase. Does not reject: errors are in the result. */
  attempt(setup: RunSetup, range: ListedRange, phase: Phase): Promise<Attempt>;
  /** No range will come. */
  close?(): void;
}

/** Of the pools that ranges share: what waits is limited in each range. */
const UNLIMITED = Number.POSITIVE_INFINITY;

/**
 * A copy, sync or move in ranges, of which `slots` share `transfers` and `checkers`. A move copies, and deletes at the
 * source in the phase `deleting` what new listings of both sides show at the destination.
 */
export function syncTask(setup: RunSetup, plan: SyncRequest, slots: number): RangeTask {
  const { transfers, checkers, deletes } = plan.options;
  const shared = { transfers: shareOf(transfers, slots), checkers: shareOf(checkers, slots) };
  // More transfers of a range that wait could not be taken by other slots.
  const options = { ...plan.options, ...shared, fastList: true, maxBacklog: 8 };
  const isMove = plan.verb === 'move';
  const pools = {
    checks: checkPool(plan.options, setup, UNLIMITED),
    transfers: transferPools(plan.options, setup, UNLIMITED),
  };
  return {
    deletes: isMove ? 'source' : deletes === 'off' ? undefined : 'extra',
    attempt(ofRange, range, phase) {
      const attempt = (verb: SyncRequest['verb'], more: Partial<SyncOptions>) =>
        attemptSync(
          { ...ofRange, pools },
          { ...plan, verb, options: { ...options, ...more }, range },
        );
      if (phase !== 'deleting') return attempt(isMove ? 'copy' : plan.verb, { deletes: 'off' });
      // Files on both sides were compared while copying: another worker has not learned their times.
      return attempt(plan.verb, isMove ? {} : { ignoreExisting: true });
    },
    close() {
      pools.transfers.small.close();
      pools.transfers.large.close();
    },
  };
}

/**
 * A check in ranges, of which `slots` share the checkers. Its differences are the extra files of a range, and each range
 * is listed once.
 */
export function checkTask(setup: RunSetup, plan: CheckRequest, slots: number): RangeTask {
  const checkers = shareOf(plan.checkers, slots);
  const pools = { checks: checkPool(plan, setup, UNLIMITED) };
  return {
    attempt: (ofRange, range) => attemptCheck({ ...ofRange, pools }, { ...plan, checkers, range }),
  };
}

/** The share of one of several ranges at the same time. */
const shareOf = (count: number, slots: number): number => Math.max(1, Math.ceil(count / slots));
