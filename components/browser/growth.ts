import type { OlderScan } from '../../src/size-tree/browser-effects.ts';
import { findNode } from '../../src/size-tree/find-node.ts';
import { type NodeId, ROOT } from '../../src/size-tree/node.ts';
import type { SizeTree } from '../../src/size-tree/size-tree.ts';
import { type SizeKind, shownSize } from '../../src/size-tree/sort-order.ts';
import { ago } from '../../src/terminal/time-texts.ts';

/** Of directories with more entries the growth is not shown: their names would have to be compared within a key. */
const MOST_ENTRIES = 20_000;

/** How entries have grown since a scan of before. */
export class Growth {
  readonly #older: OlderScan;
  /** The entries of a directory in the older scan, by their names. */
  #known: { key: string; nodes: ReadonlyMap<string, NodeId> | undefined } | undefined;

  constructor(older: OlderScan) {
    this.#older = older;
  }

  /** The heading of the column: `in 3 d`. */
  get since(): string {
    const { timeMs } = this.#older;
    return Number.isNaN(timeMs) ? 'growth' : `in ${ago(Date.now() - timeMs).replace(' ago', '')}`;
  }

  /** Whether everything together has the size and the number of files of then: no column shows that. */
  isNone(tree: SizeTree, order: SizeKind): boolean {
    const { tree: older } = this.#older;
    const isSameSize = shownSize(tree, ROOT, order) === shownSize(older, ROOT, order);
    return isSameSize && tree.files(ROOT) === older.files(ROOT);
  }

  /** In bytes; `undefined` if it is not known. */
  of(tree: SizeTree, node: NodeId, order: SizeKind): number | 'new' | undefined {
    const { tree: older } = this.#older;
    const names = this.#namesIn(tree, tree.parent(node));
    if (names === undefined || tree.isExcluded(node)) return undefined;
    const before = names.get(tree.name(node));
    if (before === undefined) return 'new';
    if (older.isDir(before) !== tree.isDir(node) || older.failed(before) > 0) return undefined;
    return shownSize(tree, node, order) - shownSize(older, before, order);
  }

  #namesIn(tree: SizeTree, dir: NodeId): ReadonlyMap<string, NodeId> | undefined {
    const key = `${dir} ${tree.path(dir)}`;
    if (this.#known?.key === key) return this.#known.nodes;
    const { tree: older } = this.#older;
    const before = findNode(older, ROOT, tree.path(dir));
    const isFew = before !== undefined && older.childCount(before) <= MOST_ENTRIES;
    const nodes = isFew
      ? new Map([...older.children(before)].map((node) => [older.name(node), node]))
      : undefined;
    this.#known = { key, nodes };
    return nodes;
  }
}
