import { createHash } from 'node:crypto';
import { stateDir } from '../../config/config-path.ts';
import { defined } from '../../core/defined.ts';
import { hasCode, SyncerError } from '../../core/errors.ts';
import type { Remote } from '../../core/remote.ts';
import type { SyncPlan } from '../../engine/file-work.ts';
import type { Attempt, RunSetup } from '../../engine/run.ts';
import { isBucket } from '../../engine/without-bucket.ts';
import type { Filter } from '../../filter/filter.ts';
import type { Invocation } from '../../shell/command-line/command.ts';
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
import { attemptRanges } from './attempt-ranges.ts';
import { Ledger } from './ledger.ts';
import { type LedgerRecord, MemoryRanges, NEW_RANGE, type RangeRecord } from './range-record.ts';

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

/** An older checkpoint is not used: too much may have changed in its finished ranges. */
const LONGEST_MS = 7 * 86_400_000;

/** Names of a range: some 20 pages, so that a killed run loses little, and 100 million objects are 5,000 ranges. */
const NAMES_A_RANGE = 20_000;

/** Ranges at the same time. */
const SLOTS = 4;

/** Flags of copies that do not change which files are copied. */
const LIMITS: readonly string[] = [
  ...['max-duration', 'cutoff-mode', 'max-delete', 'max-delete-size', 'guard', 'allow-deletes'],
  'allow-bucket-deletes',
];

/**
 * Opens the checkpoint of a command, for the attempts of its run; `end`: the run succeeded, and the next one starts from
 * the first name. Rejects with `usage` if the run cannot be done in ranges.
 */
export async function openCheckpoint(invocation: Invocation, setup: RunSetup, plan: SyncPlan) {
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
  const ranges = new MemoryRanges(found === undefined ? undefined : ledgerOf(found));
  const begunMs = found?.begunMs ?? nowMs;
  if (found !== undefined) tellContinued(invocation, ranges.record, found.begunMs);
  const save = async () => {
    if (!isOurs) return;
    const ledger = JSON.stringify(saved(ranges.record));
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
  const read = ranges.map(({ isDone, ...range }) => {
    return { ...NEW_RANGE, ...range, state: isDone ? ('done' as const) : ('open' as const) };
  });
  return { phase, ranges: read };
}

function saved({ phase, ranges }: LedgerRecord): SavedLedger {
  const read = ranges.map(({ after, last, state, files, extra }) => {
    return { ...defined({ after, last }), isDone: state === 'done', files, extra };
  });
  return { phase, ranges: read };
}

/** The same for runs that copy and delete the same files: places, and flags of filters, copies and deletions. */
function runKey(flags: Flags, filter: Filter, { verb, source, dest }: SyncPlan): string {
  const deciding = Object.entries(FLAGS).filter(
    ([key, { group }]) =>
      (group === 'copy' || group === 'sync' || group === 'filter') && !LIMITS.includes(key),
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
  if (found === undefined || nowMs - found.begunMs > LONGEST_MS || nowMs < found.begunMs)
    return undefined;
  try {
    await dest.can.listTreePage?.('', undefined, { signal }, { most: 1 });
    return found;
  } catch (thrown) {
    if (hasCode(thrown, 'directory-not-found', 'bucket-not-found')) return undefined;
    throw thrown;
  }
}

function tellContinued({ context }: Invocation, ledger: LedgerRecord, begunMs: number): void {
  const done = ledger.ranges.filter(({ state }) => state === 'done');
  if (done.length === 0) return;
  const files = done.reduce((sum, range) => sum + range.files, 0);
  const since = new Date(begunMs).toISOString().slice(0, 19).replace('T', ' ');
  const text = `Continuing the run of ${since} UTC: ${done.length} of ${ledger.ranges.length} ranges are done (${files} files), which are not listed again`;
  context.emit(logText('notice', text));
}
