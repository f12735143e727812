import { createHash, randomBytes } from 'node:crypto';
import { stateDir } from '../../config/config-path.ts';
import { defined } from '../../core/defined.ts';
import { hasCode, SyncerError, toSyncerError } from '../../core/errors.ts';
import type { FileEntry, Remote } from '../../core/remote.ts';
import type { SyncRequest } from '../../engine/file-work.ts';
import type { Attempt, RunSetup } from '../../engine/run.ts';
import type { DeleteCheck, DeleteTotals } from '../../engine/sync-option-parts.ts';
import { isBucket } from '../../engine/without-bucket.ts';
import type { Filter } from '../../filter/filter.ts';
import type { CommandCall, Environment } from '../../shell/command-line/command.ts';
import { cannotUse } from '../../shell/flags/exclusions.ts';
import { FLAGS, type Flags } from '../../shell/flags/flag-table.ts';
import { logText } from '../../shell/log/log-text.ts';
import {
  endCheckpoint,
  type SavedCheckpoint,
  saveCheckpoint,
  takeCheckpoint,
} from '../../state/checkpoints.ts';
import { ownMark } from '../../system/owner-state.ts';
import { placeKey } from '../guards/guard-records.ts';
import {
  type HeldRange,
  Ledger,
  type LedgerRecord,
  MemoryRanges,
  NEW_RANGE,
  phaseAfter,
  type RangeRecord,
} from './ledger.ts';
import { cutsFor, type RangeRules, type RangeTask, syncTask, workRange } from './work-range.ts';

/**
 * The ledger in a checkpoint. Who held a range has ended with its process. The sizes of its extra files are not kept:
 * `deleteBudget` counts what a run deletes; nor are the files of the destination, which only guards need.
 */
interface SavedLedger {
  readonly phase: LedgerRecord['phase'];
  readonly ranges: readonly (Pick<RangeRecord, 'after' | 'last' | 'files' | 'extra'> & {
    readonly isDone: boolean;
  })[];
}

/** Names of a range: some 20 pages, so that a killed run loses little, and 100 million objects are 5,000 ranges. */
const NAMES_A_RANGE = 20_000;

/** Ranges at the same time. */
const SLOTS = 4;

/**
 * Opens the checkpoint of a command, for the attempts of its run; `end`: the run succeeded, and the next one starts from
 * the first name. Rejects with `usage` if the run cannot be done in ranges.
 */
export async function openCheckpoint(
  invocation: CommandCall & Environment,
  setup: RunSetup,
  plan: SyncRequest,
) {
  const { flags, env, context, stores } = invocation;
  const unfit = [plan.source, plan.dest].find((remote) => !isBucket(remote));
  if (unfit !== undefined)
    throw cannotUse('--checkpoint', unfit.title, 'it is no bucket whose names come in order');
  if (stateDir(env) === undefined) {
    const why = 'this user has no home directory for it';
    throw new SyncerError('usage', `--checkpoint: ${why}; set HOME or XDG_STATE_HOME`);
  }
  const [state, key, mark] = [await stores.state(), runKey(flags, setup.filter, plan), ownMark()];
  const nowMs = context.clock.now();
  const { checkDeletes, deletes } = plan.options;
  // Guards decide by what is there now, also in ranges that are done.
  const isGuarded = checkDeletes !== undefined && deletes !== 'off';
  const taken = await state.write(() => takeCheckpoint(state, key, mark), context.signal);
  let { isOurs } = taken;
  const tellTaken = () => {
    const why = 'Another run of the same command has the checkpoint';
    context.emit(logText('notice', `${why}: this one does all, and records nothing`));
  };
  if (!isOurs) tellTaken();
  const found = isGuarded ? undefined : await usable(taken.found, plan.dest, nowMs, setup);
  const ranges = new MemoryRanges(found && ledgerOf(found));
  const begunMs = found?.begunMs ?? nowMs;
  const { ranges: all } = ranges.record;
  const done = all.filter(({ state }) => state === 'done');
  if (done.length > 0) {
    const files = done.reduce((sum, range) => sum + range.files, 0);
    const since = new Date(begunMs).toISOString().slice(0, 19).replace('T', ' ');
    const text = `Continuing the run of ${since} UTC: ${done.length} of ${all.length} ranges are done (${files} files), which are not listed again`;
    context.emit(logText('notice', text));
  }
  const save = async () => {
    if (!isOurs) return;
    const { phase, ranges: now } = ranges.record;
    const kept: SavedLedger['ranges'] = now.map(({ after, last, state, files, extra }) => {
      return { ...defined({ after, last }), isDone: state === 'done', files, extra };
    });
    const ledger = JSON.stringify({ phase, ranges: kept });
    const isSaved = await state.write(() => saveCheckpoint(state, key, mark, { begunMs, ledger }));
    if (!isSaved && isOurs) tellTaken();
    isOurs &&= isSaved;
  };
  const { transfers, adapts } = plan.options;
  const slots = adapts?.transfers === true ? SLOTS : Math.min(SLOTS, transfers);
  const rules = { slots, namesARange: NAMES_A_RANGE, save };
  const end = () => state.write(() => endCheckpoint(state, key, mark));
  return {
    async attempt(): Promise<Attempt> {
      const attempt = await attemptRanges(setup, plan, new Ledger(ranges), rules);
      // With a source that was corrected the next run has other numbers.
      if (hasCode(attempt.error, 'guarded')) await end();
      return attempt;
    },
    end,
  };
}

