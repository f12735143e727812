import { createHash, hash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stateDir } from '../../config/config-path.ts';
import { hasCode, SyncerError } from '../../core/errors.ts';
import type { Remote } from '../../core/remote.ts';
import type { SyncPlan } from '../../engine/file-work.ts';
import type { Attempt, RunSetup } from '../../engine/run.ts';
import { makeFolder } from '../../files/make-folder.ts';
import { readRegularFile } from '../../files/read-whole.ts';
import { deleteLeftTexts, replaceText } from '../../files/replace-text.ts';
import type { Filter } from '../../filter/filter.ts';
import { attemptRanges } from '../../ranges/attempt-ranges.ts';
import { Ledger } from '../../ranges/ledger.ts';
import {
  countsOf,
  coversAllNames,
  type LedgerRecord,
  NEW_RANGE,
  type RangeRecord,
} from '../../ranges/range-record.ts';
import { MemoryRanges } from '../../ranges/range-store.ts';
import type { Invocation } from '../command.ts';
import { cannotUse } from '../flags/exclusions.ts';
import { FLAGS, type Flags } from '../flags/flag-table.ts';
import { placeKey } from '../guards/guard-records.ts';
import { logText } from '../log/log-text.ts';

/** A file of a checkpoint. */
interface CheckpointFile {
  readonly version: 1;
  /** See `runKey`: the record of another run is never used. */
  readonly key: string;
  /** When the run began that made it, in milliseconds since the epoch. */
  readonly begunMs: number;
  /** Of the ledger: a changed digit is a number, too. */
  readonly sum: string;
  readonly ledger: {
    readonly phase: LedgerRecord['phase'];
    readonly ranges: readonly SavedRange[];
  };
}

/**
 * A range in a checkpoint. Who held it has ended with its process. The sizes of its extra files are not kept:
 * `deleteBudget` counts what a run deletes; nor are the files of the destination, which only guards need.
 */
type SavedRange = Pick<RangeRecord, 'after' | 'last' | 'files' | 'extra'> & {
  readonly isDone: boolean;
};

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

/** `--checkpoint`: the attempts of a run, and its end. */
export interface Checkpoint {
  attempt(): Promise<Attempt>;
  /** The run succeeded: the next one starts from the first name. */
  end(): Promise<void>;
}

/** Opens the checkpoint of a command. Rejects with `usage` if the run cannot be done in ranges. */
export async function openCheckpoint(
  invocation: Invocation,
  setup: RunSetup,
  plan: SyncPlan,
): Promise<Checkpoint> {
  const { flags, env, context } = invocation;
  refuseUnfit(plan);
  const folder = stateDir(env);
  if (folder === undefined) {
    const why = 'this user has no home directory for it';
    throw new SyncerError('usage', `--checkpoint: ${why}; set HOME or XDG_STATE_HOME`);
  }
  const key = runKey(flags, setup.filter, plan);
  const path = join(folder, 'checkpoints', `${key}.json`);
  await deleteLeftTexts(dirname(path));
  const nowMs = context.clock.now();
  const { checkDeletes, deletes } = plan.options;
  // Guards decide by what is there now, also in ranges that are done.
  const isGuarded = checkDeletes !== undefined && deletes !== 'off';
  const found = isGuarded
    ? undefined
    : await usable(await readFile(path, key), plan.dest, nowMs, setup);
  const ranges = new MemoryRanges(found === undefined ? undefined : ledgerOf(found));
  const begunMs = found?.begunMs ?? nowMs;
  if (found !== undefined) tellContinued(invocation, ranges.record, found.begunMs);
  let saving = Promise.resolve();
  const save = () => {
    const ledger = saved(ranges.record);
    const sum = sumOf(ledger);
    const file = { version: 1, key, begunMs, sum, ledger } satisfies CheckpointFile;
    const text = `${JSON.stringify(file)}\n`;
    saving = saving.then(async () => {
      await makeFolder(dirname(path), 0o700);
      await replaceText(path, text);
    });
    return saving;
  };
  const { transfers, adapts } = plan.options;
  const slots = adapts?.transfers === true ? SLOTS : Math.min(SLOTS, transfers);
  const rules = { slots, namesARange: NAMES_A_RANGE, save };
  const end = () => rm(path, { force: true });
  return {
    async attempt() {
      const attempt = await attemptRanges(setup, plan, new Ledger(ranges), rules);
      // With a source that was corrected the next run has other numbers.
      if (hasCode(attempt.error, 'guarded')) await end();
      return attempt;
    },
    end,
  };
}

