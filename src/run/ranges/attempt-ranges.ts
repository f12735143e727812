import { randomBytes } from 'node:crypto';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { FileEntry } from '../../core/remote.ts';
import type { SyncPlan } from '../../engine/file-work.ts';
import type { Attempt, RunSetup } from '../../engine/run.ts';
import type { DeleteCheck, DeleteTotals } from '../../engine/sync-option-parts.ts';
import type { HeldRange, Ledger } from './ledger.ts';
import { type LedgerRecord, phaseAfter } from './range-record.ts';
import { cutsFor, type RangeRules, type RangeTask, syncTask, workRange } from './work-range.ts';

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
  plan: SyncPlan,
  ledger: Ledger,
  rules: SlotRules,
): Promise<Attempt> {
  const attempts: Attempt[] = [];
  const hasFailed = () => attempts.some(({ error }) => error !== undefined);
  const deletes = plan.options.deletes !== 'off';
  const leave = setup.control?.enter();
  const many = { ...setup, ids: { last: 0 } };
  const { checkDeletes } = plan.options;
  const check =
    checkDeletes && plan.options.deletes !== 'off' ? extraCheck(checkDeletes) : undefined;
  const ofRange = check && { checkDeletes: check.ofRange };
  const checked = { ...plan, options: { ...plan.options, ...ofRange } };
  const task = syncTask(setup, checked, rules.slots);
  const noting = { ...rules, ...(check && { onExtra: (file: FileEntry) => check.note(file) }) };
  try {
    await ledger.reopen();
    const early = check?.refusal(await ledger.read());
    if (early !== undefined) return together(attempts, early);
    for (let goesOn = true; goesOn; ) {
      await workPhase(many, task, ledger, noting, attempts);
      const { phase } = await ledger.read();
      // As in a run that is one range.
      if (hasFailed() && deletes && phase === 'copying') {
        const told = { code: 'not-deleting', fields: { what: 'files' } } as const;
        setup.context.emit({ type: 'log', level: 'error', path: plan.dest.title, ...told });
      }
      const refusal = hasFailed() ? undefined : check?.refusal(await ledger.read());
      if (refusal !== undefined) return together(attempts, refusal);
      goesOn = !hasFailed() && (await ledger.nextPhase(deletes));
      if (goesOn) await rules.save();
    }
    return together(attempts, hasFailed() ? undefined : await whyUnfinished(setup, ledger));
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

/** Extra files that an error can name. */
const EXAMPLES = 6;

/** The check before the first deletion (`SyncOptions.checkDeletes`), with the numbers of all ranges. */
export function extraCheck(check: DeleteCheck) {
  const examples: FileEntry[] = [];
  let counted = { dest: 0, extra: 0 };
  let found = { source: 0, extra: 0 };
  return {
    /** Notes an extra file while nothing is deleted. */
    note(file: FileEntry): void {
      if (examples.length < EXAMPLES) examples.push(file);
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
