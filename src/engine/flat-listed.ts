import { around } from '../core/around.ts';
import { hasCode, SyncerError } from '../core/errors.ts';
import { keptParents } from '../core/kept-parents.ts';
import { isNameless, namelessFile } from '../core/nameless.ts';
import type { FailedEntry, Page, Remote } from '../core/remote.ts';
import type { Filter } from '../filter/filter.ts';
import type { ListedRange } from './listed-range.ts';

/**
 * The same remote with all its files in one directory, by whole path: nothing of a tree is kept in memory. Directories
 * that the filter excludes are left out as if they were not listed. Objects without a name (`a//b`) are errors.
 *
 * @param range absent: everything
 * @param atOnce most parallel requests of a listing of everything
 */
export function flatListed(
  remote: Remote,
  side: 'source' | 'dest',
  filter: Filter,
  range?: ListedRange,
  atOnce = 1,
): Remote {
  const { listTreePage } = remote.can;
  if (listTreePage === undefined) return remote;
  const { maxDepth } = filter;
  const isDeep = (path: string) => maxDepth >= 0 && path.split('/').length > maxDepth;
  const keepsParents = keptParents(filter.keepDir);
  return around(remote, {
    async listPage(_dir, cursor, op): Promise<Page> {
      const listed = await listTreePage('', cursor, { ...op, atOnce }, range).catch((error) => {
        throw cursor === undefined ? error : notWhole(error);
      });
      const { entries, failed: unread = [], ...page } = listed;
      if (page.cursor === undefined) range?.listed(side);
      const failed: FailedEntry[] = [...unread];
      const files = entries.filter(({ kind, path }) => {
        if (kind === 'dir' || isDeep(path) || !keepsParents(path)) return false;
        if (isNameless(path)) failed.push(namelessFile(path));
        return !isNameless(path);
      });
      return { ...page, entries: files, failed };
    },
  });
}

/** What existed when its listing started is not missing: it must not count as empty. */
export function notWhole(error: unknown): unknown {
  if (!hasCode(error, 'directory-not-found', 'bucket-not-found')) return error;
  const { message } = error as SyncerError;
  return new SyncerError('vanished', `${message}, but it existed before`, { cause: error });
}
