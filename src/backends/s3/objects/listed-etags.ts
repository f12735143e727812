import { hasCode } from '../../../core/errors.ts';
import type { HttpHeaders } from '../../../http/answer-parser.ts';
import { etagOf, isKeyEncrypted, md5OfEtag } from './object-entry.ts';

/**
 * What the ETags in listings are worth. An ETag of 32 hexadecimal digits is an MD5, unless a key encrypts the object,
 * which only a response about it says. A bucket encrypts its objects by default, so one response shows it of all.
 */
export class ListedEtags {
  /** By bucket; absent if unknown. */
  readonly isMd5 = new Map<string, boolean>();
  readonly #asked = new Map<string, Promise<unknown>>();

  /** Learns from the response about an object. A bucket may have objects of both kinds: then no ETag counts. */
  learn(bucket: string, headers: HttpHeaders): void {
    if (this.isMd5.get(bucket) === false) return;
    if (isKeyEncrypted(headers)) this.isMd5.set(bucket, false);
    else if (md5OfEtag(etagOf(headers)) !== undefined) this.isMd5.set(bucket, true);
  }

  /** An object just written is encrypted by a key; others may have been written under another default. */
  learnEncrypted(bucket: string): void {
    this.isMd5.set(bucket, false);
  }

  /** Asks once, however many wait; what cannot be asked counts as usual. */
  async ask(bucket: string, ask: () => Promise<unknown>): Promise<void> {
    let asking = this.#asked.get(bucket);
    if (asking === undefined) {
      asking = ask().catch((error) => {
        this.#asked.delete(bucket);
        if (!hasCode(error, 'access-denied', 'file-not-found')) throw error;
        if (hasCode(error, 'access-denied')) this.isMd5.set(bucket, true);
      });
      this.#asked.set(bucket, asking);
    }
    await asking;
    if (this.isMd5.get(bucket) === undefined) this.#asked.delete(bucket);
  }
}
