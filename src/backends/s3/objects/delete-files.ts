import { hasCode, SyncerError, toSyncerError } from '../../../core/errors.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { mapAtOnce } from '../../../kit/map-at-once.ts';
import { deleteBucket } from '../buckets/make-bucket.ts';
import { KeyOrder } from '../listing/key-order.ts';
import { isMarker, pathOf } from '../listing/list-entries.ts';
import type { Position } from '../listing/list-query.ts';
import { type ListedVersion, versionPages, versionsBelow } from '../listing/list-versions.ts';
import { versionKey } from '../listing/shown-versions.ts';
import { prefixOf, type S3Store } from '../store.ts';
import { missingBucket, StoreError } from '../store-error.ts';
import type { ListedKey } from '../xml/list-page.ts';
import { type DoomedObject, deleteBatch, fitsBatch, nameOf, StrayAnswer } from './delete-batch.ts';
import { deleteObject, deleteVersion, mayBeRewritten } from './delete-object.ts';
import { headObject } from './head-object.ts';
import { findVersion } from './restore-object.ts';

/** Parallel single deletions if the batch request cannot be used. */
const SINGLES_AT_ONCE = 16;

/** A remote at a time in the past cannot be changed. */
export function isPast(path?: string): SyncerError {
  const text = 'the remote is read-only: the option version_at shows the past';
  return new SyncerError('read-only', text, path === undefined ? {} : { path });
}

/** Deletes one file. */
export async function deleteFile(store: S3Store, file: FileEntry, op: Op): Promise<void> {
  if (store.settings.versionAtMs !== undefined) throw isPast(file.path);
  const { bucket, key, version } = store.locateFile(file);
  if (version !== undefined) return deleteVersion(store, bucket, key, version, op);
  const tell = tellMarker(op, () => file.path);
  if (!mayBeRewritten(key)) return tell(key, await deleteObject(store, bucket, key, op));
  for (const failure of (await deleteObjects(store, bucket, [{ key }], op, tell)).values())
    throw failure;
}

/**
 * As `deleteFile`, if the object still has the listed ETag; otherwise rejects with `source-changed`. A server that
 * refuses conditions is asked before; one that ignores them deletes whatever is there.
 */
export async function deleteUnchanged(store: S3Store, file: FileEntry, op: Op): Promise<void> {
  const { bucket, key, version } = store.locateFile(file);
  const { path, etag } = file;
  const isOpen = store.settings.versionAtMs === undefined && !mayBeRewritten(key);
  if (!isOpen || version !== undefined || etag === undefined) return deleteFile(store, file, op);
  try {
    const headers = { 'if-match': `"${etag}"` };
    tellMarker(op, () => path)(key, await deleteObject(store, bucket, key, op, { headers }));
  } catch (error) {
    const isRefused = error instanceof StoreError && [400, 501].includes(error.status);
    if (!isRefused && !hasCode(error, 'precondition-failed')) throw error;
    const there = await headObject(store, path, op).catch((thrown) => {
      if (hasCode(thrown, 'file-not-found')) return undefined;
      throw thrown;
    });
    if (there === undefined) {
      // An earlier try, whose response was lost, may have deleted it.
      const kept = op.change?.onKept && (await findVersion(store, file, op));
      if (kept) op.change?.onKept?.(path, kept);
      return;
    }
    if (there.etag === etag && isRefused) return deleteFile(store, file, op);
    const text = `cannot delete ${bucket}/${key}: it was replaced since it was listed`;
    throw new SyncerError('source-changed', text, { path, cause: error });
  }
}

type TellMarker = (key: string, id: string | undefined) => void;

/** Reports delete markers, under which a deleted object can be restored. */
function tellMarker({ change }: Op, pathOf: (key: string) => string | undefined): TellMarker {
  return (key, id) => {
    const path = pathOf(key);
    if (id !== undefined && path !== undefined) change?.onKept?.(path, { in: 'versions', id });
  };
}

/** Deletes files; returns the failures. */
export async function deleteFiles(
  store: S3Store,
  files: readonly FileEntry[],
  op: Op,
): Promise<ReadonlyMap<FileEntry, Error>> {
  const failures = new Map<FileEntry, Error>();
  const byBucket = new Map<string, Map<string, FileEntry>>();
  for (const file of files) {
    const { bucket, key } = store.locateFile(file);
    const keys = byBucket.get(bucket) ?? new Map<string, FileEntry>();
    byBucket.set(bucket, keys.set(key, file));
  }
  for (const [bucket, keys] of byBucket) {
    const tell = tellMarker(op, (key) => keys.get(key)?.path);
    const doomed = [...keys.keys()].map((key) => ({ key }));
    for (const [key, error] of await deleteObjects(store, bucket, doomed, op, tell)) {
      const file = keys.get(key);
      if (file !== undefined) failures.set(file, error);
    }
  }
  return failures;
}

/**
 * Deletes at most 1,000 objects of a bucket, all current ones or all versions; returns the failures by `nameOf`. Those
 * that do not fit a batch request, or that its response omits, are deleted one by one.
 */
