import { ownText } from '../core/own-text.ts';
import type { Entry } from '../core/remote.ts';
import { parentPath } from '../core/remote-path.ts';
import { DirsAhead, type PendingDir } from './dirs-ahead.ts';
import { entryTest, keptEntries, type Walk } from './kept-entries.ts';
import { readAhead } from './ordered-batches.ts';

/** An entry at its place in a drawn tree. */
export interface TreeRow {
  readonly entry: Entry;
  /** The root has depth 0. */
  readonly depth: number;
  /** The last of its directory. */
  readonly isLast: boolean;
}

/** Arranges the entries of one directory: drops, completes or sorts them. */
export type ArrangeDir = (
  pages: AsyncIterable<readonly Entry[]>,
) => AsyncIterable<readonly Entry[]>;

/** A directory whose entries are being drawn. */
interface OpenDir {
  readonly dir: PendingDir;
  readonly batches: AsyncIterator<readonly Entry[]>;
  /** Entries that were read; empty at the end. */
  batch: readonly Entry[];
  /** The next one of them. */
  at: number;
}

/**
 * The rows of a walk directory by directory, each directory followed by what is in it; the root comes first. Of each
 * open directory a page or two are held, so memory does not grow with the number of entries, unless `arrange` collects
 * them. A subdirectory that cannot be listed goes to `onError`. Rejects if the root cannot be listed.
 */
export async function* rowsByWalk(
  walk: Walk,
  maxDepth: number,
  arrange: ArrangeDir,
): AsyncGenerator<readonly TreeRow[]> {
  const { op, want, atOnce } = walk;
  const test = entryTest(walk.remote, walk.filter, op, walk.onError);
  const dirs = new DirsAhead(walk);
  const open: OpenDir[] = [];

  async function* keptOf(dir: PendingDir): AsyncGenerator<readonly Entry[]> {
    if (dir.depth === 1 && (await test.isMarked(''))) return;
    for await (const page of dirs.pagesOf(dir)) {
      const kept = await keptEntries(page, test.keepEntry, atOnce);
      const wanted = want === 'all' ? kept : kept.filter((entry) => `${entry.kind}s` === want);
      walk.emit({ type: 'listed', entries: wanted.length });
      if (wanted.length > 0) yield wanted;
    }
  }
  const readOn = async (opened: OpenDir) => {
    const { dir, batches } = opened;
    opened.batch = [];
    opened.at = 0;
    try {
      let next = await batches.next();
      while (next.done !== true && next.value.length === 0) next = await batches.next();
      if (next.done !== true) opened.batch = next.value;
    } catch (thrown) {
      if (dir.depth === 1 || op.signal.aborted) throw thrown;
      walk.onError(thrown, dir.path);
    }
    if (maxDepth >= 0 && dir.depth >= maxDepth) return;
    for (const { kind, path } of opened.batch.toReversed())
      if (kind === 'dir') dirs.pending.push({ path, depth: dir.depth + 1 });
    dirs.lookAhead();
  };
  const enter = (dir: PendingDir) => {
    const batches = readAhead(arrange(keptOf(dir)));
    const opened: OpenDir = { dir, batches, batch: [], at: 0 };
    open.push(opened);
    return readOn(opened);
  };

  try {
    await enter({ path: '', depth: 1 });
    let rows: TreeRow[] = [{ entry: { kind: 'dir', path: '' }, depth: 0, isLast: true }];
    for (let above = open.at(-1); above !== undefined; above = open.at(-1)) {
      const { batch, dir } = above;
      const entry = batch[above.at++];
      if (entry === undefined) {
        open.pop();
        continue;
      }
      const isEntered = entry.kind === 'dir' && dirs.pending.at(-1)?.path === entry.path;
      const below = isEntered ? dirs.pending.pop() : undefined;
      if (above.at === batch.length) await readOn(above);
      rows.push({ entry, depth: dir.depth, isLast: above.batch.length === 0 });
      if (below !== undefined) await enter(below);
      // About as many at a time.
      if (rows.length < 1000) continue;
      yield rows;
      rows = [];
    }
    yield rows;
  } finally {
    for (const { batches } of open) await batches.return?.();
  }
}

/** A file or directory of a tree that is in memory as a whole. */
export interface TreeNode {
  readonly entry: Entry;
  /** Empty for files, and for directories that were not listed. */
  readonly children: TreeNode[];
}

/** Joins listed entries, in any order, to a tree. */
export class TreeBuilder {
  readonly root: TreeNode = nodeOf({ kind: 'dir', path: '' });
  readonly #dirs = new Map<string, TreeNode>([['', this.root]]);

  /** Adds an entry, and the directories above it that are not there yet. */
  add(entry: Entry): void {
    if (entry.kind === 'dir' && this.#dirs.has(entry.path)) return;
    const node = nodeOf(entry);
    this.#dir(parentPath(entry.path)).children.push(node);
    if (entry.kind === 'dir') this.#dirs.set(entry.path, node);
  }

  #dir(path: string): TreeNode {
    const known = this.#dirs.get(path);
    if (known !== undefined) return known;
    this.add({ kind: 'dir', path });
    return this.#dir(path);
  }
}

/** Files are many: no more of one is kept than is drawn, and it has no list of its own. */
const NONE: TreeNode[] = [];

function nodeOf(entry: Entry): TreeNode {
  const path = ownText(entry.path);
  if (entry.kind === 'dir') return { entry: { ...entry, path }, children: [] };
  const { kind, size, modTime } = entry;
  const drawn = modTime === undefined ? { kind, path, size } : { kind, path, size, modTime };
  return { entry: drawn, children: NONE };
}

/** Whether the path is, or is below, a name that starts with a dot. */
export const isHidden = (path: string): boolean => path.startsWith('.') || path.includes('/.');

/** The rows of a tree in memory. */
export function* rowsOfTree(node: TreeNode, depth = 0, isLast = true): Generator<TreeRow> {
  yield { entry: node.entry, depth, isLast };
  const { children } = node;
  for (const [i, child] of children.entries())
    yield* rowsOfTree(child, depth + 1, i === children.length - 1);
}
