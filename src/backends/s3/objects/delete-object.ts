import { hasCode, SyncerError } from '../../../core/errors.ts';
import type { ModTime } from '../../../core/mod-time.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { isSameSecond } from '../../../core/same-content.ts';
import type { HttpHeaders } from '../../http/answer-parser.ts';
import type { S3Store } from '../store.ts';
import { StoreError } from '../store-error.ts';
import { askHead } from './ask-head.ts';
import type { DoomedObject } from './delete-batch.ts';
import { fileFromHeaders, versionIn } from './object-entry.ts';

/** A segment that servers, and proxies before them, resolve as a path. */
const DOTS = /(?:^|\/)\.\.?(?:\/|$)/;

/** Whether a request with this key in its URL could reach another one. */
export function mayBeRewritten(key: string): boolean {
  return DOTS.test(key);
}

/**
 * Deletes one object, or for good one version of it or a delete marker (`id`); a missing object is no error. If the
 * response is not S3's, or does not name the version, that is looked up; rejects with `bad-answer` if it is still there.
 * Throws `name-invalid` if the request could reach another object. Resolves to the ID of the delete marker, if the
 * bucket keeps versions.
 *
 * @param etag delete only the object that has it, else reject with `precondition-failed`
 */
export async function deleteObject(
  store: S3Store,
  { bucket, key, id }: DoomedObject & { readonly bucket: string },
  op: Op,
  etag?: string,
): Promise<string | undefined> {
  if (mayBeRewritten(key)) {
    const text = `cannot delete ${bucket}/${key}: a request for it could reach another object`;
    throw new SyncerError('name-invalid', text);
  }
  const condition = etag === undefined ? {} : { 'if-match': `"${etag}"` };
  const headers = { ...store.headers.bypass, ...condition };
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
  try {
    const sent = store.settings.encryption.keyHeaders;
    await askHead(store.client, { bucket, key, version: id, headers: sent }, op);
  } catch (error) {
    if (hasCode(error, 'file-not-found')) return undefined;
    throw error;
  }
  const what = `${id === undefined ? '' : `version ${id} of `}${bucket}/${key}`;
  const text = `cannot delete ${what}: it still exists, although the server returned status ${status}`;
  throw new SyncerError('bad-answer', text);
}

/** Whether a server refuses conditions on DELETE: not every one supports them. */
export function refusesConditions(error: unknown): boolean {
  return error instanceof StoreError && [400, 501].includes(error.status);
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
  const at = { bucket, key, id: version };
  try {
    await deleteObject(store, at, op, version === undefined ? file.etag : undefined);
  } catch (error) {
    if (version !== undefined) throw error;
    if (hasCode(error, 'precondition-failed', 'file-not-found')) return;
    if (!refusesConditions(error)) throw error;
    await deleteObject(store, at, op);
  }
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
