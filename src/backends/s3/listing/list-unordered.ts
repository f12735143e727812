import type { Entry, Op } from '../../../core/remote.ts';
import { joinPath } from '../../../core/remote-path.ts';
import { linkedAbort } from '../../../kit/abort.ts';
import { listBuckets } from '../buckets/list-buckets.ts';
import { type Location, prefixOf, type S3Store } from '../store.ts';
import { missingBucket } from '../store-error.ts';
import { KeyOrder } from './key-order.ts';
import { pageFiles } from './list-entries.ts';
import { ListedParts } from './listed-parts.ts';
import type { KeyPage } from './lister.ts';

/** Parallel requests: each holds a page in memory. */
const MOST_AT_ONCE = 10;

/** Shorter round trips are mostly processing, here or on the server: more requests would only add to it. */
const SLOW_MS = 8;

/** The result of one request. */
interface Arrived {
  readonly id: number;
  readonly page: KeyPage;
  /** Returns the keys of the page that belong to the listing. */
  take(page: KeyPage): KeyPage['keys'];
}

/**
 * All files below a directory, in no order. If the server is far away, the range of keys is split after some pages
 * and listed in parallel. Rejects as `listEntries`.
 */
export async function* listUnordered(
  store: S3Store,
  dir: string,
  atOnce: number,
  op: Op,
): AsyncGenerator<readonly Entry[]> {
  const location = store.locate(dir);
  if (location.bucket !== '') return yield* listBucket(store, { location, dir }, atOnce, op);
  for (const { path } of await listBuckets(store, op)) {
    const place = { location: store.locate(path), dir: joinPath(dir, path), wasListed: true };
    yield* listBucket(store, place, atOnce, op);
  }
}

async function* listBucket(
  store: S3Store,
  place: { readonly location: Location; readonly dir: string; readonly wasListed?: boolean },
  atOnce: number,
  op: Op,
): AsyncGenerator<readonly Entry[]> {
  const { location, dir, wasListed = false } = place;
  const { bucket } = location;
  const prefix = prefixOf(location);
  const order = new KeyOrder(bucket);
  const parts = new ListedParts(prefix, (page, after, mustBe) =>
    order.isBroken(page, after, mustBe),
  );
  const running = new Map<number, Promise<Arrived>>();
  const ending = linkedAbort(op.signal);
  const { clock } = store.client.context;
  let id = 0;
  let hasBegun = wasListed;
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
      hasBegun = true;
      const { prefixes } = arrived.page;
      const keys = arrived.take(arrived.page);
      if (keys.length > 0) yield pageFiles(store, { keys, prefixes }, prefix, dir);
    }
  } catch (thrown) {
    throw missingBucket(thrown, store.settings.remote, bucket, hasBegun) ?? thrown;
  } finally {
    ending.abort();
  }
}
