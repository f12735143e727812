import { hasCode } from '../core/errors.ts';
import { compareNames } from '../core/name-order.ts';
import type { Remote } from '../core/remote.ts';
import { parentPath } from '../core/remote-path.ts';
import type { DirPair } from './action.ts';
import { perform } from './perform.ts';
import type { Run } from './run.ts';
import { createTaskPool } from './task-pool.ts';
import { hasBuckets } from './without-bucket.ts';

/**
 * Creates the directories that only the source has (`--create-empty-src-dirs`). Errors are counted.
 *
 * @param takes whether one that failed is taken over: it may be blocked by something that will be deleted
 */
export async function makeMissingDirs(
  run: Run,
  dest: Remote,
  dirs: readonly DirPair[],
  takes: (pair: DirPair, path: string, error: unknown) => boolean = () => false,
): Promise<void> {
  if (!dest.traits.emptyDirs) return;
  for (const pair of dirs) {
    const { source, dest: existing } = pair;
    if (source === undefined || existing !== undefined) continue;
    const { path = source.path } = pair;
    try {
      await perform(run, dest, { do: 'make-dir', path });
    } catch (thrown) {
      if (!takes(pair, path, thrown)) run.fail(thrown, path, 'make-directory');
    }
  }
}

/** How to delete directories that are empty. */
export interface EmptyDirRules {
  /** Number of directories in parallel, of one depth. */
  readonly width: number;
  /** A directory that is not empty is an error, as in rclone's `rmdirs`, unless `holds` is true; otherwise it stays. */
  readonly mustBeEmpty?: boolean;
  /** Whether a directory has only what no command lists: it stays, and so do those above it. */
  readonly holds?: (dir: string) => Promise<boolean>;
}

/**
 * Deletes those of the directories that are empty, deepest first; none if some of them are buckets that must not go. The
 * root may be one. Errors are counted.
 */
export async function deleteEmptyDirs(
  run: Run,
  remote: Remote,
  dirs: readonly string[],
  rules: EmptyDirRules,
): Promise<void> {
  // `rmdirs` names nothing else, and takes only what is empty.
  const { checkBuckets } = run;
  const asks = rules.mustBeEmpty !== true && checkBuckets !== undefined && hasBuckets(remote);
  const buckets = asks ? dirs.filter((dir) => dir !== '' && !dir.includes('/')) : [];
  const refusal = buckets.length === 0 ? undefined : await checkBuckets?.(buckets, true);
  if (refusal !== undefined) return run.tally.addLast(refusal);
  const pool = createTaskPool(rules.width, rules.width);
  const kept = new Set<string>();
  const holds = async (dir: string) => {
    if (!kept.has(dir) && (await rules.holds?.(dir)) !== true) return false;
    kept.add(parentPath(dir));
    return true;
  };
  const { title } = remote;
  const remove = async (dir: string) => {
    if (run.op.signal.aborted) return;
    try {
      await perform(run, remote, { do: 'remove-dir', path: dir, title });
    } catch (thrown) {
      const isFull = hasCode(thrown, 'not-empty');
      const isPassing = isFull && (rules.mustBeEmpty !== true || (await holds(dir)));
      if (isPassing || hasCode(thrown, 'directory-not-found')) return;
      run.fail(thrown, dir === '' ? title : dir, 'remove-directory');
    }
  };
  const sorted = [...dirs].sort((a, b) => compareNames(b, a));
  const byDepth = Map.groupBy(sorted, (dir) => (dir === '' ? 0 : dir.split('/').length));
  for (const [, level] of [...byDepth].sort(([a], [b]) => b - a)) {
    for (const dir of level) await pool.add(() => remove(dir));
    await pool.idle();
  }
}
