import { hasCode, SyncerError } from '../../../core/errors.ts';
import type { ModTime } from '../../../core/mod-time.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { isSameSecond } from '../../../core/same-content.ts';
import type { HttpHeaders } from '../../../http/answer-parser.ts';
import type { S3Request } from '../client/request.ts';
import type { S3Store } from '../store.ts';
import { StoreError } from '../store-error.ts';
import { bypassHeaders } from '../upload/object-lock.ts';
import { askHead } from './ask-head.ts';
import { fileFromHeaders, versionIn } from './object-entry.ts';

/** A segment that servers, and proxies before them, resolve as a path. */
const DOTS = /(?:^|\/)\.\.?(?:\/|$)/;

/** Whether a request with this key in its URL could reach another one. */
export function mayBeRewritten(key: string): boolean {
  return DOTS.test(key);
}

/** Throws `name-invalid` if a request with this key in its URL could reach another object. */
function refuseRewritten(bucket: string, key: string): void {
  if (!mayBeRewritten(key)) return;
  const text = `cannot delete ${bucket}/${key}: a request for it could reach another object`;
  throw new SyncerError('name-invalid', text);
}

/**
 * Deletes one object; a missing one is no error. If the response is not S3's, the object is looked up; rejects with
 * `bad-answer` if it is still there. Resolves to the ID of the delete marker, if the bucket keeps versions.
 */
export async function deleteObject(
  store: S3Store,
  bucket: string,
  key: string,
  op: Op,
  more: Pick<S3Request, 'query' | 'headers'> = {},
): Promise<string | undefined> {
  refuseRewritten(bucket, key);
  const headers = { ...bypassHeaders(store), ...more.headers };
  const request = { method: 'DELETE', bucket, key, ...more, headers, doing: 'delete' } as const;
  const { status, marker } = await store.client.call(request, op).then(
    (answer) => ({ status: answer.status, marker: markerIn(answer.headers) }),
    (error) => {
      const isMissing = error instanceof StoreError && error.code === 'file-not-found';
      // The object shows nothing about one of its versions.
      if (!isMissing || more.query !== undefined) throw error;
      return { status: error.status, marker: undefined };
    },
  );
  if (status === 204) return marker;
  const keyHeaders = store.settings.encryption.keyHeaders;
  try {
    await askHead(store.client, { bucket, key, headers: keyHeaders }, op);
  } catch (error) {
    if (hasCode(error, 'file-not-found')) return undefined;
    throw error;
  }
  const text = `cannot delete ${bucket}/${key}: it still exists, although the server returned status ${status}`;
  throw new SyncerError('bad-answer', text);
}

function markerIn(headers: HttpHeaders): string | undefined {
  return headers['x-amz-delete-marker'] === 'true' ? versionIn(headers).version : undefined;
}

/** The clocks of a server's machines differ by less, in nanoseconds. */
const SLACK_NS = 60_000_000_000n;

/**
 * Date and LastModified have whole seconds: an object stored this long after the earliest `since` was stored after
 * the latest.
 */
const SURELY_LATER_NS = 2_000_000_000n;

const ONE_SECOND_NS = 1_000_000_000n;

/** `Capabilities.takeBack`: deletes the result of a failed write; in a bucket with versions only that version. */
export async function takeBack(
  store: S3Store,
  file: FileEntry,
  since: ModTime | undefined,
  op: Op,
): Promise<void> {
  const { bucket, key } = store.locateFile(file);
  const { path, version } = file;
  const { encryption } = store.settings;
  // Of the version, if the response named one: it may be one of before.
  const asked = { bucket, key, version, headers: encryption.keyHeaders };
  const found = await askHead(store.client, asked, op).catch((error) => {
    if (hasCode(error, 'file-not-found')) return undefined;
    throw error;
  });
  if (found === undefined) return;
  const there = fileFromHeaders(path, found.headers, encryption.etagIsNotMd5);
  const isOurs = isWritten(there, file, since);
  if (isOurs === false) return;
  if (isOurs === undefined) {
    const text = `cannot verify ${bucket}/${key} after writing it`;
    throw new SyncerError('precondition-failed', text, { path });
  }
  if (version === undefined) await deleteIfSame(store, file, bucket, key, op);
  else await deleteObject(store, bucket, key, op, { query: [['versionId', version]] });
}

/**
 * Whether an object is the written one: it has the ETag and the time that were sent, and was stored between the start
 * of the write and the response; without a time or a version surely after the start. `undefined`: unknown.
 */
export function isWritten(
  there: FileEntry,
  file: FileEntry,
  since: ModTime | undefined,
): boolean | undefined {
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
  const isPast = until === undefined || storedTime < until + ONE_SECOND_NS;
  return storedTime >= earliest && isPast ? true : undefined;
}

async function deleteIfSame(
  store: S3Store,
  { etag }: FileEntry,
  bucket: string,
  key: string,
  op: Op,
): Promise<void> {
  const headers = etag === undefined ? {} : { 'if-match': `"${etag}"` };
  try {
    await deleteObject(store, bucket, key, op, { headers });
  } catch (error) {
    if (hasCode(error, 'precondition-failed', 'file-not-found')) return;
    // Not every server supports conditions on DELETE.
    if (!(error instanceof StoreError) || ![400, 501].includes(error.status)) throw error;
    await deleteObject(store, bucket, key, op);
  }
}

/**
 * Deletes one version of an object, or a delete marker, for good. If the response does not name the version, the
 * version is looked up; rejects with `bad-answer` if it is still there.
 */
export async function deleteVersion(
  store: S3Store,
  bucket: string,
  key: string,
  id: string,
  op: Op,
): Promise<void> {
  refuseRewritten(bucket, key);
  const query = [['versionId', id]] as const;
  const request = { method: 'DELETE', bucket, key, query, doing: 'delete a version of' } as const;
  const asked = { ...request, headers: bypassHeaders(store) };
  const { status, headers } = await store.client.call(asked, op);
  if (status === 204 && headers['x-amz-version-id'] === id) return;
  try {
    const sent = store.settings.encryption.keyHeaders;
    await askHead(store.client, { bucket, key, query, headers: sent }, op);
  } catch (error) {
    if (hasCode(error, 'file-not-found')) return;
    throw error;
  }
  const text = `cannot delete version ${id} of ${bucket}/${key}: it still exists, although the server returned status ${status}`;
  throw new SyncerError('bad-answer', text);
}
