import { hasCode } from '../core/errors.ts';
import { compareNames } from '../core/name-order.ts';
import type { Remote } from '../core/remote.ts';
import type { Obstructed } from './obstructed.ts';
import type { Run } from './run.ts';
import type { DirPair } from './walk-both.ts';

/**
 * Creates the directories that only the source has (`--create-empty-src-dirs`). Errors are counted.
 *
 * @param obstructed collects those blocked by something that will be deleted
 */
export async function makeMissingDirs(
  run: Run,
  dest: Remote,
  dirs: readonly DirPair[],
  obstructed?: Obstructed<DirPair>,
): Promise<void> {
  if (!dest.traits.emptyDirs) return;
  for (const pair of dirs) {
    const { source, dest: existing } = pair;
    if (source === undefined || existing !== undefined) continue;
    const { path = source.path } = pair;
    try {
      if (!(await run.mayChange({ action: 'make directory', about: path }))) continue;
      await dest.makeDir(path, run.op);
    } catch (thrown) {
      if (obstructed?.take(pair, path, thrown) !== true) failDir(run, path, thrown);
    }
  }
}

/** Counts a directory that could not be created. */
export function failDir(run: Run, path: string, thrown: unknown): void {
  run.fail(thrown, path, 'make-directory');
}

/**
 * Deletes those of the directories that are empty, deepest first; the others stay. The root may be one.
 *
 * @param mustBeEmpty a directory that is not empty is an error, as in rclone's `rmdirs`
 */
export async function deleteEmptyDirs(
  run: Run,
  remote: Remote,
  dirs: readonly string[],
  { mustBeEmpty = false } = {},
): Promise<void> {
  for (const dir of [...dirs].sort((a, b) => compareNames(b, a))) {
    if (run.op.signal.aborted) return;
    const about = dir === '' ? remote.title : dir;
    try {
      if (await run.mayChange({ action: 'remove directory', about, to: dir })) {
        await remote.deleteDir(dir, run.op);
        run.log('info', about, 'removing-dir');
      } else if (run.guard?.isSilent === true) {
        continue;
      }
    } catch (thrown) {
      const isPassing = hasCode(thrown, 'not-empty') && !mustBeEmpty;
      if (isPassing || hasCode(thrown, 'directory-not-found')) continue;
      run.fail(thrown, about, 'remove-directory');
      continue;
    }
    run.context.emit({ type: 'deleted', files: 0, dirs: 1, bytes: 0 });
  }
}
