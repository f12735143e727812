import { SyncerError } from '../../../core/errors.ts';
import type { Op } from '../../../core/remote.ts';
import { KeyOrder } from '../listing/key-order.ts';
import type { Position } from '../listing/list-query.ts';
import { deleteKeys } from '../objects/delete-files.ts';
import { prefixOf, type S3Store } from '../store.ts';
import { missingBucket, StoreError } from '../store-error.ts';
import type { ListedKey } from '../xml/list-page.ts';
import { bucketExists } from './make-bucket.ts';

/** Keys in one batch request. */
const BATCH = 1000;

/**
 * Deletes every key below a directory, markers too; of a bucket the bucket as well.
 *
 * @param isDoomed what to delete; it fails if anything else is there
 */
export async function purgeDir(
  store: S3Store,
  dir: string,
  op: Op,
  isDoomed: (key: ListedKey) => boolean = () => true,
): Promise<void> {
  const location = store.locate(dir);
  const { bucket } = location;
  if (bucket === '') {
    throw new SyncerError('usage', 'purge would delete every bucket; name one: remote:bucket');
  }
  const prefix = prefixOf(location);
  let position: Position | undefined;
  let [found, kept] = [0, 0];
  let removal: Promise<void> = Promise.resolve();
  const order = new KeyOrder(bucket);
  let last: string | undefined;
  do {
    const query = { bucket, prefix, byDirectory: false, position };
    const page = await store.lister.page(query, op).catch(async (error) => {
      await removal.catch(() => {});
      throw missingBucket(error, store.settings.remote, bucket, position !== undefined) ?? error;
    });
    await removal;
    order.isBroken(page, last, false);
    last = page.keys.at(-1)?.key ?? last;
    found += page.keys.length;
    const doomed = page.keys.filter(isDoomed).map(({ key }) => key);
    kept += page.keys.length - doomed.length;
    removal = removeAll(store, bucket, doomed, op);
    removal.catch(() => {});
    position = page.next;
  } while (position !== undefined);
  await removal;
  if (kept > 0) {
    const text = `cannot remove ${dir}: it is not empty`;
    throw new SyncerError('not-empty', text, { path: dir });
  }
  if (location.key === '') return deleteBucket(store, bucket, op);
  if (found === 0) {
    throw new SyncerError('directory-not-found', `directory not found: ${dir}`, { path: dir });
  }
}

/** Deletes a bucket, which must be empty. */
export async function deleteBucket(store: S3Store, bucket: string, op: Op): Promise<void> {
  try {
    const { status } = await store.client.call({ method: 'DELETE', bucket, doing: 'remove' }, op);
    if (status !== 204 && (await bucketExists(store, bucket, op))) {
      const text = `cannot remove bucket ${bucket}: it still exists, although the server returned status ${status}`;
      throw new SyncerError('bad-answer', text);
    }
    store.knownBuckets.delete(bucket);
  } catch (error) {
    const missing = missingBucket(error, store.settings.remote, bucket);
    if (missing !== undefined) throw missing;
    if (!(error instanceof StoreError) || error.status !== 409) throw error;
    const text = `cannot remove bucket ${bucket}: it is not empty; purge deletes it with its files`;
    throw new SyncerError('not-empty', text, { cause: error });
  }
}

async function removeAll(store: S3Store, bucket: string, keys: readonly string[], op: Op) {
  for (let from = 0; from < keys.length; from += BATCH) {
    const failures = await deleteKeys(store, bucket, keys.slice(from, from + BATCH), op);
    for (const failure of failures.values()) throw failure;
  }
}
