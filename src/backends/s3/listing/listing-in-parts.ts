import { linkedAbort } from '../../../core/context.ts';
import type { Op } from '../../../core/remote.ts';
import type { S3Store } from '../store.ts';
import type { ListedKey } from '../xml/read-answer.ts';
import { ListedParts } from './listed-parts.ts';
import { KeyOrder, type KeyPage, type KeysAhead, type Position } from './lister.ts';

/** Parallel requests: each holds a page in memory, and in order some that wait for their turn. */
const MOST_AT_ONCE = 32;
const MOST_AT_ONCE_IN_ORDER = 16;
/** Shorter round trips are mostly processing, here or on the server: more requests would only add to it. */
const SLOW_MS = 8;
/** With short round trips: one request is under way while the answer to another is read. */
const AT_ONCE_NEARBY = 2;
/** In order, pages would wait for their turn, and what lives longer costs more. */
const AT_ONCE_NEARBY_IN_ORDER = 1;

/** What is listed in parts. */
interface Listed {
  readonly bucket: string;
  readonly prefix: string;
  /** Where it begins; absent: at the first key. */
  readonly from?: Position | undefined;
  readonly inOrder: boolean;
  /** Most parallel requests. */
  readonly atOnce: number;
}

/** A listing of all keys below a prefix with several requests at the same time. */
export class ListingInParts implements KeysAhead {
  readonly #store: S3Store;
  readonly #listed: Listed;
  readonly #parts: ListedParts;
  readonly #ending: AbortController;
  readonly #op: Op;
  #running = 0;
  #fastest = Number.POSITIVE_INFINITY;
  #wake = Promise.withResolvers<void>();

  constructor(store: S3Store, listed: Listed, op: Op) {
    const { bucket, from, inOrder } = listed;
    const order = new KeyOrder(bucket);
    const hasOrder = !store.settings.directoryBucket;
    this.#store = store;
    this.#listed = listed;
    this.#parts = new ListedParts({
      from,
      inOrder,
      mayCut: hasOrder,
      isBroken: (page, after, mustBe) => hasOrder && order.isBroken(page, after, mustBe),
    });
    this.#ending = linkedAbort(op.signal);
    this.#op = { ...op, signal: this.#ending.signal };
  }

  async next(): Promise<readonly ListedKey[] | undefined> {
    for (;;) {
      this.#begin();
      const keys = this.#parts.shift();
      if (keys !== undefined) {
        this.#begin();
        return keys;
      }
      if (this.#parts.isOver) return undefined;
      await this.#wake.promise;
    }
  }

  get isOver(): boolean {
    return this.#parts.isOver;
  }

  end(): void {
    this.#ending.abort();
  }

  #begin(): void {
    const { bucket, prefix, atOnce, inOrder } = this.#listed;
    const { lister, client } = this.#store;
    const { clock } = client.context;
    const [nearby, far] = inOrder
      ? [AT_ONCE_NEARBY_IN_ORDER, MOST_AT_ONCE_IN_ORDER]
      : [AT_ONCE_NEARBY, MOST_AT_ONCE];
    const width = Math.max(1, Math.min(atOnce, this.#fastest < SLOW_MS ? nearby : far));
    while (this.#running < width) {
      const request = this.#parts.next(width);
      if (request === undefined) return;
      const { position, took, failed } = request;
      const since = clock.monotonic();
      const use = (page: KeyPage) => {
        this.#fastest = Math.min(this.#fastest, clock.monotonic() - since);
        took(page);
      };
      this.#running++;
      const asked = lister.read({ bucket, prefix, byDirectory: false, position }, this.#op, use);
      void asked.catch(failed).finally(() => {
        this.#running--;
        this.#wake.resolve();
        this.#wake = Promise.withResolvers();
      });
    }
  }
}
