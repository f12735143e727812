import { hasCode } from '../core/errors.ts';
import type { FileEntry, Remote } from '../core/remote.ts';
import { deleteFiles } from './delete-files.ts';
import { deleteEmptyDirs } from './empty-dirs.ts';
import type { FileWork } from './file-work.ts';
import { type KnownFiles, ownSourcePass } from './place/own-source-check.ts';
import { isLate, tooLong } from './run-limits.ts';
import { refuseEmptied } from './without-bucket.ts';

/**
 * Deletes files that only the destination has, or moves them into the backup; refuses after any error, and if a guard
 * trips.
 *
 * @param known the files of both sides; those of the source identify it: see `ownSourcePass`
 */
export async function deleteExtra(
  work: FileWork,
  found: readonly FileEntry[],
  known: KnownFiles,
): Promise<void> {
  const { run, options, dest } = work;
  if (!mayDelete(work, 'files')) return;
  let rounds: readonly (readonly FileEntry[])[] = [found];
  for (const pass of work.passes) rounds = pass.rounds?.(found) ?? rounds;
  const files = rounds.length === 1 ? (rounds[0] ?? []) : rounds.flat();
  const totals = { ...known.counts, extra: files.length, examples: files };
  const refusal =
    options.checkDeletes?.(totals) ?? (await refuseEmptied(run, dest, files, known.tops));
  if (refusal !== undefined) return run.tally.addLast(refusal);
  const { deleteBudget: budget, checkers: width } = options;
  const passes = [...work.passes, ownSourcePass(work, files, known)];
  // Names may change on the way.
  const seen = ({ path }: FileEntry) =>
    options.transform === undefined ? [{ remote: work.source, path }] : [];
  for (const round of rounds) {
    if (run.isStopping()) return;
    await deleteFiles(run, dest, [round], { budget, width, passes, seen });
  }
}

/** Deletes directories that only the destination has, if they are empty now; refuses after any error. */
export async function deleteExtraDirs(work: FileWork, dirs: readonly string[]): Promise<void> {
  const { run, dest, options } = work;
  if (!dest.traits.emptyDirs || !mayDelete(work, 'directories')) return;
  await deleteEmptyDirs(run, dest, dirs, { width: options.checkers });
}

/** Deletes directories that a move has emptied (`--delete-empty-src-dirs`); refuses after any error. */
export async function deleteMovedDirs(work: FileWork, dirs: readonly string[]): Promise<void> {
  const { run, source, options } = work;
  if (!mayDelete(work, 'directories', source)) return;
  await deleteEmptyDirs(run, source, dirs, { width: options.checkers });
}

/** Whether deleting is safe; logs if it is not. */
function mayDelete(
  { run, options, dest }: FileWork,
  what: 'files' | 'directories',
  where: Remote = dest,
): boolean {
  if (run.isStopping()) return false;
  if (isLate(run, options)) {
    run.tally.addLast(tooLong());
    return false;
  }
  if (hasCode(run.tally.deciding, 'guarded')) return false;
  const isCut = hasCode(run.tally.deciding, 'max-transfer') && options.cutoffMode === 'hard';
  if (run.tally.count === 0 || (options.ignoreErrors && !isCut)) return true;
  run.tally.refuseDeletes(what, where.title);
  return false;
}
