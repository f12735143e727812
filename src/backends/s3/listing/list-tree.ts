import { SyncerError } from '../../../core/errors.ts';
import { compareNames } from '../../../core/name-order.ts';
import type { Entry, NameRange, Op, Page } from '../../../core/remote.ts';
import { joinPath } from '../../../core/remote-path.ts';
import { listBuckets } from '../buckets.ts';
import { prefixOf, type S3Store } from '../store.ts';
import { missingBucket } from '../store-error.ts';
import {
  assertMayBeEmpty,
  type BucketListing,
  type ListState,
  listEntries,
  pageFiles,
  toPage,
} from './list-entries.ts';
import { ListingInParts } from './listing-in-parts.ts';

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

/**
 * All files below a directory, in no order. After some pages, the range of keys is split and listed in parallel. Rejects as `listEntries`.
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
  place: Pick<BucketListing, 'location' | 'dir' | 'wasListed'>,
  atOnce: number,
  op: Op,
): AsyncGenerator<readonly Entry[]> {
  const { location, dir, wasListed = false } = place;
  const { bucket } = location;
  const prefix = prefixOf(location);
  const listing = new ListingInParts(store, { bucket, prefix, inOrder: false, atOnce }, op);
  let hasBegun = wasListed;
  let isEmpty = true;
  try {
    for (let keys = await listing.next(); keys !== undefined; keys = await listing.next()) {
      hasBegun = true;
      isEmpty &&= keys.length === 0;
      yield pageFiles(store, { keys, prefixes: [] }, prefix, dir);
    }
  } catch (thrown) {
    throw missingBucket(thrown, store.settings.remote, bucket, hasBegun) ?? thrown;
  } finally {
    listing.end();
  }
  if (isEmpty) assertMayBeEmpty(store, location, dir);
}
