import { alike, around } from '../core/around.ts';
import { hasCode, SyncerError } from '../core/errors.ts';
import { membersOf } from '../core/members.ts';
import { compareEntries } from '../core/name-order.ts';
import { isNameless, namelessFile } from '../core/nameless.ts';
import type { Entry, FailedEntry, Op, Page, Remote } from '../core/remote.ts';
import { readPages } from '../core/remote-calls.ts';
import { keptParents, parentPath } from '../core/remote-path.ts';
import type { Filter } from '../filter/filter.ts';
import type { ListedRange } from './in-range.ts';

/**
 * The same remote, listed as a whole at the first call of `listPage` and kept in memory (`--fast-list`): fewest
 * requests, but memory for all entries. The remote itself if it does not support that, or could have directories that
 * such a listing lacks.
 *
 * @param atOnce most parallel requests
 */
export function treeListed(remote: Remote, atOnce = 1): Remote {
  const { listTreePage, listDirs } = remote.can;
  if (listDirs !== undefined) {
    let dirs: ReturnType<typeof listDirs> | undefined;
    return around(remote, 'tree-listing', {
      ...exceptDirectories(),
      listPage: (listPage) => async (dir, cursor, op) => {
        if (cursor === undefined) dirs ??= listDirs(op);
        const page = cursor === undefined ? (await dirs)?.get(dir) : undefined;
        return page ?? listPage(dir, cursor, op);
      },
    });
  }
  if (listTreePage === undefined || remote.traits.emptyDirs) return remote;
  let tree: Promise<ReadonlyMap<string, Page>> | undefined;
  return around(remote, 'tree-listing', {
    ...exceptDirectories(),
    listPage: () => async (dir, _cursor, op) => {
      tree ??= readTree(listTreePage, { ...op, atOnce });
      return (await tree).get(dir) ?? { entries: [] };
    },
  });
}

/** What a layer passes that is only about `listPage`: listings of other kinds, and all else. */
export const exceptDirectories = () =>
  alike(
    [
      ...membersOf('says', 'reads', 'changes'),
      ...(['listTreePage', 'listTreeUnordered', 'listDirs', 'listUsage', 'takeUsage'] as const),
      ...(['listKept', 'listUploads', 'listVersions'] as const),
    ],
    'passes',
  );

/** Every directory as one page, sorted. Objects without a name (`a//b`) belong to none, and are errors. */
async function readTree(
  listTreePage: NonNullable<Remote['can']['listTreePage']>,
  op: Op,
): Promise<ReadonlyMap<string, Page>> {
  const dirs = new Map<string, Entry[]>([['', []]]);
  const failed: FailedEntry[] = [];
  const nameless = new Map<string, FailedEntry[]>();
  const failNameless = (path: string) => {
    // The directory in whose listing the first part without a name would be.
    const dir = path.slice(0, Math.max(0, `/${path}/`.indexOf('//') - 1));
    entriesOf(dir);
    const found = nameless.get(dir) ?? [];
    nameless.set(dir, found);
    found.push(namelessFile(path));
  };
  const entriesOf = (dir: string): Entry[] => {
    const known = dirs.get(dir);
    if (known !== undefined) return known;
    const entries: Entry[] = [];
    dirs.set(dir, entries);
    entriesOf(parentPath(dir)).push({ kind: 'dir', path: dir });
    return entries;
  };
  const readPage = (cursor: string | undefined) =>
    listTreePage('', cursor, op).catch((error) => {
      throw cursor === undefined ? error : notWhole(error);
    });
  for await (const page of readPages(readPage, (entry) => failed.push(entry))) {
    for (const entry of page) {
      if (entry.kind === 'dir') entriesOf(entry.path);
      else if (isNameless(entry.path)) failNameless(entry.path);
      else entriesOf(parentPath(entry.path)).push(entry);
    }
  }
  const sorted = new Map<string, Page>();
  for (const [dir, entries] of dirs) {
    const all = [...(dir === '' ? failed : []), ...(nameless.get(dir) ?? [])];
    sorted.set(dir, { entries: entries.sort(compareEntries), failed: all });
  }
  return sorted;
}

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
  return around(remote, 'flat-listing', {
    ...exceptDirectories(),
    listPage:
      () =>
      async (_dir, cursor, op): Promise<Page> => {
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
function notWhole(error: unknown): unknown {
  if (!hasCode(error, 'directory-not-found', 'bucket-not-found')) return error;
  const { message } = error as SyncerError;
  return new SyncerError('vanished', `${message}, but it existed before`, { cause: error });
}
