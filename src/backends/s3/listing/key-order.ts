import { SyncerError } from '../../../core/errors.ts';
import { NamesInTurn } from '../../../core/name-order.ts';
import type { KeyPage } from './lister.ts';

/** This many keys of a page in order are no coincidence. */
const ENOUGH = 10;

/** Watches the order of the keys of a listing, as far as its server keeps one. */
export class KeyOrder {
  readonly #bucket: string;
  #isKept = false;

  constructor(bucket: string) {
    this.#bucket = bucket;
  }

  /**
   * Whether keys of a page come before `after` or one another. Throws `bad-answer` if they must not (`mustBe`), if
   * the server kept an order before, and for a repeated key.
   */
  isBroken({ keys }: KeyPage, after: string | undefined, mustBe: boolean): boolean {
    const order = new NamesInTurn(after);
    let before = after;
    let wrong: string | undefined;
    for (const { key } of keys) {
      if (order.next(key) <= 0) {
        // Some servers sort by UTF-16, which differs beyond the names of most languages.
        if (mustBe || (this.#isKept && key <= (before ?? ''))) throw this.#outOfPlace(key);
        wrong ??= key;
      }
      before = key;
    }
    if (wrong === undefined && keys.length >= ENOUGH) this.#isKept = true;
    if (wrong === undefined) return false;
    if (new Set(keys.map(({ key }) => key)).size === keys.length) return true;
    throw new SyncerError('bad-answer', `the server lists keys of bucket ${this.#bucket} twice`);
  }

  #outOfPlace(key: string): SyncerError {
    const text = `the server does not list bucket ${this.#bucket} in order: ${key} is misplaced`;
    return new SyncerError('bad-answer', text);
  }
}
