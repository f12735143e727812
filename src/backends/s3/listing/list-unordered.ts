import { SyncerError } from '../../../core/errors.ts';
import { linkedAbort } from '../../../core/linked-abort.ts';
import { compareNames } from '../../../core/name-order.ts';
import type { Entry, Op } from '../../../core/remote.ts';
import { joinPath } from '../../../core/remote-path.ts';
import { listBuckets } from '../buckets/list-buckets.ts';
import { type Location, prefixOf, type S3Store } from '../store.ts';
import { missingBucket, pageFiles } from './list-entries.ts';
import { ListedParts } from './listed-parts.ts';
import type { KeyPage } from './lister.ts';

/** Requests at once: each holds a page in memory. */
const MOST_AT_ONCE = 10;

/** Round trips shorter than this are mostly work, here or in the store, of which parts only make more. */
const SLOW_MS = 8;

/** What came of one request. */
interface Arrived {
  readonly id: number;
  readonly page: KeyPage;
  /** Gives the keys of the page that belong to the listing. */
  take(page: KeyPage): KeyPage['keys'];
}

/**
 * All files below a directory, in no order. Where the store is far away, the range of keys is split after some pages,
 * and its parts are listed at once, so that a listing does not take as many round trips as it has pages. Rejects as
 * `listEntries`.
 */
export async function* listUnordered(
  store: S3Store,
  dir: string,
  atOnce: number,
  op: Op,
): AsyncGenerator<readonly Entry[]> {
  const location = store.locate(dir);
  if (location.bucket !== '') return yield* listBucket(store, location, dir, atOnce, op);
  for (const { path } of await listBuckets(store, op)) {
    yield* listBucket(store, store.locate(path), joinPath(dir, path), atOnce, op);
  }
}

async function* listBucket(
  store: S3Store,
  location: Location,
  dir: string,
  atOnce: number,
  op: Op,
): AsyncGenerator<readonly Entry[]> {
  const { bucket } = location;
  const prefix = prefixOf(location);
  const parts = new ListedParts(prefix, outOfOrder(bucket));
  const running = new Map<number, Promise<Arrived>>();
  const ending = linkedAbort(op.signal);
  const { clock } = store.client.context;
  let id = 0;
  let fastest = Number.POSITIVE_INFINITY;
  const width = Math.min(atOnce, MOST_AT_ONCE);
  const begin = ({ position, take }: ReturnType<ListedParts['next']> & object) => {
    const mine = id++;
    const query = { bucket, prefix, byDirectory: false, position };
    const since = clock.monotonic();
    const asked = store.lister.page(query, { signal: ending.signal });
    const arrived = asked.then((page) => {
      fastest = Math.min(fastest, clock.monotonic() - since);
      return { id: mine, page, take };
    });
    arrived.catch(() => undefined);
    running.set(mine, arrived);
  };
  try {
    for (;;) {
      while (running.size < width) {
        const request = parts.next(fastest >= SLOW_MS);
        if (request === undefined) break;
        begin(request);
      }
      if (running.size === 0) return;
      const arrived = await Promise.race(running.values());
      running.delete(arrived.id);
      const { prefixes } = arrived.page;
      const keys = arrived.take(arrived.page);
      if (keys.length > 0) yield pageFiles(store, { keys, prefixes }, prefix, dir);
    }
  } catch (thrown) {
    throw missingBucket(thrown, bucket) ?? thrown;
  } finally {
    ending.abort();
  }
}

function outOfOrder(bucket: string) {
  return (page: KeyPage, after: string | undefined, mustBe: boolean): boolean => {
    let before = after;
    const wrong = page.keys.find(({ key }) => {
      const isWrong = before !== undefined && compareNames(key, before) <= 0;
      before = key;
      return isWrong;
    });
    if (wrong !== undefined && mustBe) {
      const text = `the store does not list bucket ${bucket} in order: ${wrong.key} is not in its place`;
      throw new SyncerError('bad-answer', text);
    }
    return wrong !== undefined;
  };
}