export async function deleteObjects(
  store: S3Store,
  bucket: string,
  objects: readonly DoomedObject[],
  op: Op,
  tell: TellMarker = () => {},
): Promise<ReadonlyMap<string, Error>> {
  const failures = new Map<string, Error>();
  const inBatch = objects.filter(({ key, id = '' }) => fitsBatch(key) && fitsBatch(id));
  const deleted = new Set<string>();
  if (inBatch.length > 0) {
    try {
      const outcome = await deleteBatch(store, bucket, inBatch, op);
      for (const [name, error] of outcome.failures) failures.set(name, error);
      for (const name of outcome.deleted) deleted.add(name);
      for (const [key, id] of outcome.markers) tell(key, id);
    } catch (error) {
      if (!isNoOutcome(error)) throw error;
    }
  }
  const isOpen = (one: DoomedObject) => !deleted.has(nameOf(one)) && !failures.has(nameOf(one));
  const singles = deleted.size === objects.length ? [] : objects.filter(isOpen);
  await mapAtOnce(singles, SINGLES_AT_ONCE, async ({ key, id }) => {
    try {
      if (id !== undefined) await deleteVersion(store, bucket, key, id, op);
      else tell(key, await deleteObject(store, bucket, key, op));
    } catch (error) {
      op.signal.throwIfAborted();
      failures.set(nameOf({ key, id }), toSyncerError(error));
    }
  });
  return failures;
}

/** Whether the server does not support the batch request, or its response is no result. */
function isNoOutcome(error: unknown): boolean {
  if (error instanceof StoreError) return [405, 501].includes(error.status);
  return hasCode(error, 'bad-answer') && !(error instanceof StrayAnswer);
}

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
  if (bucket === '') throw purgesAll();
  const prefix = prefixOf(location);
  let position: Position | undefined;
  let [found, kept, left] = [0, 0, 0];
  let removal: Promise<void> = Promise.resolve();
  const outcome = purgeOutcome(store, dir, ({ key }: ListedKey) => key, op);
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
    const doomed = page.keys.filter(isDoomed);
    kept += page.keys.length - doomed.length;
    removal = removeAll(store, bucket, doomed, op, outcome).then((failed) => {
      left += failed;
    });
    removal.catch(() => {});
    position = page.next;
  } while (position !== undefined);
  await removal;
  if (left > 0) throw notPurged(dir);
  if (kept > 0) {
    const text = `cannot remove ${dir}: it is not empty`;
    throw new SyncerError('not-empty', text, { path: dir });
  }
  if (location.key === '') {
    return deleteBucket(store, bucket, op).catch((error) => {
      throw hasCode(error, 'not-empty') ? hasVersions(bucket, error) : error;
    });
  }
  if (found === 0) throw noDirectory(dir);
}

/** Without its current objects, a bucket still has others only if it keeps versions, or another program writes. */
function hasVersions(bucket: string, cause: unknown): SyncerError {
  const text = `cannot remove bucket ${bucket}: it is not empty, although all its files were deleted`;
  const advice = 'purge with --s3-versions deletes old versions too, for good';
  return new SyncerError('not-empty', text, { cause, advice });
}

function purgesAll(): SyncerError {
  return new SyncerError('usage', 'purge would delete every bucket; name one: remote:bucket');
}

function notPurged(dir: string): SyncerError {
  const text = `cannot remove ${dir}: some of its files could not be deleted`;
  return new SyncerError('not-empty', text, { path: dir });
}

function noDirectory(dir: string): SyncerError {
  return new SyncerError('directory-not-found', `directory not found: ${dir}`, { path: dir });
}

/** Deletes every version and delete marker below a directory for good; of a bucket the bucket as well. */
export async function purgeVersions(store: S3Store, dir: string, op: Op): Promise<void> {
  const place = store.locate(dir);
  const { bucket, key } = place;
  if (bucket === '') throw purgesAll();
  let [found, left] = [0, 0];
  const outcome = purgeOutcome(store, dir, shownKey, op);
  try {
    for await (const { versions } of versionPages(store, versionsBelow(place), op)) {
      found += versions.length;
      left += await removeAll(store, bucket, versions, op, outcome);
    }
  } catch (thrown) {
    throw missingBucket(thrown, store.settings.remote, bucket) ?? thrown;
  }
  if (left > 0) throw notPurged(dir);
  if (key === '') return deleteBucket(store, bucket, op);
  if (found === 0) throw noDirectory(dir);
}

/** The key that a listing with versions would show. */
function shownKey({ kind, key, modifiedMs = 0 }: ListedVersion): string {
  return kind === 'current' ? key : versionKey(key, modifiedMs);
}

/** What became of objects in a purge; throws where their caller does not want each failure. */
type PurgeOutcome<Doomed> = (
  objects: readonly Doomed[],
  failures: ReadonlyMap<string, Error>,
) => void;

/** Names what a purge of `dir` has deleted, and what not; the markers of directories are no files. */
function purgeOutcome<Doomed extends ListedKey>(
  store: S3Store,
  dir: string,
  keyOf: (object: Doomed) => string,
  { change }: Op,
): PurgeOutcome<Doomed> {
  const from = prefixOf(store.locate(dir)).length;
  const pathAt = (object: Doomed) => pathOf(dir, store.toStandard(keyOf(object).slice(from)));
  return (objects, failures) => {
    const gone = objects.filter((one) => !isMarker(one) && !failures.has(nameOf(one)));
    change?.onDeleted?.(gone.map((file) => ({ path: pathAt(file), size: file.size })));
    for (const one of objects) {
      const error = failures.get(nameOf(one));
      if (error === undefined) continue;
      if (change?.onNotDeleted === undefined) throw error;
      change.onNotDeleted(pathAt(one), error);
    }
  };
}

/** Deletes objects; returns how many could not be deleted. */
async function removeAll<Doomed extends DoomedObject>(
  store: S3Store,
  bucket: string,
  objects: readonly Doomed[],
  op: Op,
  outcome: PurgeOutcome<Doomed>,
): Promise<number> {
  let left = 0;
  for (let from = 0; from < objects.length; from += BATCH) {
    const batch = objects.slice(from, from + BATCH);
    const failures = await deleteObjects(store, bucket, batch, op);
    outcome(batch, failures);
    left += failures.size;
  }
  return left;
}
