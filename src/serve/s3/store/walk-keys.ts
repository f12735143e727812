import { compareNames } from '../../../core/name-order.ts';
import type { SortedKeys } from './sorted-keys.ts';

/** A key, or a group of keys with a common prefix up to the delimiter. */
export type KeyOrPrefix = { readonly key: string } | { readonly prefix: string };

/** Which keys to walk. */
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

/**
 * Keys and common prefixes in the order of listings. A group is skipped in one step, however many keys it has. The
 * set must not change during the iteration.
 */
export function* walkKeys(keys: SortedKeys, walk: KeyWalk): Generator<KeyOrPrefix> {
  const { prefix, delimiter } = walk;
  let start: string | undefined = prefix;
  if (walk.after !== '') {
    const next = walk.afterGroup ? keys.afterPrefix(walk.after) : keys.atOrAfter(`${walk.after}\0`);
    start = next === undefined ? undefined : later(keys, next, prefix);
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

/** `next`, or the start of the prefix if that comes later. */
function later(keys: SortedKeys, next: string, prefix: string): string {
  const first = keys.atOrAfter(prefix);
  return first === undefined || compareNames(next, first) >= 0 ? next : first;
}
