import type { Key } from './key.ts';
import { keyName, READ_MS } from './key-table.ts';

/** A key that is pressed once no other has come for `READ_MS`: the caller drops it when one does. */
export class HeldKey {
  #held: { readonly name: string; readonly timer: NodeJS.Timeout } | undefined;

  /** Calls `press` with the key in a moment. */
  hold(key: Key, press: (key: Key) => void): void {
    const timer = setTimeout(() => {
      this.#held = undefined;
      press(key);
    }, READ_MS).unref();
    this.#held = { name: keyName(key), timer };
  }

  /** Takes the key back; its name, or `undefined` if none waits. */
  drop(): string | undefined {
    const held = this.#held;
    clearTimeout(held?.timer);
    this.#held = undefined;
    return held?.name;
  }
}