function ledgerOf({ ledger }: SavedCheckpoint): LedgerRecord {
  const { phase, ranges } = JSON.parse(ledger) as SavedLedger;
  const read = ranges.map(({ isDone, ...range }): RangeRecord => {
    return { ...NEW_RANGE, ...range, state: isDone ? 'done' : 'open' };
  });
  return { phase, ranges: read };
}

/** The same for runs that copy and delete the same files: places, and flags of filters, copies and deletions. */
function runKey(flags: Flags, filter: Filter, { verb, source, dest }: SyncRequest): string {
  // These do not change which files are copied.
  const limits = [
    ...['max-duration', 'cutoff-mode', 'max-delete', 'max-delete-size', 'guard', 'allow-deletes'],
    'allow-bucket-deletes',
  ];
  const deciding = Object.entries(FLAGS).filter(
    ([key, { group }]) => ['copy', 'sync', 'filter'].includes(group) && !limits.includes(key),
  );
  const values = deciding.map(([key]) => [key, flags[key as keyof Flags]]);
  // Ages are described by the time of the run.
  const described = filter.describe();
  const rules = described.slice(described.indexOf('---'));
  const key = JSON.stringify([verb, placeKey(source), placeKey(dest), values, rules]);
  return createHash('sha256').update(key).digest('hex').slice(0, 24);
}

/** What is finished is not listed again: its destination must still be there. */
async function usable(
  found: SavedCheckpoint | undefined,
  dest: Remote,
  nowMs: number,
  { context: { signal } }: RunSetup,
): Promise<SavedCheckpoint | undefined> {
  // In the finished ranges of an older one too much may have changed.
  const longestMs = 7 * 86_400_000;
  if (found === undefined || nowMs - found.begunMs > longestMs || nowMs < found.begunMs)
    return undefined;
  try {
    await dest.can.listTreePage?.('', undefined, { signal }, { most: 1 });
    return found;
  } catch (thrown) {
    if (hasCode(thrown, 'directory-not-found', 'bucket-not-found')) return undefined;
    throw thrown;
  }
}

/** How all ranges of a run are worked on. */
export interface SlotRules extends RangeRules {
  /** Ranges at the same time. They share `transfers` and `checkers` of the plan. */
  readonly slots: number;
  /** Called after each change that a later run can build on. */
  save(): Promise<void>;
}

/**
 * One attempt at a copy or sync, range by range of a ledger: every range is a run of the engine over both listings of
 * the range. Extra files are counted while copying, and deleted when every range is copied, from new listings of the
 * ranges that have some. Does not reject: errors are in the result.
 */
export async function attemptRanges(
  setup: RunSetup,
  plan: SyncRequest,
  ledger: Ledger,
  rules: SlotRules,
): Promise<Attempt> {
  const attempts: Attempt[] = [];
  const hasFailed = () => attempts.some(({ error }) => error !== undefined);
  const deletes = plan.options.deletes !== 'off';
  const leave = setup.control?.enter();
  const many = { ...setup, ids: { last: 0 } };
  const { checkDeletes } = plan.options;
  const check = checkDeletes && deletes ? extraCheck(checkDeletes) : undefined;
  const ofRange = check && { checkDeletes: check.ofRange };
  const checked = { ...plan, options: { ...plan.options, ...ofRange } };
  const task = syncTask(setup, checked, rules.slots);
  const noting = { ...rules, ...(check && { onExtra: check.note }) };
  try {
    await ledger.reopen();
    const early = check?.refusal(await ledger.read());
    if (early !== undefined) return together(attempts, early);
    for (let goesOn = true; goesOn; ) {
      await workPhase(many, task, ledger, noting, attempts);
      const record = await ledger.read();
      // As in a run that is one range.
      if (hasFailed() && deletes && record.phase === 'copying') {
        const told = { code: 'not-deleting', fields: { what: 'files' } } as const;
        setup.context.emit({ type: 'log', level: 'error', path: plan.dest.title, ...told });
      }
      if (hasFailed()) return together(attempts, undefined);
      const refusal = check?.refusal(record);
      if (refusal !== undefined) return together(attempts, refusal);
      goesOn = await ledger.nextPhase(deletes);
      if (goesOn) await rules.save();
    }
    return together(attempts, await whyUnfinished(setup, ledger));
  } catch (thrown) {
    return together(attempts, toSyncerError(thrown));
  } finally {
    task.close?.();
    leave?.();
  }
}

