import type { NodeId } from './node.ts';
import { NONE } from './node-figures.ts';
import type { SizeTree } from './size-tree.ts';

export interface Prices {
  /** As it stands in the file: `EUR`; may be `''`. */
  readonly currency: string;
  /** Of one GiB for a month, by storage class. */
  readonly byClass: ReadonlyMap<string, number>;
}

const GIB = 1024 ** 3;

/** Objects of servers that do not say their class are of this one. */
const USUAL_CLASS = 'STANDARD';

/** What the entries of a tree cost per month; computed again after a change, where that is not too soon. */
export class Costs {
  readonly currency: string;
  readonly #tree: SizeTree;
  readonly #prices: Prices;
  readonly #nowMs: () => number;
  #sums = new Float64Array(0);
  #version = -1;
  #nextMs = Number.NEGATIVE_INFINITY;

  constructor(tree: SizeTree, prices: Prices, nowMs: () => number) {
    this.#tree = tree;
    this.#prices = prices;
    this.#nowMs = nowMs;
    this.currency = prices.currency;
  }

  /** Per month, of a directory with all below it that is not excluded; `NaN` for a class without a price. */
  of(node: NodeId): number {
    if (this.#version !== this.#tree.version && this.#nowMs() >= this.#nextMs) this.#compute();
    return this.#sums[node] ?? Number.NaN;
  }

  /** Storage classes of the tree without a price: directories do not count them. */
  get unpriced(): readonly string[] {
    const { classes } = this.#tree.objects;
    return classes.filter((name) => name !== '' && this.#priceOf(name) === undefined);
  }

  #priceOf(name: string): number | undefined {
    return this.#prices.byClass.get((name === '' ? USUAL_CLASS : name).toUpperCase());
  }

  #compute(): void {
    const tree = this.#tree;
    const startedMs = this.#nowMs();
    const prices = tree.objects.classes.map((name) => (this.#priceOf(name) ?? Number.NaN) / GIB);
    const sums = new Float64Array(tree.nodes);
    // A directory comes before its entries.
    for (let node = sums.length - 1; node >= 0; node--) {
      if (!tree.isDir(node)) {
        sums[node] = tree.size(node) * (prices[tree.objects.classOf(node)] as number);
      }
      const parent = tree.parent(node);
      if (parent === NONE || tree.isGone(node) || tree.isExcluded(node)) continue;
      sums[parent] = (sums[parent] as number) + ((sums[node] as number) || 0);
    }
    this.#sums = sums;
    this.#version = tree.version;
    const tookMs = this.#nowMs() - startedMs;
    this.#nextMs = this.#nowMs() + 10 * tookMs;
  }
}
