import { createHash } from 'node:crypto';

const DIGEST_BYTES = 20;

/** The hash of Mail.ru's cloud: small content itself, else a SHA-1 that begins with a word and ends with the length. */
export class MailruHash {
  readonly #sha = createHash('sha1').update('mrCloud');
  readonly #small = Buffer.alloc(DIGEST_BYTES);
  #length = 0;

  update(chunk: Uint8Array): this {
    this.#sha.update(chunk);
    if (this.#length < DIGEST_BYTES) {
      this.#small.set(chunk.subarray(0, DIGEST_BYTES - this.#length), this.#length);
    }
    this.#length += chunk.length;
    return this;
  }

  /** The 20 bytes of the hash; nothing may be passed afterwards. */
  digest(): Buffer {
    if (this.#length <= DIGEST_BYTES) return this.#small;
    return this.#sha.update(String(this.#length)).digest();
  }
}
