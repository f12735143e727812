import type { UsageRows } from '../../src/core/entry-details.ts';
import { hasCode, toSyncerError } from '../../src/core/errors.ts';
import type { Entry, Op, Remote } from '../../src/core/remote.ts';
import { readPages } from '../../src/core/remote-calls.ts';
import { isWithin, joinPath } from '../../src/core/remote-path.ts';
import type { Filter } from '../../src/filter/filter.ts';
import { type EntryTest, entryTest, keptEntries } from '../../src/listing/kept-entries.ts';
import { listsFlat, walkTree } from '../../src/listing/walk-tree.ts';
import { pathSegments } from '../../src/size-tree/find-node.ts';
import type { NodeId } from '../../src/size-tree/node.ts';
import type { SizeTree } from '../../src/size-tree/size-tree.ts';
import { TreeFeed } from '../../src/size-tree/tree-feed.ts';

export interface Scanned {
  readonly remote: Remote;
  readonly filter: Filter;
  readonly atOnce: number;
  readonly tree: SizeTree;
  /** Also old versions, delete markers and unfinished uploads: the remote can list them. */
  readonly isAll?: boolean;
  /** The whole comes in the fewest requests (`--fast-list`), by a listing of its own for each scan. */
  readonly isFast?: boolean;
  /** Entries come in the order of the store, with its directories without files: for a file, the same at each scan. */
  readonly inOrder?: boolean;
}

/** One scan: of all below a directory. */
export interface ScanOf {
  /** Where in the tree it goes: a directory that holds nothing yet. */
  readonly into: NodeId;
  /** The path of that directory in the store. */
  readonly path: string;
  /** The directory on the screen: it is listed before others. */
  readonly preferred?: () => NodeId | undefined;
}

/** Requests at once within one of several buckets. */
const WITHIN_BUCKET = 4;

/**
 * Lists all below a directory into the tree: in one flat listing where the store has one, else directory by directory,
 * the top first. A directory that cannot be listed is marked, and the others are listed all the same; rejects where the
 * first one cannot, or the signal is aborted.
 */
export async function scanTree(scanned: Scanned, of: ScanOf, op: Op): Promise<void> {
  if (scanned.isFast && of.path === '') {
    const { treeListed } = await import('../../src/engine/tree-listed.ts');
    return scanTree({ ...scanned, isFast: false, remote: treeListed(scanned.remote) }, of, op);
  }
  const { remote, filter, tree } = scanned;
  if (filter.fileList !== undefined) return scanNamed(scanned, of, op);
  const scan = startScan(scanned, of, op);
  const isStore = remote.traits.bucketBased && remote.root === '' && of.path === '';
  if (!isStore && scan.isFlat) {
    // The first level is there at once; the whole comes in the order of the store.
    const overview =
      filter.passesAll && !scanned.isAll && !scanned.inOrder
        ? scan.firstLevel().catch(() => undefined)
        : undefined;
    await scan.flat(of.into, of.path, scanned.atOnce);
    await overview;
    tree.setListed(of.into);
    return;
  }
  await scanDirs(scan, isStore && scan.isFlat, scanned, of, op);
}

/** Replaces a directory of the tree by what is there now. Rejects with `directory-not-found` if it is gone. */
export async function scanAgain(scanned: Scanned, dir: NodeId, op: Op): Promise<void> {
  const { tree } = scanned;
  const into = tree.addRoot();
  await scanTree(scanned, { into, path: tree.path(dir) }, op);
  tree.replaceContents(dir, into);
}

function startScan(
  { remote, filter, atOnce, tree, isAll = false, inOrder = false }: Scanned,
  { into, path: base }: ScanOf,
  op: Op,
) {
  const feed = new TreeFeed(tree, into);
  const fail = (thrown: unknown, path: string) => {
    const message = `${path}: ${toSyncerError(thrown).message}`;
    const dir = feed.dirAt('');
    tree.setError(dir, tree.errorOf(dir) ?? message);
  };
  const test: EntryTest = entryTest(remote, filter, op, fail);
  const kept = (entries: readonly Entry[]) =>
    filter.passesAll ? entries : keptEntries(entries, test.keepEntry, atOnce);
  return {
    isFlat: isAll || listsFlat({ remote, filter, want: 'all' }),
    feed,
    test,
    kept,
    /** The directories of the first page, so that there is something to see. */
    async firstLevel() {
      const { entries } = await remote.listPage(base, undefined, op);
      for (const { kind, path } of entries) {
        if (kind === 'dir') feed.dirAt(base === '' ? path : path.slice(base.length + 1));
      }
    },
    async flat(dir: NodeId, path: string, width: number) {
      const { listKept, listTreePage, listTreeUnordered } = remote.can;
      const readPage = async (cursor: string | undefined) =>
        (await listTreePage?.(path, cursor, { ...op, atOnce: width })) ?? { entries: [] };
      const pages =
        (isAll ? listKept?.(path, op) : undefined) ??
        (inOrder ? undefined : listTreeUnordered?.(path, width, op)) ??
        readPages(readPage, (failed) => fail(failed.error, failed.path));
      const feedInto = dir === into ? feed : new TreeFeed(tree, dir);
      tree.setPartial(dir, true);
      try {
        for await (const page of pages) {
          const wanted = filter.passesAll
            ? page
            : await kept(page.filter((entry) => test.keepParents(entry.path)));
          feedInto.flatPage(path === '' ? wanted : wanted.map((entry) => under(entry, path)));
        }
        tree.setPartial(dir, false);
      } catch (thrown) {
        op.signal.throwIfAborted();
        if (dir === into && tree.childCount(dir) === 0) throw thrown;
        tree.setError(dir, toSyncerError(thrown).message);
      }
    },
  };
}

