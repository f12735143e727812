import { nameFromBytes } from '../core/name-bytes.ts';

/** What stands in a stream of nested arrays of objects: a bracket, or the text of a whole object. */
export type JsonPart = '[' | ']' | { readonly object: string };

const [QUOTE, BACKSLASH, OPEN, CLOSE, BEGIN, END] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Cuts JSON that is arrays of arrays and objects into its brackets and objects, chunk by chunk, so that text of any
 * length takes no more memory than its largest object. Numbers and commas between them are passed over.
 */
export class JsonObjects {
  /** What of an object has come in earlier chunks. */
  #held: Buffer[] = [];
  #depth = 0;
  #inString = false;
  #escaped = false;

  /** Whether an object has begun that has not ended. */
  get isOpen(): boolean {
    return this.#depth > 0;
  }

  *parts(chunk: Buffer): Generator<JsonPart> {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (this.#inString) this.#inText(byte);
      else if (byte === OPEN) {
        if (this.#depth++ === 0) from = at;
      } else if (byte === CLOSE && this.#depth > 0) {
        if (--this.#depth > 0) continue;
        yield { object: this.#take(chunk.subarray(from, at + 1)) };
      } else if (byte === QUOTE) this.#inString = this.#depth > 0;
      else if (this.#depth > 0) continue;
      else if (byte === BEGIN) yield '[';
      else if (byte === END) yield ']';
    }
    if (this.#depth > 0) this.#held.push(chunk.subarray(from));
  }

  #inText(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) this.#inString = false;
  }

  #take(last: Buffer): string {
    if (this.#held.length === 0) return nameFromBytes(last);
    const whole = Buffer.concat([...this.#held, last]);
    this.#held = [];
    return nameFromBytes(whole);
  }
}