function ledgerOf({ ledger: { phase, ranges } }: CheckpointFile): LedgerRecord {
  const read = ranges.map(
    ({ isDone, ...range }): RangeRecord => ({
      ...{ ...NEW_RANGE, ...range },
      state: isDone ? 'done' : 'open',
    }),
  );
  return { phase, ranges: read };
}

function saved({ phase, ranges }: LedgerRecord): CheckpointFile['ledger'] {
  const read = ranges.map(({ after, last, state, files, extra }) => ({
    ...(after === undefined ? {} : { after }),
    ...(last === undefined ? {} : { last }),
    ...{ isDone: state === 'done', files, extra },
  }));
  return { phase, ranges: read };
}

function refuseUnfit({ source, dest }: SyncPlan): void {
  const unfit = [source, dest].find((remote) => !isBucket(remote));
  if (unfit !== undefined)
    throw cannotUse('--checkpoint', unfit.title, 'it is no bucket whose names come in order');
}

/** Object stores that list all names below a bucket or a prefix in order. */
export function isBucket({ can, traits, root }: Remote): boolean {
  const isInOrder = can.listTreePage !== undefined && traits.sortedPages;
  return isInOrder && !traits.emptyDirs && !(traits.bucketBased && root === '');
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

/** `undefined` if there is none. A damaged file, or that of another run, is none: the run starts from the first name. */
async function readFile(path: string, key: string): Promise<CheckpointFile | undefined> {
  try {
    const file = JSON.parse(String(await readRegularFile(path))) as Partial<CheckpointFile>;
    return file?.key === key && isValid(file) ? file : undefined;
  } catch (thrown) {
    if (thrown instanceof SyntaxError || (thrown as { code?: string }).code === 'ENOENT')
      return undefined;
    throw new SyncerError('other', `cannot read the checkpoint: ${(thrown as Error).message}`, {
      path,
      advice: 'delete this file to start again',
    });
  }
}

function sumOf(ledger: unknown): string {
  return hash('sha256', JSON.stringify(ledger) ?? '').slice(0, 16);
}

function isValid(file: Partial<CheckpointFile> | null): file is CheckpointFile {
  const ledger = file?.ledger;
  if (file?.version !== 1 || typeof file.begunMs !== 'number') return false;
  if (file.sum !== sumOf(ledger)) return false;
  if (ledger?.phase !== 'copying' && ledger?.phase !== 'deleting') return false;
  const isText = (value: unknown) => value === undefined || typeof value === 'string';
  return (
    Array.isArray(ledger.ranges) &&
    ledger.ranges.length > 0 &&
    ledger.ranges.every(({ after, last, isDone, files, extra }) => {
      const isCounted = [files, extra].every(Number.isInteger);
      return isText(after) && isText(last) && typeof isDone === 'boolean' && isCounted;
    }) &&
    coversAllNames(ledger.ranges)
  );
}

/** What is finished is not listed again: its destination must still be there. */
async function usable(
  found: CheckpointFile | undefined,
  dest: Remote,
  nowMs: number,
  { context: { signal } }: RunSetup,
): Promise<CheckpointFile | undefined> {
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
  const { ranges, done, files } = countsOf(ledger);
  if (done === 0) return;
  const since = new Date(begunMs).toISOString().slice(0, 19).replace('T', ' ');
  const text = `Continuing the run of ${since} UTC: ${done} of ${ranges} ranges are done (${files} files), which are not listed again`;
  context.emit(logText('notice', text));
}
