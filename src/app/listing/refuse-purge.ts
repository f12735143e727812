import { SyncerError } from '../../core/errors.ts';
import { tooManyDeletes } from '../../sync/run-limits.ts';
import type { Listing } from './open-listing.ts';

/**
 * Throws before anything is deleted if a purge would delete more than `--max-delete` files (`fatal`), or anything
 * deeper than `--max-depth` (`usage`).
 *
 * @param most -1: no limit
 */
export async function refusePurge(listing: Listing, most: number): Promise<void> {
  const { maxDepth } = listing.run.filter;
  let files = 0;
  for await (const entries of listing.entries('all', { maxDepth: -1, anyOrder: true })) {
    for (const { kind, path } of entries) {
      if (maxDepth >= 0 && path.split('/').length > maxDepth) throw tooDeep(path, maxDepth);
      if (kind === 'file' && ++files > most && most >= 0) throw tooManyDeletes();
    }
  }
  // Unreadable directories were not counted.
  listing.finish();
}

function tooDeep(path: string, maxDepth: number): SyncerError {
  const message = `purge deletes everything, but "${path}" is deeper than --max-depth ${maxDepth}`;
  return new SyncerError('usage', message, { path });
}
