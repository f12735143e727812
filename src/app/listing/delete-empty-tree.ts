import { parentPath } from '../../core/remote-path.ts';
import { deleteEmptyDirs } from '../../sync/empty-dirs.ts';
import type { Run } from '../../sync/run.ts';
import type { Listing } from './open-listing.ts';

/**
 * Deletes directories without files at any depth, deepest first, and the root unless `leaveRoot`. With filters, a
 * directory must be included as a file with a trailing slash would be. A directory with unlisted contents (by filters,
 * by `--max-depth`, links) is an error. As in rclone 1.75.
 */
export async function deleteEmptyTree(
  run: Run,
  listing: Listing,
  { leaveRoot }: { readonly leaveRoot: boolean },
): Promise<void> {
  const { root, traits } = listing.remote;
  const isAccount = traits.bucketBased && root === '';
  const dirs = new Set<string>(leaveRoot || isAccount ? [] : ['']);
  const full = new Set<string>();
  for await (const entries of listing.entries('all', { byDirectory: true })) {
    for (const { kind, path } of entries) {
      if (kind === 'dir') dirs.add(path);
      else if (run.guard?.isTaken?.(path) !== true) markFull(full, path);
    }
  }
  const mayGo = (dir: string) => run.filter.keepPath(`${dir}/`);
  const empty = [...dirs].filter((dir) => !full.has(dir) && mayGo(dir));
  await deleteEmptyDirs(run, listing.remote, empty, { mustBeEmpty: true });
}

function markFull(full: Set<string>, path: string): void {
  let dir = path;
  do {
    dir = parentPath(dir);
    if (full.has(dir)) return;
    full.add(dir);
  } while (dir !== '');
}
