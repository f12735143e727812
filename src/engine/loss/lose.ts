import type { LoseVersion } from '../../core/change-details.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { FileEntry, Remote } from '../../core/remote.ts';
import type { Action } from '../action.ts';
import { isReviewed, type SeenPath } from '../consent.ts';
import type { Run } from '../run.ts';
import { type DoomedFile, isContent, Reservation } from './budget.ts';
import type { Aside } from './keeper.ts';

/** What is the same for each file that is lost in the same way. */
export interface LossRules {
  /** What it is about beside the file: looked at once more after a review. */
  readonly seen?: ((file: FileEntry) => readonly SeenPath[]) | undefined;
  /** Rejects or throws if a file must not be lost; called just before. */
  readonly spare?: ((file: FileEntry) => Promise<void> | void) | undefined;
  /** Takes files away instead, one by one. */
  readonly aside?: Aside | undefined;
  /** What a file is called in the log, if not by its path. */
  readonly nameOf?: ((file: FileEntry) => string) | undefined;
}

/** Each file is asked about, but not as the deletion of a file. */
export interface AskEach {
  readonly each: (file: FileEntry) => Action;
}

/** All files of one act are asked about by one question. */
interface AskTogether {
  readonly together: (files: readonly FileEntry[]) => Action;
}

/**
 * Content that is about to disappear at a place. All of it goes through `lose`, `loseOne`, `deleteFiles` or `purgeRoot`:
 * the budget is asked (`--max-delete`), then the person, then what must spare a file, and the keeper; then it is
 * destroyed, and noted in the log, the statistics and the outcomes.
 */
export interface Loss extends LossRules {
  readonly remote: Remote;
  /**
   * `deleted` for itself; `moved`: its content is at the destination; `replaced` by a rename, in the log of which it is.
   */
  readonly why: 'deleted' | 'moved' | 'replaced';
  /** Absent: each file is asked about as a deletion. `agreed`: it was, with the change that it is part of. */
  readonly ask?: 'agreed' | AskEach | AskTogether | undefined;
  /** It is part of a change that does not count. */
  readonly isPart?: boolean;
  /** It is a step of a change that is reported by itself. */
  readonly isStep?: true | undefined;
}

/** What became of an act: the failures of some files, or `nothing` if it lost none. */
export type Destroyed = ReadonlyMap<FileEntry, unknown> | 'nothing' | undefined;

/** What became of files. */
export interface Losses {
  /** What is gone, and what `--dry-run` counts as if it were. */
  readonly gone: readonly FileEntry[];
  /** How many are gone. */
  readonly count: number;
  /** What stays because of an error, which is not reported yet. */
  readonly failed: ReadonlyMap<FileEntry, unknown>;
}

/**
 * Whether a person sees the questions only afterwards, or has seen them before: what is not chosen in a review never
 * counts. Otherwise the budget comes first, as in rclone, and what is declined counts.
 */
export function asksFirst(run: Run, { ask }: Loss): boolean {
  return ask !== 'agreed' && isReviewed(run.consent);
}

/** Whether a person allows the loss of a file. Rejects if the user cannot be asked. */
export function mayLose(run: Run, loss: Loss, file: FileEntry): Promise<boolean> {
  const { remote, ask, seen, why, aside } = loss;
  const action: Action =
    typeof ask === 'object' && 'each' in ask
      ? ask.each(file)
      : why === 'moved'
        ? { do: 'delete', file, side: 'source' }
        : { do: 'delete', file, keeps: aside !== undefined };
  // Only what was chosen of a plan is looked at once more.
  if (run.consent.how !== 'chosen') return run.mayChange(action);
  return run.mayChange(action, [
    { remote, path: file.path, listed: file },
    ...(seen?.(file) ?? []),
  ]);
}

/**
 * Loses files as far as the budget and the person allow it; `destroy` gets as many at once as the budget allows. What is
 * beyond the budget stays, and is the error of the run. Rejects if the user cannot be asked.
 */
export async function lose(
  run: Run,
  loss: Loss,
  files: readonly FileEntry[],
  destroy: (files: readonly FileEntry[]) => Promise<Destroyed>,
): Promise<Losses> {
  const gone: FileEntry[] = [];
  const failed = new Map<FileEntry, unknown>();
  let count = 0;
  for (let left = files; left.length > 0 && !run.op.signal.aborted; ) {
    const held = await run.budget.reserve(loss.remote, left);
    if (held.files.length === 0) {
      run.tally.add(run.budget.error(), undefined);
      break;
    }
    const outcome = await loseHeld(run, loss, held, destroy);
    for (const file of outcome.gone) gone.push(file);
    for (const [file, error] of outcome.failed) failed.set(file, error);
    count += outcome.count;
    left = left.slice(held.files.length);
  }
  return { gone, count, failed };
}

