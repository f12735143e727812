import { isOwnEntry } from '../../src/core/own-names.ts';
import { parentPath } from '../../src/core/remote-path.ts';
import type { Run } from '../../src/engine/run.ts';
import { deleteEmptyDirs } from '../../src/engine/tree-dirs.ts';
import { showOwnNames } from '../../src/names/hide-own-names.ts';
import type { Listing } from '../../src/run/listing/open-listing.ts';

/**
 * Deletes directories without files at any depth, deepest first, and the root unless `leaveRoot`. With filters, a
 * directory must be included as a file with a trailing slash would be. As in rclone 1.75, with `mustBeEmpty` a directory
 * with unlisted contents (by filters, by `--max-depth`, links) is an error, but not one with own names of syncer only.
 */
export async function deleteEmptyTree(
  run: Run,
  listing: Listing,
  { leaveRoot, mustBeEmpty }: { readonly leaveRoot: boolean; readonly mustBeEmpty: boolean },
): Promise<void> {
  const { root, traits } = listing.remote;
  const isAccount = traits.bucketBased && root === '';
  const { consent } = run;
  const isTaken = (path: string) =>
    consent.how === 'collect' && consent.plan.isTaken?.(path) === true;
  const dirs = new Set<string>(leaveRoot || isAccount ? [] : ['']);
  const full = new Set<string>();
  for await (const entries of listing.entries('all', { byDirectory: true })) {
    for (const entry of entries) {
      const { kind, path } = entry;
      if (kind === 'dir') dirs.add(path);
      else if (!isTaken(path))
        for (let dir = parentPath(path); !full.has(dir); dir = parentPath(dir)) full.add(dir);
    }
  }
  const mayGo = (dir: string) => run.filter.keepPath(`${dir}/`);
  const empty = [...dirs].filter((dir) => !full.has(dir) && mayGo(dir));
  await deleteEmptyDirs(run, listing.remote, empty, {
    width: listing.atOnce,
    mustBeEmpty,
    async holds(dir) {
      const { entries } = await showOwnNames(listing.remote).listPage(dir, undefined, run.op);
      return entries.length > 0 && entries.every(isOwnEntry);
    },
  });
}
