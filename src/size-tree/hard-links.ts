import type { NewNode, NodeId } from './node.ts';
import type { SizeTree } from './size-tree.ts';

/** Adds files that have several names so that each directory counts their content once, as ncdu does. */
export class HardLinks {
  readonly #tree: SizeTree;
  /** The directories that hold a file, by what tells it from others. */
  readonly #holders = new Map<string, Set<NodeId>>();

  constructor(tree: SizeTree) {
    this.#tree = tree;
  }

  /** Adds one name of the file that `key` stands for. */
  add(dir: NodeId, key: string, { name, size, timeMs }: Omit<NewNode, 'isDir'>): void {
    const holders = this.#holders.get(key) ?? new Set<NodeId>();
    this.#holders.set(key, holders);
    this.#tree.add(dir, [{ name, isDir: false, size, timeMs }]);
    const top = this.#above(dir, (at) => holders.has(at));
    if (top !== undefined && size > 0) this.#tree.addSize(top, -size);
    this.#above(dir, (at) => {
      const isKnown = holders.has(at);
      holders.add(at);
      return isKnown;
    });
  }

  /** The first directory, from `dir` upwards, that passes the test. */
  #above(dir: NodeId, test: (dir: NodeId) => boolean): NodeId | undefined {
    for (let at = dir; at !== -1; at = this.#tree.parent(at)) if (test(at)) return at;
    return undefined;
  }
}
