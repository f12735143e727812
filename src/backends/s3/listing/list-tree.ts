import { SyncerError } from '../../../core/errors.ts';
import { compareNames } from '../../../core/name-order.ts';
import type { NameRange } from '../../../core/name-range.ts';
import type { Entry, Op, Page } from '../../../core/remote.ts';
import { joinPath } from '../../../core/remote-path.ts';
import { linkedAbort } from '../../../kit/abort.ts';
import { listBuckets } from '../buckets/list-buckets.ts';
import { type Location, prefixOf, type S3Store } from '../store.ts';
import { missingBucket } from '../store-error.ts';
import { KeyOrder } from './key-order.ts';
import { type ListState, listEntries, pageFiles, toPage } from './list-entries.ts';
import { ListedParts } from './listed-parts.ts';
import type { KeyPage } from './lister.ts';

/** The state of a listing of all buckets. */
interface StoreState {
  readonly bucket: string;
  readonly state?: ListState;
}

/**
 * A page of all files below a directory; of all buckets one after another, if the directory is the root of the
 * account; such a listing has no `range` (`usage`).
 */
export async function listTree(
  store: S3Store,
  dir: string,
  cursor: string | undefined,
  op: Op,
  range?: NameRange,
): Promise<Page> {
  const location = store.locate(dir);
  if (location.bucket === '') {
    if (range === undefined) return listStore(store, cursor, op);
    throw new SyncerError('usage', 'ranges of names are in one bucket: name it after the remote');
  }
  const state = cursor === undefined ? undefined : (JSON.parse(cursor) as ListState);
  return toPage(await listEntries(store, { location, dir, state, range }, true, op));
}

async function listStore(store: S3Store, cursor: string | undefined, op: Op): Promise<Page> {
  const at = cursor === undefined ? undefined : (JSON.parse(cursor) as StoreState);
  const bucket = at?.bucket ?? (await bucketAfter(store, undefined, op));
  if (bucket === undefined) return { entries: [] };
  const { entries, next } = await listEntries(
    store,
    {
      location: store.locate(bucket),
      dir: joinPath('', bucket),
      state: at?.state,
      wasListed: true,
    },
    true,
    op,
  );
  if (next !== undefined) return { entries, cursor: JSON.stringify({ bucket, state: next }) };
  const following = await bucketAfter(store, bucket, op);
  return following === undefined
    ? { entries }
    : { entries, cursor: JSON.stringify({ bucket: following }) };
}

/** The bucket of the next files: by whole path `a-b/x` comes before `a/x`. */
async function bucketAfter(
  store: S3Store,
  bucket: string | undefined,
  op: Op,
): Promise<string | undefined> {
  const names = (await listBuckets(store, op)).map(({ path }) => path);
  const inOrder = names.sort((a, b) => compareNames(`${a}/`, `${b}/`));
  return inOrder.find((name) => bucket === undefined || compareNames(`${name}/`, `${bucket}/`) > 0);
}

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
  const inOrder = !store.settings.directoryBucket;
  const parts = new ListedParts(
    prefix,
    (page, after, mustBe) => inOrder && order.isBroken(page, after, mustBe),
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
        const request = parts.next(inOrder && fastest >= SLOW_MS);
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
