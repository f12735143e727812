import { createHash } from 'node:crypto';

const BLOCK = 4 * 1024 * 1024;

/** Dropbox's content hash: the SHA-256 of the SHA-256 sums of all blocks of 4 MiB. */
export class DropboxHash {
  readonly #all = createHash('sha256');
  #block = createHash('sha256');
  #filled = 0;

  update(chunk: Uint8Array): this {
    let at = 0;
    while (at < chunk.length) {
      if (this.#filled === BLOCK) this.#endBlock();
      const taken = Math.min(BLOCK - this.#filled, chunk.length - at);
      this.#block.update(chunk.subarray(at, at + taken));
      this.#filled += taken;
      at += taken;
    }
    return this;
  }

  /** The 32 bytes of the hash; nothing may be passed afterwards. */
  digest(): Buffer {
    if (this.#filled > 0) this.#endBlock();
    return this.#all.digest();
  }

  #endBlock(): void {
    this.#all.update(this.#block.digest());
    this.#block = createHash('sha256');
    this.#filled = 0;
  }
}
