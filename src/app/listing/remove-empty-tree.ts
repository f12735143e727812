import { modTimeFromMs } from '../../core/mod-time.ts';
import { parentPath } from '../../core/remote-path.ts';
import { removeEmptyDirs } from '../../sync/empty-dirs.ts';
import type { Run } from '../../sync/run.ts';
import type { Listing } from './open-listing.ts';

/**
 * Removes the directories below a remote's root that hold no file at any depth, deepest first, and the root
 * itself unless `leaveRoot`. Of filters they must pass what an empty file of now would, called as they are with a slash
 * behind, as in rclone.
 */
export async function removeEmptyTree(
  run: Run,
  listing: Listing,
  { leaveRoot }: { readonly leaveRoot: boolean },
): Promise<void> {
  const dirs = new Set<string>(leaveRoot ? [] : ['']);
  const full = new Set<string>();
  for await (const entries of listing.entries('all', { byDirectory: true })) {
    for (const { kind, path } of entries) {
      if (kind === 'dir') dirs.add(path);
      else if (run.guard?.isTaken?.(path) !== true) markFull(full, path);
    }
  }
  const modTime = modTimeFromMs(run.context.clock.now());
  const mayGo = (dir: string) => run.filter.keepFile({ path: `${dir}/`, size: 0, modTime });
  const empty = [...dirs].filter((dir) => !full.has(dir) && mayGo(dir));
  await removeEmptyDirs(run, listing.remote, empty);
}

function markFull(full: Set<string>, path: string): void {
  let dir = path;
  do {
    dir = parentPath(dir);
    if (full.has(dir)) return;
    full.add(dir);
  } while (dir !== '');
}
