import { compareNames } from '../../../core/name-order.ts';

/** Most keys in a block; a full block is split. */
const BLOCK = 512;

/** A set of keys in the order of UTF-8 bytes, in blocks so that adding and deleting one is cheap at any size. */
export class SortedKeys {
  #blocks: string[][] = [];

  add(key: string): void {
    const block = this.#blocks[Math.max(0, this.#blockAfter(key) - 1)];
    if (block === undefined) {
      this.#blocks.push([key]);
      return;
    }
    const at = lowerBound(block, key);
    if (block[at] === key) return;
    block.splice(at, 0, key);
    if (block.length > BLOCK) {
      this.#blocks.splice(this.#blocks.indexOf(block) + 1, 0, block.splice(BLOCK / 2));
    }
  }

  delete(key: string): void {
    const index = this.#blockAfter(key) - 1;
    const block = this.#blocks[index];
    if (block === undefined) return;
    const at = lowerBound(block, key);
    if (block[at] !== key) return;
    block.splice(at, 1);
    if (block.length === 0) this.#blocks.splice(index, 1);
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

/** A key, or a group of keys with a common prefix up to the delimiter. */
export type KeyOrPrefix = { readonly key: string } | { readonly prefix: string };

export interface KeyWalk {
  /** Only keys that start with it. */
  readonly prefix: string;
  /** Keys with this text after the prefix are grouped; `''` groups none. */
  readonly delimiter: string;
  /** Only keys after this one; `''` starts at the first. */
  readonly after: string;
  /** `after` is a common prefix: keys that start with it are skipped. */
  readonly afterGroup: boolean;
}

/** Keys and common prefixes in order; a group is skipped in one step. The set must not change during that. */
export function* walkKeys(keys: SortedKeys, walk: KeyWalk): Generator<KeyOrPrefix> {
  const { prefix, delimiter } = walk;
  let start: string | undefined = prefix;
  if (walk.after !== '') {
    const next = walk.afterGroup ? keys.afterPrefix(walk.after) : keys.atOrAfter(`${walk.after}\0`);
    const first = keys.atOrAfter(prefix);
    // The start of the prefix, if that comes later.
    const isBefore = next !== undefined && first !== undefined && compareNames(next, first) < 0;
    start = isBefore ? first : next;
  }
  while (start !== undefined) {
    let group: string | undefined;
    for (const key of keys.from(start)) {
      if (!key.startsWith(prefix)) return;
      const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
      if (at >= 0) {
        group = key.slice(0, at + delimiter.length);
        break;
      }
      yield { key };
    }
    if (group === undefined) return;
    yield { prefix: group };
    start = keys.afterPrefix(group);
  }
}
