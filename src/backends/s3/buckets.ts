import { hasCode, SyncerError, toSyncerError } from '../../core/errors.ts';
import { modTimeFromMs } from '../../core/mod-time.ts';
import { compareEntries } from '../../core/name-order.ts';
import type { DirEntry, Op } from '../../core/remote.ts';
import { child, childrenNamed, childText } from '../s3-protocol/read-xml.ts';
import { askDocument } from './client/ask.ts';
import { isOfStore } from './client/request.ts';
import type { S3Store } from './store.ts';
import { hasS3Code, missingBucket, refusesForm, StoreError } from './store-error.ts';
import { xmlDocument } from './xml/write-document.ts';

/** The buckets of the account, in order, with their creation times. */
export async function listBuckets(store: S3Store, op: Op): Promise<DirEntry[]> {
  const wrong = (text: string) => new SyncerError('bad-answer', text);
  const entries: DirEntry[] = [];
  let token: string | undefined;
  const expected = `ListAllMy${store.settings.directoryBucket ? 'Directory' : ''}BucketsResult`;
  do {
    const query = token === undefined ? [] : [['continuation-token', token] as const];
    const request = { method: 'GET', bucket: '', query, doing: 'list' } as const;
    const { root } = await askDocument(store.client, request, expected, op);
    const list = child(root, 'Buckets');
    const next = childText(root, 'ContinuationToken') || undefined;
    if (list === undefined || (next !== undefined && next === token)) {
      throw wrong('the listing of buckets is incomplete');
    }
    for (const bucket of childrenNamed(list, 'Bucket')) {
      const path = store.toStandard(childText(bucket, 'Name') ?? '');
      if (path === '') throw wrong('the server lists a bucket without a name');
      const ms = Date.parse(childText(bucket, 'CreationDate') ?? '');
      const modTime = Number.isNaN(ms) ? {} : { modTime: modTimeFromMs(ms) };
      entries.push({ kind: 'dir', path, isBucket: true, ...modTime });
    }
    token = next;
  } while (token !== undefined);
  return entries.sort(compareEntries);
}

/** Creates a bucket; one that the account owns already is fine. */
export async function makeBucket(store: S3Store, bucket: string, op: Op): Promise<void> {
  const { locationConstraint: location, bucketAcl, bucketObjectLock } = store.settings;
  const inner = `<LocationConstraint>${location.replace(/[^\w-]/g, '')}</LocationConstraint>`;
  const request = {
    method: 'PUT',
    bucket,
    headers: {
      ...(bucketAcl === '' ? {} : { 'x-amz-acl': bucketAcl }),
      ...(bucketObjectLock ? { 'x-amz-bucket-object-lock-enabled': 'true' } : {}),
    },
    body: location === '' ? undefined : xmlDocument('CreateBucketConfiguration', inner),
    doing: 'create',
  } as const;
  try {
    const { headers } = await store.client.call(request, op);
    const isConfirmed = headers['location'] !== undefined || isOfStore(headers);
    if (!isConfirmed && !(await bucketExists(store, bucket, op))) {
      const text = `cannot create bucket ${bucket}: the server did not confirm it`;
      throw new SyncerError('bad-answer', text);
    }
    const event = { code: 'bucket-made', fields: { bucket, acl: bucketAcl } } as const;
    const path = `S3 bucket ${bucket}`;
    store.client.context.emit({ type: 'log', level: 'info', path, ...event });
  } catch (error) {
    const isOthers = ['BucketAlreadyExists', 'BucketNameUnavailable'] as const;
    if (!hasS3Code(error, 'BucketAlreadyOwnedByYou', ...isOthers)) throw error;
    if (store.settings.trustsAlreadyExists && hasS3Code(error, ...isOthers)) throw error;
    if (!(await bucketExists(store, bucket, op).catch(() => false))) throw error;
  }
  store.missingBuckets.delete(bucket);
  store.knownBuckets.add(bucket);
}

/** As `makeBucket`, one request for all concurrent callers. A refusal of the bucket of the remote itself ends the run. */
function makeForAll(store: S3Store, bucket: string, op: Op): Promise<void> {
  const { bucketsInTheMaking: making } = store;
  const make = async () => {
    try {
      await makeBucket(store, bucket, op);
    } catch (thrown) {
      const error = toSyncerError(thrown);
      if (error.retry || op.signal.aborted || store.root === '') throw thrown;
      const { message, fault } = error;
      throw new SyncerError('config', message, { fault, cause: error });
    } finally {
      making.delete(bucket);
    }
  };
  const made = making.get(bucket) ?? make();
  making.set(bucket, made);
  return made;
}

/** Whether the bucket exists. A refused HEAD has no text and names no region: then a listing decides, and rejects. */
export async function bucketExists(store: S3Store, bucket: string, op: Op): Promise<boolean> {
  try {
    const { headers } = await store.client.call({ method: 'HEAD', bucket, doing: 'look at' }, op);
    // Any web server returns 200: a listing shows whether there is a bucket.
    if (!isOfStore(headers)) return await canList(store, bucket, op);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.status === 404) return false;
    if (!refusesForm(error)) throw error;
    return canList(store, bucket, op);
  }
  store.knownBuckets.add(bucket);
  return true;
}

/** Whether the bucket can be listed; `false` if there is none. */
async function canList(store: S3Store, bucket: string, op: Op): Promise<boolean> {
  const query = { bucket, prefix: '', byDirectory: false, position: undefined, limit: 1 };
  try {
    await store.lister.page(query, op);
  } catch (refusal) {
    if (hasS3Code(refusal, 'NoSuchBucket')) return false;
    throw refusal;
  }
  store.knownBuckets.add(bucket);
  return true;
}

/** Runs `call`; creates the bucket first if it is, or turns out to be, missing (unless `no_check_bucket`). */
export async function withBucket<T>(
  store: S3Store,
  bucket: string,
  op: Op,
  call: () => Promise<T>,
): Promise<T> {
  const { noCheckBucket } = store.settings;
  // A listing has found it missing: before a body is sent uselessly.
  if (!noCheckBucket && store.missingBuckets.has(bucket)) await makeForAll(store, bucket, op);
  try {
    return await call();
  } catch (error) {
    if (noCheckBucket || !hasS3Code(error, 'NoSuchBucket')) throw error;
    await makeForAll(store, bucket, op);
    return call();
  }
}

/** Creates a missing bucket before sending a body that cannot be sent twice. */
export async function ensureBucket(store: S3Store, bucket: string, op: Op): Promise<void> {
  if (store.settings.noCheckBucket) return;
  if (store.missingBuckets.has(bucket)) await makeForAll(store, bucket, op);
  if (store.knownBuckets.has(bucket)) return;
  // A key with write permission only cannot look: the upload will show it.
  const exists = await bucketExists(store, bucket, op).catch((error) => {
    if (hasCode(error, 'access-denied')) return true;
    throw error;
  });
  if (!exists) await makeForAll(store, bucket, op);
}

/** Deletes a bucket, which must be empty. Rejects with `unsupported` for a directory bucket. */
export async function deleteBucket(store: S3Store, bucket: string, op: Op): Promise<void> {
  if (store.settings.directoryBucket) {
    const text = `cannot remove bucket ${bucket}: directory buckets are deleted in the console of AWS`;
    throw new SyncerError('unsupported', text);
  }
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
