import { absentIf, hasCode, SyncerError, toSyncerError } from '../../../core/errors.ts';
import { mapAtOnce } from '../../../core/map-at-once.ts';
import type { ModTime } from '../../../core/mod-time.ts';
import { type FileEntry, mostDeleted, type Op } from '../../../core/remote.ts';
import { type DeleteFailures, deleteOneByOne } from '../../../core/remote-calls.ts';
import { isSameSecond } from '../../../core/same-content.ts';
import type { HttpHeaders } from '../../http/answer-parser.ts';
import { deleteBucket } from '../buckets.ts';
import { findHead, heldBack } from '../client/ask.ts';
import { abortUpload, findVersion, versionPages, versionsBelow } from '../listing/history.ts';
import { isMarker, pathOf } from '../listing/list-entries.ts';
import { KeyOrder, type Position } from '../listing/lister.ts';
import { keptAt, versionKey } from '../listing/shown-versions.ts';
import { prefixOf, type S3Store } from '../store.ts';
import { missingBucket, refusesForm, StoreError } from '../store-error.ts';
import { ifMatch } from '../upload/write-headers.ts';
import type { ListedKey } from '../xml/read-answer.ts';
import { type DoomedObject, deleteBatch, fitsBatch, nameOf, StrayAnswer } from './delete-batch.ts';
import { headObject } from './head-object.ts';
import { fileFromHeaders, versionIn } from './object-entry.ts';

/** Parallel single deletions if the batch request cannot be used, and parallel ends of uploads. */
const SINGLES_AT_ONCE = 16;

/** A remote at a time in the past cannot be changed. */
export function isPast(path?: string): SyncerError {
  const text = 'the remote is read-only: the option version_at shows the past';
  return new SyncerError('read-only', text, { path });
}

/**
 * `Remote.delete`: several current objects a thousand per request, one file by a request of its own, with `ifUnchanged`
 * only if it still has the listed ETag (`source-changed`). A server that refuses conditions is asked before; one that
 * ignores them deletes whatever is there.
 */
export function deleteFiles(
  store: S3Store,
  files: readonly FileEntry[],
  op: Op,
  ifUnchanged = false,
): Promise<DeleteFailures> {
  if (files.length > 1 && !store.showsVersions) {
    return deleteAt(store, files, (file) => ({ ...store.locateFile(file), id: undefined }), op);
  }
  return deleteOneByOne(files, op, (file) => deleteFile(store, file, ifUnchanged, op));
}

