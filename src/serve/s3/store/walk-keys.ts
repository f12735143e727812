import { compareNames } from '../../../core/name-order.ts';
import type { SortedKeys } from './sorted-keys.ts';

/** A key, or a group of keys that share what stands before the delimiter (a common prefix). */
export type KeyOrPrefix = { readonly key: string } | { readonly prefix: string };

/** Which keys are walked. */
export interface KeyWalk {
  /** Only keys that begin with it. */
  readonly prefix: string;
  /** Keys that hold it behind the prefix are grouped; `''` groups none. */
  readonly delimiter: string;
  /** Only what comes behind this key; `''` begins at the start. */
  readonly after: string;
  /** `after` is a common prefix: what begins with it is left out. */
  readonly afterGroup: boolean;
}

/**
 * Keys and common prefixes in the order of listings. A group is passed over in one step, however many keys
 * it has. The set must not change meanwhile.
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

/** `next`, or where the prefix begins if that comes later. */
function later(keys: SortedKeys, next: string, prefix: string): string {
  const first = keys.atOrAfter(prefix);
  return first === undefined || compareNames(next, first) >= 0 ? next : first;
}
