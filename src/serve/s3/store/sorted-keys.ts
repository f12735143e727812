import { compareNames } from '../../../core/name-order.ts';

/** Most keys in a block; a full block is split. */
const BLOCK = 512;

/**
 * A set of keys in the order of listings (UTF-8 bytes), in blocks so that adding and deleting one is cheap at any
 * size.
 */
export class SortedKeys {
  #blocks: string[][] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds a key; `false` if it is there already. */
  add(key: string): boolean {
    const block = this.#blocks[Math.max(0, this.#blockAfter(key) - 1)];
    if (block === undefined) {
      this.#blocks.push([key]);
      this.#size = 1;
      return true;
    }
    const at = lowerBound(block, key);
    if (block[at] === key) return false;
    block.splice(at, 0, key);
    this.#size++;
    if (block.length > BLOCK) {
      this.#blocks.splice(this.#blocks.indexOf(block) + 1, 0, block.splice(BLOCK / 2));
    }
    return true;
  }

  /** Deletes a key; `false` if it is not there. */
  delete(key: string): boolean {
    const index = this.#blockAfter(key) - 1;
    const block = this.#blocks[index];
    if (block === undefined) return false;
    const at = lowerBound(block, key);
    if (block[at] !== key) return false;
    block.splice(at, 1);
    this.#size--;
    if (block.length === 0) this.#blocks.splice(index, 1);
    return true;
  }

  has(key: string): boolean {
    const block = this.#blocks[this.#blockAfter(key) - 1];
    return block !== undefined && block[lowerBound(block, key)] === key;
  }

  /** The first key that is not before `from`. */
  atOrAfter(from: string): string | undefined {
    const index = Math.max(0, this.#blockAfter(from) - 1);
    const block = this.#blocks[index];
    return block?.[lowerBound(block, from)] ?? this.#blocks[index + 1]?.[0];
  }

  /** The first key after all that start with `prefix`. */
  afterPrefix(prefix: string): string | undefined {
    const isBehind = (key: string) => !key.startsWith(prefix) && compareNames(key, prefix) > 0;
    const index = firstWhere(this.#blocks, (block) => isBehind(block[0] ?? '')) - 1;
    const block = this.#blocks[Math.max(0, index)];
    if (block === undefined) return undefined;
    return block[firstWhere(block, isBehind)] ?? this.#blocks[Math.max(0, index) + 1]?.[0];
  }

  /** The keys from the first that is not before `from`, in order. The set must not change during the iteration. */
  *from(from: string): Generator<string> {
    let index = Math.max(0, this.#blockAfter(from) - 1);
    let at = lowerBound(this.#blocks[index] ?? [], from);
    for (; index < this.#blocks.length; index++) {
      const block = this.#blocks[index] ?? [];
      for (; at < block.length; at++) yield block[at] ?? '';
      at = 0;
    }
  }

  /** Index of the first block that starts after `key`. */
  #blockAfter(key: string): number {
    return firstWhere(this.#blocks, (block) => compareNames(block[0] ?? '', key) > 0);
  }
}

function lowerBound(block: readonly string[], key: string): number {
  return firstWhere(block, (each) => compareNames(each, key) >= 0);
}

/** Index of the first item for which `is` is true; it must be true for all items after it. */
function firstWhere<T>(items: readonly T[], is: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (is(items[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}