async function deleteFile(store: S3Store, file: FileEntry, ifUnchanged: boolean, op: Op) {
  if (store.settings.versionAtMs !== undefined) throw isPast(file.path);
  const { bucket, key, version: id } = store.locateFile(file);
  const { path } = file;
  const { change } = op;
  if (DOTS.test(key) && id === undefined) {
    // In a document the key is as it is.
    const tell = tellMarker(op, () => path);
    const failures = await deleteObjects(store, bucket, [{ key }], op, tell);
    for (const failure of failures.values()) throw failure;
    return;
  }
  const etag = ifUnchanged && id === undefined ? file.etag : undefined;
  try {
    const marker = await deleteObject(store, { bucket, key, id, etag }, op);
    if (marker !== undefined) change?.onKept?.(path, { in: 'versions', id: marker });
  } catch (error) {
    const isRefused = refusesForm(error);
    if (etag === undefined || !(isRefused || hasCode(error, 'precondition-failed'))) throw error;
    const there = await headObject(store, path, op).catch((thrown) => {
      if (hasCode(thrown, 'access-denied')) throw error;
      return absentIf('file-not-found')(thrown);
    });
    if (there === undefined) {
      // An earlier try, whose response was lost, may have deleted it.
      const kept = change?.onKept && (await findVersion(store, file, op));
      if (kept) change?.onKept?.(path, kept);
      return;
    }
    if (there.etag === etag && isRefused) return deleteFile(store, file, false, op);
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

/** `Capabilities.deleteKept`: versions and delete markers a thousand per request, uploads one by one. */
export async function deleteKept(store: S3Store, files: readonly FileEntry[], op: Op) {
  const failures = new Map<FileEntry, Error>();
  const isUpload = ({ kept }: FileEntry) => kept?.kind === 'upload';
  const uploads = files.filter(isUpload);
  const versions = files.filter((file) => !isUpload(file));
  await mapAtOnce(uploads, SINGLES_AT_ONCE, async (file) => {
    const { bucket, key, id } = keptAt(store, file);
    try {
      await abortUpload(store, bucket, key, id, op);
      // No run can resume it any more.
      const records = await store.uploads?.open();
      for (const record of (await records?.take(store.id, `${bucket}/${key}`)) ?? []) {
        await (record.head.id === id ? record.delete() : record.release());
      }
    } catch (error) {
      op.signal.throwIfAborted();
      failures.set(file, toSyncerError(error));
    }
  });
  const kept = await deleteAt(store, versions, (file) => keptAt(store, file), op);
  return new Map([...failures, ...kept]);
}

/** Deletes the objects or versions of files; returns the failures. */
async function deleteAt(
  store: S3Store,
  files: readonly FileEntry[],
  placeOf: (file: FileEntry) => DoomedObject & { readonly bucket: string },
  op: Op,
): Promise<DeleteFailures> {
  const failures = new Map<FileEntry, Error>();
  const doomed = files.map((file) => ({ file, ...placeOf(file) }));
  for (const [bucket, objects] of Map.groupBy(doomed, (one) => one.bucket)) {
    const byName = new Map(objects.map((one) => [nameOf(one), one]));
    const tell = tellMarker(op, (key) => byName.get(key)?.file.path);
    const note = (_: unknown, failed: ReadonlyMap<string, Error>) => {
      for (const [name, error] of failed) {
        const file = byName.get(name)?.file;
        if (file !== undefined) failures.set(file, error);
      }
    };
    await deleteAll(store, bucket, [...byName.values()], op, note, tell);
  }
  return failures;
}

/**
 * Deletes at most 1,000 objects of a bucket; returns the failures by `nameOf`. What fits no batch goes one by one, and
 * all for the rest of the run if the server refuses a batch.
 */
async function deleteObjects(
  store: S3Store,
  bucket: string,
  objects: readonly DoomedObject[],
  op: Op,
  tell: TellMarker = () => {},
): Promise<ReadonlyMap<string, Error>> {
  const failures = new Map<string, Error>();
  const inBatch = objects.filter(({ key, id = '' }) => fitsBatch(key) && fitsBatch(id));
  const deleted = new Set<string>();
  if (inBatch.length > 0 && !store.refusesBatches) {
    try {
      const outcome = await deleteBatch(store, bucket, inBatch, op);
      for (const [name, error] of outcome.failures) failures.set(name, error);
      for (const name of outcome.deleted) deleted.add(name);
      for (const [key, id] of outcome.markers) tell(key, id);
    } catch (error) {
      const isRefused = refusesBatch(error);
      // Or the response is no result.
      const isNoOutcome = hasCode(error, 'bad-answer') && !(error instanceof StrayAnswer);
      if (!isRefused && !isNoOutcome) throw error;
      if (isRefused) store.refusesBatches = true;
    }
  }
  const isOpen = (one: DoomedObject) => !deleted.has(nameOf(one)) && !failures.has(nameOf(one));
  const singles = deleted.size === objects.length ? [] : objects.filter(isOpen);
  await mapAtOnce(singles, SINGLES_AT_ONCE, async ({ key, id }) => {
    try {
      tell(key, await deleteObject(store, { bucket, key, id }, op));
    } catch (error) {
      op.signal.throwIfAborted();
      failures.set(nameOf({ key, id }), toSyncerError(error));
    }
  });
  return failures;
}

/**
 * Whether objects may be deleted one by one although the server refuses a batch of them as a whole, for any reason but
 * the account and what passes. If it refuses each of them too, it says why.
 */
function refusesBatch(error: unknown): boolean {
  if (!(error instanceof StoreError) || error.status === 401) return false;
  const isPassing = error.retry && error.code !== 'corrupted';
  return !isPassing && !hasCode(error, 'sign-in', 'config');
}

/** Deletes objects in batches, with `note` for the result of each. */
async function deleteAll<Doomed extends DoomedObject>(
  store: S3Store,
  bucket: string,
  objects: readonly Doomed[],
  op: Op,
  note: (batch: Doomed[], failures: ReadonlyMap<string, Error>) => void,
  tell?: TellMarker,
): Promise<void> {
  for (let from = 0; from < objects.length; from += mostDeleted) {
    const batch = objects.slice(from, from + mostDeleted);
    note(batch, await deleteObjects(store, bucket, batch, op, tell));
  }
}

/** Deletes every key below a directory, or fails for one that is not `isDoomed`; of a bucket the bucket as well. */
export async function purgeDir(
  store: S3Store,
  dir: string,
  op: Op,
  isDoomed: (key: ListedKey) => boolean = () => true,
): Promise<void> {
  const location = store.locate(dir);
  const { bucket } = location;
  let kept = 0;
  async function* doomedKeys() {
    if (kept > 0) return;
    const order = new KeyOrder(bucket);
    let position: Position | undefined;
    let last: string | undefined;
    do {
      const query = { bucket, prefix: prefixOf(location), byDirectory: false, position };
      const page = await store.lister.page(query, op).catch((error) => {
        throw missingBucket(error, store.settings.remote, bucket, position !== undefined) ?? error;
      });
      order.isBroken(page, last, false);
      last = page.keys.at(-1)?.key ?? last;
      const doomed = page.keys.filter(isDoomed);
      kept += page.keys.length - doomed.length;
      yield doomed;
      position = page.next;
    } while (position !== undefined);
  }
  const found = await purge(store, dir, op, doomedKeys, ({ key }) => key);
  if (kept > 0) {
    const text = `cannot remove ${dir}: it is not empty`;
    throw new SyncerError('not-empty', text, { path: dir });
  }
  // Without its current objects it still has others only if it keeps versions, or another program writes.
  const advice = 'purge with --s3-versions deletes old versions too, for good';
  if (location.key === '') return deleteEmptied(store, bucket, 'files', advice, op);
  if (found === 0) throw noDirectory(dir);
}

/** Deletes a bucket of which all `what` were deleted. */
async function deleteEmptied(
  store: S3Store,
  bucket: string,
  what: 'files' | 'versions',
  advice: string,
  op: Op,
): Promise<void> {
  await deleteBucket(store, bucket, op).catch((error) => {
    if (!hasCode(error, 'not-empty')) throw error;
    const text = `cannot remove bucket ${bucket}: it is not empty, although all its ${what} were deleted`;
    throw new SyncerError('not-empty', text, { cause: error, advice });
  });
}

function noDirectory(dir: string): SyncerError {
  return new SyncerError('directory-not-found', `directory not found: ${dir}`, { path: dir });
}

/** Deletes every version and delete marker below a directory for good; of a bucket the bucket as well. */
export async function purgeVersions(store: S3Store, dir: string, op: Op): Promise<void> {
  const place = store.locate(dir);
  async function* doomedVersions() {
    try {
      const pages = versionPages(store, versionsBelow(place), op);
      for await (const { versions } of pages) yield versions;
    } catch (thrown) {
      throw missingBucket(thrown, store.settings.remote, place.bucket) ?? thrown;
    }
  }
  // Under the keys that a listing with versions would show.
  const found = await purge(store, dir, op, doomedVersions, (version) =>
    version.kind === 'current' ? version.key : versionKey(version.key, version.modifiedMs ?? 0),
  );
  const advice = 'another program may write to it; "syncer cleanup" aborts unfinished uploads';
  if (place.key === '') return deleteEmptied(store, place.bucket, 'versions', advice, op);
  if (found === 0) throw noDirectory(dir);
}

/**
 * Deletes objects below `dir`, a page while another one is listed; returns how many there were. Names each that it
 * deletes, or cannot delete, by the path of `keyOf`; the markers of directories are no files. Rejects where the caller
 * does not want each failure. A listing of many pages may have lost its place by the deletions: then it begins once more,
 * until there is no more than a page.
 */
async function purge<Doomed extends ListedKey & DoomedObject>(
  store: S3Store,
  dir: string,
  op: Op,
  list: () => AsyncIterable<readonly Doomed[]>,
  keyOf: (object: Doomed) => string,
): Promise<number> {
  const place = store.locate(dir);
  if (place.bucket === '') {
    throw new SyncerError('usage', 'purge would delete every bucket; name one: remote:bucket');
  }
  const from = prefixOf(place).length;
  const pathAt = (object: Doomed) => pathOf(dir, store.toStandard(keyOf(object).slice(from)));
  let [found, left] = [0, 0];
  const note = (objects: Doomed[], failures: ReadonlyMap<string, Error>) => {
    const gone = objects.filter((one) => !isMarker(one) && !failures.has(nameOf(one)));
    op.change?.onDeleted?.(gone.map((file) => ({ path: pathAt(file), size: file.size })));
    for (const one of objects) {
      const error = failures.get(nameOf(one));
      if (error === undefined) continue;
      if (op.change?.onNotDeleted === undefined) throw error;
      op.change.onNotDeleted(pathAt(one), error);
    }
    left += failures.size;
  };
  /** The first page of the listing before. */
  let before = new Set<string>();
  const removeAll = async () => {
    let pages = 0;
    let removal: Promise<void> = Promise.resolve();
    try {
      for await (const page of heldBack(list())) {
        await removal;
        if (++pages === 1) {
          const again = page.find((one) => before.has(nameOf(one)));
          if (again !== undefined) return await assertGone(store, place.bucket, again, op);
          before = new Set(page.map(nameOf));
        }
        found += page.length;
        removal = deleteAll(store, place.bucket, page, op, note);
        removal.catch(() => {});
      }
    } catch (error) {
      await removal.catch(() => {});
      throw error;
    }
    await removal;
    return pages;
  };
  while ((await removeAll()) > 1 && left === 0);
  if (left > 0) {
    const text = `cannot remove ${dir}: some of its files could not be deleted`;
    throw new SyncerError('not-empty', text, { path: dir });
  }
  return found;
}

/** Of an object that is listed although it was deleted: rejects with `not-empty` if it is not the listing that is late. */
async function assertGone(store: S3Store, bucket: string, { key, id }: DoomedObject, op: Op) {
  const at = { bucket, key, version: id };
  // A delete marker is refused.
  const isGone = (await findHead(store.client, at, op).catch(() => at)) === undefined;
  op.signal.throwIfAborted();
  if (isGone) return 0;
  const text = `cannot delete ${bucket}/${key}: it is listed again, although the server said that it was deleted`;
  throw new SyncerError('not-empty', text);
}

/** A segment that servers, and proxies before them, resolve as a path: a URL with it could reach another key. */
const DOTS = /(?:^|\/)\.\.?(?:\/|$)/;

/**
 * Deletes one object, or for good one version of it or a delete marker (`id`); a missing object is no error. If the
 * response is not S3's, or does not name the version, that is looked up; rejects with `bad-answer` if it is still there.
 * Throws `name-invalid` if the request could reach another object. Resolves to the ID of the delete marker, if the
 * bucket keeps versions. With an `etag` it deletes only the object that has it (`precondition-failed`).
 */
export async function deleteObject(
  store: S3Store,
  {
    bucket,
    key,
    id,
    etag,
  }: DoomedObject & { readonly bucket: string; readonly etag?: string | undefined },
  op: Op,
): Promise<string | undefined> {
  if (DOTS.test(key)) {
    const text = `cannot delete ${bucket}/${key}: a request for it could reach another object`;
    throw new SyncerError('name-invalid', text);
  }
  const headers = { ...store.headers.bypass, ...ifMatch(etag) };
  const doing = id === undefined ? 'delete' : 'delete a version of';
  const request = { method: 'DELETE', bucket, key, version: id, headers, doing } as const;
  const answer = await store.client.call(request, op).catch((error) => {
    const isMissing = error instanceof StoreError && error.code === 'file-not-found';
    // The object shows nothing about one of its versions.
    if (!isMissing || id !== undefined) throw error;
    return { status: error.status, headers: {} as HttpHeaders };
  });
  const { status } = answer;
  const { version } = versionIn(answer.headers);
  if (status === 204 && id === undefined) {
    return answer.headers['x-amz-delete-marker'] === 'true' ? version : undefined;
  }
  if (status === 204 && answer.headers['x-amz-version-id'] === id) return undefined;
  if ((await findHead(store.client, { bucket, key, version: id }, op)) === undefined)
    return undefined;
  const what = `${id === undefined ? '' : `version ${id} of `}${bucket}/${key}`;
  const text = `cannot delete ${what}: it still exists, although the server returned status ${status}`;
  throw new SyncerError('bad-answer', text);
}

/** The clocks of a server's machines differ by less, in nanoseconds. */
const SLACK_NS = 60_000_000_000n;

/** Times have whole seconds: what was stored this long after the earliest `since` was stored after the latest. */
const SURELY_LATER_NS = 2_000_000_000n;

/** `Capabilities.takeBack`: deletes the result of a failed write; in a bucket with versions only that version. */
export async function takeBack(
  store: S3Store,
  file: FileEntry,
  since: ModTime | undefined,
  op: Op,
): Promise<void> {
  const { bucket, key } = store.locateFile(file);
  const { path, version } = file;
  // Of the version, if the response named one: it may be one of before.
  const found = await findHead(store.client, { bucket, key, version }, op);
  if (found === undefined) return;
  const there = fileFromHeaders(path, found, store.settings.encryption.etagIsNotMd5);
  const isOurs = isWritten(there, file, since);
  if (isOurs === false) return;
  if (isOurs === undefined) {
    const text = `cannot verify ${bucket}/${key} after writing it`;
    throw new SyncerError('precondition-failed', text, { path });
  }
  const at = { bucket, key, id: version };
  try {
    const etag = version === undefined ? file.etag : undefined;
    await deleteObject(store, { ...at, etag }, op);
  } catch (error) {
    if (version !== undefined) throw error;
    if (hasCode(error, 'precondition-failed', 'file-not-found')) return;
    if (!refusesForm(error)) throw error;
    await deleteObject(store, at, op);
  }
}

/**
 * Whether an object is the written one: it has the ETag and the time that were sent, and was stored between the start
 * of the write and the response; without a time or a version surely after the start. `undefined`: unknown.
 */
export function isWritten(there: FileEntry, file: FileEntry, since: ModTime | undefined) {
  const { storedTime, modTime } = there;
  const { etag, version, toldAt: until } = file;
  if (etag === undefined ? there.size !== file.size : there.etag !== etag) return false;
  if (file.modTime !== undefined && file.modTime !== modTime) return false;
  if (since === undefined || storedTime === undefined) return undefined;
  if (storedTime < since - SLACK_NS) return false;
  // The same content was stored again since it was looked at, by whomever.
  if (file.storedTime !== undefined && !isSameSecond(storedTime, file.storedTime)) return undefined;
  const isNamed = version !== undefined || (etag !== undefined && file.modTime !== undefined);
  const earliest = isNamed ? since : since + SURELY_LATER_NS;
  const isPast = until === undefined || storedTime < until + 1_000_000_000n;
  return storedTime >= earliest && isPast ? true : undefined;
}