/** How a `cleanUp` that was asked about loses each old version: see `ChangeDetails.loseVersion`. */
export function versionLoss(run: Run, remote: Remote): LoseVersion {
  const loss = { remote, why: 'deleted', ask: 'agreed' } as const;
  return async ({ path, id, size }, destroy) => {
    const file = { kind: 'file', path, size, kept: { kind: 'old', id } } as const;
    if ((await loseOne(run, loss, file, destroy)) === 'over') throw run.budget.error();
  };
}

/** What comes before the loss of one file. */
export interface Before {
  /** Its content is brought to another place: if that fails, the file is not lost. */
  readonly first?: () => Promise<void>;
  /** The file goes later, when `lose` is called; it counts now, unless `keep` is called. */
  readonly later?: (after: { lose(): Promise<void>; keep(): void }) => Promise<void>;
}

/**
 * Loses one file. Resolves to `refused` if the person does not allow it, to `over` if the budget does not, which is the
 * error of the run then. Rejects with the error of the file.
 */
export async function loseOne(
  run: Run,
  loss: Loss,
  file: FileEntry,
  destroy: () => Promise<unknown>,
  { first, later }: Before = {},
): Promise<'gone' | 'refused' | 'over' | 'later'> {
  const isAsked = asksFirst(run, loss);
  if (isAsked && !(await mayLose(run, loss, file))) return 'refused';
  // A trial of a move does not count, as in rclone.
  const isTrial = loss.why === 'moved' && run.consent.how === 'pretend';
  const isFree = isTrial || loss.isPart === true;
  const held = isFree ? new Reservation([file]) : await run.budget.reserve(loss.remote, [file]);
  if (held.files.length === 0) {
    run.tally.add(run.budget.error(), undefined);
    return 'over';
  }
  const end = async () => {
    const asked: Loss = isAsked ? { ...loss, ask: 'agreed' } : loss;
    const destroyOne = async () => ((await destroy()) === 'nothing' ? 'nothing' : undefined);
    const { count, failed } = await loseHeld(run, asked, held, destroyOne);
    for (const error of failed.values()) throw error;
    return count > 0 ? 'gone' : 'refused';
  };
  try {
    await first?.();
    if (later === undefined) return await end();
    held.park();
    await later({
      lose: async () => void (await end()),
      keep: () => held.close(),
    });
    return 'later';
  } catch (thrown) {
    held.close();
    throw thrown;
  }
}

/** Loses reserved files by one act. Leaves none of them reserved. */
export function loseHeld(
  run: Run,
  loss: Loss,
  held: Reservation<FileEntry>,
  destroy: (files: readonly FileEntry[]) => Promise<Destroyed>,
): Promise<Losses> {
  const isPlain = loss.spare === undefined && isAgreed(run, loss);
  return isPlain
    ? loseAgreed(run, loss, held, held.files, destroy)
    : loseAsking(run, loss, held, destroy);
}

/** Asks about reserved files, looks whether something must spare them, and loses the others. */
async function loseAsking(
  run: Run,
  loss: Loss,
  held: Reservation<FileEntry>,
  destroy: (files: readonly FileEntry[]) => Promise<Destroyed>,
): Promise<Losses> {
  try {
    const { going, declined, failed } = await sorted(run, loss, held.files);
    // They count, too, as in rclone; in a review, what is not chosen does not.
    const isReview = isReviewed(run.consent);
    for (const file of declined) isReview ? held.release(file) : held.commit(file);
    const pretended = run.consent.how === 'pretend' ? declined : [];
    const losses =
      going.length === 0 ? NO_LOSSES : await loseAgreed(run, loss, held, going, destroy);
    count(run, loss, pretended);
    return {
      gone: pretended.length === 0 ? losses.gone : [...pretended, ...losses.gone],
      count: losses.count,
      failed: failed.size === 0 ? losses.failed : new Map([...failed, ...losses.failed]),
    };
  } finally {
    held.close();
  }
}

