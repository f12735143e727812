import type { NodeId } from './node.ts';

/** Directories that are incomplete because one listing of everything below them has not ended, or has failed. */
export class PartialDirs {
  readonly #partial = new Set<NodeId>();
  /** Listed by themselves since, below one that may be partial. */
  readonly #whole = new Set<NodeId>();

  set(dir: NodeId, isPartial: boolean): void {
    if (isPartial) this.#partial.add(dir);
    else this.#partial.delete(dir);
  }

  /** A directory was listed again, as `from`. */
  replace(dir: NodeId, from: NodeId): void {
    this.#whole.add(dir);
    this.set(dir, this.#partial.delete(from));
  }

  has(dir: NodeId, parentOf: (dir: NodeId) => NodeId): boolean {
    if (this.#partial.size === 0) return false;
    for (let at = dir; at !== -1; at = parentOf(at)) {
      if (this.#partial.has(at)) return true;
      if (this.#whole.has(at)) return false;
    }
    return false;
  }
}