/** Why a run without errors has ranges left; `undefined` if it has none. */
async function whyUnfinished(
  { context, control }: RunSetup,
  ledger: Ledger,
): Promise<SyncerError | undefined> {
  if ((await ledger.read()).phase === 'done') return undefined;
  const stopped = [context.signal, control?.stopping].find((signal) => signal?.aborted === true);
  if (stopped !== undefined) return toSyncerError(stopped.reason);
  return new SyncerError('other', 'some ranges of names were not listed to their end', {
    advice: 'run the same command again',
  });
}

/** Works on the ranges of one phase, in all slots. */
async function workPhase(
  setup: RunSetup,
  task: RangeTask,
  ledger: Ledger,
  rules: SlotRules,
  attempts: Attempt[],
): Promise<void> {
  const running = new Set<HeldRange>();
  let claiming = 0;
  let wake = Promise.withResolvers<void>();
  const onBatch = () => {
    wake.resolve();
    wake = Promise.withResolvers();
  };
  const isOver = () => {
    const { context, control } = setup;
    if (context.signal.aborted || control?.stopping.aborted === true) return true;
    return attempts.some(({ error }) => error?.stop === true);
  };
  const cutOne = async () => {
    const held = [...running];
    const records = held.map(({ record }) => record);
    const idle = { slots: rules.slots - held.length, workers: 0 };
    for (const { range, point } of cutsFor(records, idle)) {
      const cut = held.find(({ after }) => after === range.after)?.cut(point);
      if ((await cut) === true) return true;
    }
    return false;
  };
  const claim = async () => {
    const token = randomBytes(16).toString('hex');
    const held = await ledger.claim(token);
    return held === undefined && (await cutOne()) ? ledger.claim(token) : held;
  };
  const work = async (held: HeldRange) => {
    const { attempt, became } = await workRange(setup, task, held, { ...rules, onBatch });
    attempts.push(attempt);
    if (became === 'done') await rules.save();
    running.delete(held);
    onBatch();
  };
  const slot = async () => {
    while (!isOver()) {
      const woken = wake.promise;
      claiming++;
      const held = await claim();
      if (held !== undefined) running.add(held);
      claiming--;
      if (held !== undefined) await work(held);
      else if (running.size === 0 && claiming === 0) return onBatch();
      else await woken;
    }
  };
  await Promise.all(Array.from({ length: rules.slots }, slot));
}

function together(attempts: readonly Attempt[], unfinished: SyncerError | undefined): Attempt {
  const failed = attempts.filter(({ error }) => error !== undefined);
  const deciding = failed.find(({ error }) => error?.stop === true) ?? failed.at(-1);
  return {
    error: deciding?.error ?? unfinished,
    errors: attempts.reduce((sum, { errors }) => sum + errors, unfinished === undefined ? 0 : 1),
    worthRetrying:
      deciding?.error?.stop !== true && failed.some(({ worthRetrying }) => worthRetrying),
    transferred: attempts.reduce((sum, { transferred }) => sum + transferred, 0),
  };
}

/** The check before the first deletion (`SyncOptions.checkDeletes`), with the numbers of all ranges. */
export function extraCheck(check: DeleteCheck) {
  const examples: FileEntry[] = [];
  let counted = { dest: 0, extra: 0 };
  let found = { source: 0, extra: 0 };
  return {
    /** Notes an extra file while nothing is deleted. */
    note(file: FileEntry): void {
      // An error names a few.
      if (examples.length < 6) examples.push(file);
    },
    /** Why the deletions, which are next in a ledger, must not begin; `undefined` if they may, or are not next. */
    refusal(record: LedgerRecord): SyncerError | undefined {
      if (record.phase !== 'deleting' && phaseAfter(record, true)?.phase !== 'deleting')
        return undefined;
      const sum = (of: 'files' | 'dest' | 'extra') =>
        record.ranges.reduce((total, { [of]: count = 0 }) => total + count, 0);
      counted = { dest: sum('dest'), extra: sum('extra') };
      const { dest: destFiles, extra } = counted;
      return check({ sourceFiles: sum('files'), destFiles, extra, examples });
    },
    /** The check before the deletions of one range: all together may be more than were counted before. */
    ofRange(totals: DeleteTotals): SyncerError | undefined {
      found = { source: found.source + totals.sourceFiles, extra: found.extra + totals.extra };
      const { source: sourceFiles, extra } = found;
      if (extra <= counted.extra) return undefined;
      const destFiles = Math.max(counted.dest, extra);
      return check({ sourceFiles, destFiles, extra, examples: totals.examples, isLate: true });
    },
  };
}