/** Loses those of the reserved files that nothing spares. Leaves none of them reserved. */
async function loseAgreed(
  run: Run,
  loss: Loss,
  held: Reservation<FileEntry>,
  files: readonly FileEntry[],
  destroy: (files: readonly FileEntry[]) => Promise<Destroyed>,
): Promise<Losses> {
  let destroyed: Destroyed;
  try {
    destroyed = await destroy(files);
  } catch (thrown) {
    destroyed = failuresOf(files, thrown);
  }
  const failed = destroyed === 'nothing' ? undefined : (destroyed ?? NO_FAILURES);
  if (failed === undefined) {
    held.close();
    return NO_LOSSES;
  }
  let gone = files;
  if (failed.size > 0) {
    for (const [file, error] of failed) held.failed(file, error);
    gone = files.filter((file) => !failed.has(file));
  }
  for (let at = 0; at < gone.length; at++) held.commit(gone[at] as FileEntry);
  held.close();
  note(run, loss, gone);
  return { gone, count: gone.length, failed };
}

/** Whether nothing is asked about a loss any more. */
function isAgreed({ consent }: Run, { ask }: Loss): boolean {
  return ask === 'agreed' || consent.how === 'all';
}

/** Asks about files, and looks whether something must spare them. */
async function sorted(run: Run, loss: Loss, files: readonly FileEntry[]) {
  const { ask, spare } = loss;
  const failed = new Map<FileEntry, unknown>();
  const asks = !isAgreed(run, loss);
  const going: FileEntry[] = [];
  const declined: FileEntry[] = [];
  const together =
    asks && typeof ask === 'object' && 'together' in ask
      ? run.mayChange(ask.together(files))
      : undefined;
  for (const file of files) {
    try {
      const may = !asks || (await (together ?? mayLose(run, loss, file)));
      if (may) {
        const spared = spare?.(file);
        if (spared !== undefined) await spared;
      }
      (may ? going : declined).push(file);
    } catch (thrown) {
      failed.set(file, thrown);
    }
  }
  return { going, declined, failed };
}

const NO_FAILURES: ReadonlyMap<FileEntry, unknown> = new Map();
const NO_LOSSES: Losses = { gone: [], count: 0, failed: NO_FAILURES };

/** An act of which all has failed: each file has an error of its own, as an error counts once. */
function failuresOf(files: readonly FileEntry[], thrown: unknown): ReadonlyMap<FileEntry, unknown> {
  const [first] = files;
  if (files.length === 1 && first !== undefined) return new Map([[first, thrown]]);
  const error = toSyncerError(thrown);
  return new Map(files.map((file) => [file, new SyncerError(error.code, error.message, error)]));
}

/** Notes what is lost. */
function note(run: Run, loss: Loss, files: readonly FileEntry[]): void {
  const { why, aside, nameOf = pathOf, isStep } = loss;
  if (why === 'replaced') return;
  const fields = isStep === true ? { isStep } : {};
  for (let at = 0; at < files.length; at++) {
    const file = files[at] as FileEntry;
    if (why === 'deleted') run.outcomes?.gone(file.path);
    if (aside === undefined) run.log('info', nameOf(file), 'deleted', fields);
  }
  count(run, loss, files);
}

/** Counts what is lost, or would be, in the statistics. */
function count({ context }: Run, { why }: Loss, lost: readonly FileEntry[]): void {
  if (why === 'replaced') return;
  let files = 0;
  let bytes = 0;
  for (let at = 0; at < lost.length; at++) {
    const file = lost[at] as FileEntry;
    if (!isContent(file)) continue;
    files++;
    bytes += Math.max(0, file.size);
  }
  if (files === 0) return;
  const deleted = { type: 'deleted', files, dirs: 0, bytes } as const;
  context.emit(why === 'moved' ? { ...deleted, moved: true } : deleted);
}

const pathOf = ({ path }: FileEntry): string => path;

/** Notes files of a tree that a request for all of it has deleted, and counts them. */
export function noteOfTree(run: Run, files: readonly DoomedFile[]): void {
  if (files.length === 0) return;
  run.budget.spend(files);
  for (const { path } of files) {
    run.outcomes?.gone(path);
    run.log('info', path, 'deleted');
  }
  const bytes = files.reduce((sum, { size }) => sum + Math.max(0, size), 0);
  run.context.emit({ type: 'deleted', files: files.length, dirs: 0, bytes });
}
