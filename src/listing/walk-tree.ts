import type { Entry } from '../core/remote.ts';
import { readAhead } from './read-ahead.ts';
import type { Walk } from './walk.ts';
import { walkDirs } from './walk-dirs.ts';
import { walkFlat } from './walk-flat.ts';
import { walkListed } from './walk-listed.ts';

/**
 * The entries below a remote's root that belong to the run, in batches and always in the same order: by the
 * names' bytes within a directory; a directory's entries before those of its subdirectories; all by path where
 * one flat listing does. Memory does not grow with the number of files where the store lists in order. Rejects
 * where the root cannot be listed.
 */
export async function* walkTree(walk: Walk): AsyncGenerator<readonly Entry[]> {
  for await (const batch of readAhead(entriesOf(walk))) {
    walk.emit({ type: 'listed', entries: batch.length });
    yield batch;
  }
}

function entriesOf(walk: Walk): AsyncGenerator<readonly Entry[]> {
  const { fileList } = walk.filter;
  const depth = depthOf(walk);
  if (fileList !== undefined) return walkListed(walk, fileList, depth);
  const { listTreePage } = walk.remote.can;
  if (listTreePage !== undefined && listsFlat(walk)) return walkFlat(walk, listTreePage);
  return walkDirs(walk, depth);
}

/**
 * Whether one flat listing serves. It tells no directories that hold no file, and goes through those that are
 * excluded, too.
 */
export function listsFlat(walk: Walk): boolean {
  const { remote, filter, want } = walk;
  const { can, traits } = remote;
  return (
    walk.byDirectory !== true &&
    can.listTreePage !== undefined &&
    filter.fileList === undefined &&
    filter.markerFiles.length === 0 &&
    filter.prunesDirs !== true &&
    depthOf(walk) < 0 &&
    (want === 'files' || (want === 'all' && !traits.emptyDirs))
  );
}

/** The depth of a listing; 0 is no limit, as in rclone's listings, where it stands for the root alone in its copies. */
function depthOf({ maxDepth, filter }: Walk): number {
  const depth = maxDepth ?? filter.maxDepth;
  return depth === 0 ? -1 : depth;
}
