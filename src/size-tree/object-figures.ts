import type { Hashes } from '../core/hash-names.ts';
import { grown, nextLength } from './grown.ts';

/** What the listing of an object store has besides sizes and times. */
export interface ObjectFacts {
  /** Storage class or tier. */
  readonly tier?: string | undefined;
  readonly hashes?: Hashes | undefined;
}

const MOST_CLASSES = 255;

/** Storage classes and hashes of nodes; takes no memory where listings have none. */
export class ObjectFigures {
  readonly #classes: string[] = [''];
  #class = new Uint8Array(0);
  /** 40 bits of the hash of each node: of a million files of one size, hardly two that differ have the same. */
  #low = new Uint32Array(0);
  #high = new Uint8Array(0);

  /** The storage classes by their numbers; 0 is unknown. */
  get classes(): readonly string[] {
    return this.#classes;
  }

  set(node: number, { tier, hashes }: ObjectFacts): void {
    const number = tier === undefined ? 0 : this.#numberOf(tier);
    if (number !== 0) {
      if (node >= this.#class.length) this.#class = grown(this.#class, nextLength(node));
      this.#class[node] = number;
    }
    const hash = hashes?.md5 ?? hashes?.sha1 ?? hashes?.quickxor ?? hashes?.sha256;
    if (hash === undefined) return;
    if (node >= this.#low.length) {
      this.#low = grown(this.#low, nextLength(node));
      this.#high = grown(this.#high, nextLength(node));
    }
    this.#low[node] = Number.parseInt(hash.slice(0, 8), 16) || 1;
    this.#high[node] = Number.parseInt(hash.slice(8, 10), 16);
  }

  classOf(node: number): number {
    return this.#class[node] ?? 0;
  }

  /** A number for its content, of the first 40 bits of its hash; 0 without one. */
  hashKey(node: number): number {
    return (this.#high[node] ?? 0) * 2 ** 32 + (this.#low[node] ?? 0);
  }

  #numberOf(tier: string): number {
    const known = this.#classes.indexOf(tier);
    if (known >= 0 || this.#classes.length > MOST_CLASSES) return Math.max(0, known);
    return this.#classes.push(tier) - 1;
  }
}