function under<E extends Entry>(entry: E, dir: string): E {
  return { ...entry, path: entry.path.slice(dir.length + 1) };
}

async function scanDirs(
  scan: ReturnType<typeof startScan>,
  bucketsFlat: boolean,
  { remote, filter, atOnce, tree }: Scanned,
  { into, path: base, preferred }: ScanOf,
  op: Op,
): Promise<void> {
  const pending: NodeId[] = [into];
  const taken = new Set<NodeId>();
  const deepest = filter.maxDepth <= 0 ? Number.POSITIVE_INFINITY : filter.maxDepth;
  let next = 0;
  const take = (): NodeId | undefined => {
    const wished = preferred?.();
    if (wished !== undefined && !tree.isListed(wished) && !taken.has(wished)) {
      if (pending.indexOf(wished, next) >= 0) {
        taken.add(wished);
        return wished;
      }
    }
    while (next < pending.length) {
      const dir = pending[next++] as NodeId;
      if (next > 4096) {
        pending.splice(0, next);
        next = 0;
      }
      if (!taken.delete(dir)) return dir;
    }
    return undefined;
  };
  const listOne = async (dir: NodeId) => {
    const path = joinPath(base, tree.path(dir));
    const depth = pathSegments(path).length + 1;
    let failed = 0;
    const { listUsage, takeUsage } = remote.can;
    const goBelow = (dirs: readonly NodeId[]) => {
      if (depth < deepest) for (const found of dirs) pending.push(found);
      else for (const found of dirs) tree.setListed(found);
    };
    if (dir !== into && filter.passesAll && takeUsage !== undefined) {
      const takeRows = (rows: UsageRows) => goBelow(scan.feed.dirRows(dir, rows));
      if (await takeUsage(path, takeRows, op)) return;
    }
    const readPage = async (cursor: string | undefined) => {
      const page =
        (await listUsage?.(path, cursor, op)) ?? (await remote.listPage(path, cursor, op));
      // A directory in another has it from there.
      if (dir === into && page.usage !== undefined) tree.setOwnUsage(dir, page.usage);
      return page;
    };
    const pages = readPages(readPage, ({ path: where, error }) => {
      if (failed++ === 0) tree.setError(dir, `${where}: ${error.message}`);
    });
    if (dir === into && (await scan.test.isMarked(path))) return;
    for await (const page of pages) {
      goBelow(scan.feed.dirPage(dir, await scan.kept(page)));
    }
  };
  const list = async (dir: NodeId) => {
    try {
      const path = joinPath(base, tree.path(dir));
      if (bucketsFlat && dir !== into) await scan.flat(dir, path, WITHIN_BUCKET);
      else await listOne(dir);
    } catch (thrown) {
      op.signal.throwIfAborted();
      if (dir === into) throw thrown;
      // What has gone since it was listed is not missed.
      if (hasCode(thrown, 'directory-not-found')) return tree.remove([dir]);
      tree.setError(dir, toSyncerError(thrown).message);
    }
    tree.setListed(dir);
  };
  await runAll(take, list, remote.traits.onDisk ? 1 : atOnce);
}

/** Takes items, of which running ones may add more, until there are none; at most `width` at once. */
async function runAll(
  take: () => NodeId | undefined,
  run: (dir: NodeId) => Promise<void>,
  width: number,
): Promise<void> {
  const running = new Set<Promise<void>>();
  let failure: { readonly thrown: unknown } | undefined;
  for (;;) {
    while (running.size < width && failure === undefined) {
      const dir = take();
      if (dir === undefined) break;
      const task = run(dir)
        .catch((thrown) => {
          failure ??= { thrown };
        })
        .finally(() => running.delete(task));
      running.add(task);
    }
    if (running.size === 0) break;
    await Promise.race(running);
  }
  if (failure !== undefined) throw failure.thrown;
}

/** The files of `--files-from`, as far as they are below the directory. */
async function scanNamed(
  { remote, filter, atOnce, tree }: Scanned,
  { into, path: base }: ScanOf,
  op: Op,
): Promise<void> {
  const feed = new TreeFeed(tree, into);
  const onError = (thrown: unknown, path: string) =>
    tree.setError(into, `${path}: ${toSyncerError(thrown).message}`);
  const walk = { remote, filter, op, atOnce, want: 'files', emit: () => {}, onError } as const;
  for await (const page of walkTree(walk)) {
    const wanted = page.filter(({ path }) => isWithin(base, path));
    feed.flatPage(base === '' ? wanted : wanted.map((entry) => under(entry, base)));
  }
  tree.setListed(into);
}
