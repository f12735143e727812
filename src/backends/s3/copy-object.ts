import type { RestoreJob, Restoring } from '../../core/change-details.ts';
import {
  changesMetadata,
  copiedMetadata,
  type KeepMetadata,
  modTimeIn,
} from '../../core/entry-details.ts';
import { hasCode, SyncerError } from '../../core/errors.ts';
import { formatRfc3339Nano, type ModTime, parseDecimalSeconds } from '../../core/mod-time.ts';
import type { FileEntry, Op } from '../../core/remote.ts';
import type { HttpHeaders } from '../http/answer-parser.ts';
import { child, childrenNamed, childText } from '../s3-protocol/read-xml.ts';
import { encodeUriPath } from '../s3-protocol/uri-encoding.ts';
import { withBucket } from './buckets.ts';
import { askDocument, askHead, findHead } from './client/ask.ts';
import type { S3Request } from './client/request.ts';
import { findVersion, isOldOf, versioningStatus, versionsOf } from './listing/history.ts';
import { keptAt, refuseOldVersion } from './listing/shown-versions.ts';
import { deleteObject } from './objects/delete-files.ts';
import { headObject } from './objects/head-object.ts';
import {
  etagOf,
  fileFromHeaders,
  isKeyEncrypted,
  md5OfEtag,
  versionIn,
} from './objects/object-entry.ts';
import type { Location, S3Store } from './store.ts';
import { hasS3Code, refusesForm } from './store-error.ts';
import { type Completed, MultipartUpload, multipartEtag, toldEtag } from './upload/multipart.ts';
import { lockWritten } from './upload/object-lock.ts';
import { recordLeft } from './upload/open-upload.ts';
import { foundInstead, isOfOthers } from './upload/proven-entry.ts';
import { runParts } from './upload/source-parts.ts';
import { headersToKeep, modTimeHeader } from './upload/write-headers.ts';

/** Copies an object server-side, in parts if it is large; returns the server's report of it. Rejects as `proveCopy`. */
export async function copyObject(store: S3Store, job: ObjectCopy, path: string, op: Op) {
  if (job.file.size >= store.settings.copyCutoff) {
    return proveCopyInParts(store, job, path, await copyInParts(store, job, op), op);
  }
  const copy = (condition: ExtraHeaders) => copyWhole(store, job, condition, op);
  const copied = await ifUnchanged(store, job, copy, op);
  await proveCopy(store, job, path, copied, op);
  return copied;
}

type ExtraHeaders = Readonly<Record<string, string>>;

/**
 * Copies on condition that the source is unchanged since the listing: `source-changed`. If the server refuses the
 * condition, it is looked at instead, directly before.
 */
async function ifUnchanged<T>(
  store: S3Store,
  { from, file: { etag } }: ObjectCopy,
  copy: (condition: ExtraHeaders) => Promise<T>,
  op: Op,
): Promise<T> {
  const changed = (cause?: unknown) => {
    const text = `${from.bucket}/${from.key} was replaced since it was listed`;
    return new SyncerError('source-changed', text, { cause });
  };
  if (etag === undefined) return copy({});
  let refusal: unknown;
  if (!store.refusesCopyConditions) {
    try {
      return await copy({ 'x-amz-copy-source-if-match': `"${etag}"` });
    } catch (error) {
      if (hasCode(error, 'precondition-failed')) throw changed(error);
      if (!refusesForm(error)) throw error;
      refusal = error;
    }
  }
  const there = await findHead(store.client, from, op).catch((error) => {
    throw refusal ?? error;
  });
  if (there !== undefined && etagOf(there) !== etag) throw changed();
  const copied = await copy({});
  store.refusesCopyConditions = true;
  return copied;
}

async function copyWhole(store: S3Store, job: ObjectCopy, condition: ExtraHeaders, op: Op) {
  const { to, replaceHeaders } = job;
  const request: S3Request = {
    method: 'PUT',
    ...to,
    headers: {
      ...replaceHeaders,
      ...job.placement,
      ...copySourceHeaders(store, job.from),
      ...condition,
      'x-amz-metadata-directive': replaceHeaders === undefined ? 'COPY' : 'REPLACE',
    },
    doing: 'copy to',
  };
  const call = async () => {
    const { root, headers } = await askDocument(store.client, request, 'CopyObjectResult', op);
    return { headers, etag: toldEtag(root, request) };
  };
  return withBucket(store, to.bucket, op, call);
}

/** The headers that name the source of a copy. */
export function copySourceHeaders(
  store: S3Store,
  { bucket, key, version }: Location,
): Record<string, string> {
  const query = version === undefined ? '' : `?versionId=${encodeURIComponent(version)}`;
  return {
    'x-amz-copy-source': `/${encodeUriPath(`${bucket}/${key}`)}${query}`,
    ...store.settings.encryption.sourceKeyHeaders,
  };
}

/** Copies a large object by parts of `copy_cutoff`. Metadata and tags are not copied with parts: they are read and sent again. */
async function copyInParts(store: S3Store, job: ObjectCopy, op: Op) {
  const { settings, client } = store;
  const { from, replaceHeaders, isTagged } = job;
  const told = replaceHeaders === undefined ? await askHead(client, from, op) : undefined;
  const kept = replaceHeaders ?? headersToKeep(told ?? {});
  const copiesTags = told === undefined ? isTagged === true : hasTags(told);
  // The user may have set other tags.
  const tags = copiesTags ? await tagHeader(store, from, op) : {};
  const created = { ...tags, ...kept, ...job.placement };
  const upload = await MultipartUpload.create(store, job.to, created, false, op);
  try {
    const { size } = job.file;
    const { copyCutoff: partSize } = settings;
    async function* ranges() {
      for (let number = 1, offset = 0; offset < size; number++, offset += partSize) {
        yield { number, offset, length: Math.min(partSize, size - offset) };
      }
    }
    const { keyHeaders } = settings.encryption;
    const source = { ...copySourceHeaders(store, job.from), ...keyHeaders };
    const atOnce = settings.uploadConcurrency;
    const parts = await runParts(ranges(), atOnce, op, ({ number, offset, length }, inner) => {
      const copy = (condition: ExtraHeaders) =>
        upload.copy(number, offset, length, { ...source, ...condition }, inner);
      return ifUnchanged(store, job, copy, inner);
    });
    parts.sort((a, b) => a.number - b.number);
    const completed = await upload.complete(parts, op);
    return { ...completed, partsEtag: multipartEtag(parts) };
  } catch (error) {
    const isGone = settings.leavePartsOnError || (await upload.abort());
    if (!isGone) await recordLeft(store, job.to, upload.id);
    client.context.signal.throwIfAborted();
    throw error;
  }
}

/** The source and target of a server-side copy. */
interface ObjectCopy {
  readonly from: Location;
  readonly to: Location;
  readonly file: FileEntry;
  /** All headers of the copy; `undefined`: it keeps the source's metadata. */
  readonly replaceHeaders?: Readonly<Record<string, string>>;
  /** The source has tags; only if there are `replaceHeaders`, which do not say so. */
  readonly isTagged?: boolean;
  /** ACL, storage class and encryption of the copy. */
  readonly placement: Readonly<Record<string, string>>;
}

/**
 * Verifies a server-side copy: it has the source's size, the ETag of the response or of the source, and the requested
 * time. If the ETags differ, MD5 or else time decides. Rejects with `corrupted` if it is something else, with
 * `bad-answer` if there is none.
 */
async function proveCopy(
  store: S3Store,
  job: ObjectCopy,
  path: string,
  { headers, etag }: Completed,
  op: Op,
): Promise<void> {
  const { file, to } = job;
  const { encryption, noHead } = store.settings;
  const [copied, source] = [md5OfEtag(etag), md5OfEtag(file.etag)];
  const isComparable = !encryption.etagIsNotMd5 && !isKeyEncrypted(headers);
  const isOther = isComparable && copied !== undefined && source !== undefined && copied !== source;
  // A missing copy onto itself loses nothing: the next run sets the time again.
  if ((noHead || isOntoItself(job)) && etag !== undefined && !isOther) return;
  const there = await look(store, to, path, op);
  const isSize = file.size < 0 || there.size === file.size;
  const isTold = !isOther && there.etag !== undefined && [etag, file.etag].includes(there.etag);
  if (isSize && isTold && hasTimeWanted(there, job)) return;
  const original = await sourceOf(store, job, op);
  const wanted = original.hashes?.md5;
  const found = there.hashes?.md5;
  const isKnown = found !== undefined && wanted !== undefined;
  const differs = isKnown && found !== wanted;
  // The source's ETag in a listing may be no MD5: then that of the response proves the copy.
  const isToldNow = isTold || (wanted === undefined && there.etag === etag);
  const { bucket, key } = to;
  if (!differs && isSize) {
    const isSameTime = there.modTime !== undefined && there.modTime === original.modTime;
    const isSame = isToldNow || isKnown || isSameTime;
    if (isSame && hasTimeWanted(there, job, original)) return;
    const text = `cannot copy to ${bucket}/${key}: the server accepted the copy, but did not make it`;
    throw new SyncerError('bad-answer', text, { path });
  }
  const what = differs
    ? `MD5 ${found}, not ${wanted}`
    : `${there.size} bytes, not ${job.file.size}`;
  const text = `${bucket}/${key}: the copy differs from its source: ${what}`;
  const sent = sentTime(job, original);
  if (isOfOthers(there, sent, headers)) throw new SyncerError('corrupted', text, { path });
  const wrong = foundInstead(there, there.etag === etag ? sent : undefined, headers);
  throw new SyncerError('corrupted', text, { path, wrong });
}

/** Verifies that a copy in parts has the right ETag, size and time. Rejects as `proveCopy`. */
async function proveCopyInParts(
  store: S3Store,
  job: ObjectCopy,
  path: string,
  copied: Awaited<ReturnType<typeof copyInParts>>,
  op: Op,
): Promise<Completed> {
  const { headers, etag, partsEtag } = copied;
  const there = await look(store, job.to, path, op);
  const { bucket, key } = job.to;
  const isTold = there.etag !== undefined && [etag, partsEtag].includes(there.etag);
  if (!isTold || !hasTimeWanted(there, job)) {
    const text = `cannot copy to ${bucket}/${key}: the server accepted the copy but stored something else`;
    throw new SyncerError('bad-answer', text, { path });
  }
  if (there.size === job.file.size) return { headers, etag: there.etag };
  const modTime = sentTime(job, await sourceOf(store, job, op));
  const what = `${there.size} bytes, not ${job.file.size}`;
  const text = `${bucket}/${key}: the copy differs from its source: ${what}`;
  throw new SyncerError('corrupted', text, { path, wrong: foundInstead(there, modTime, headers) });
}

/** Whether an object has the requested time: that of the source, or another one. */
function hasTimeWanted(there: FileEntry, { replaceHeaders, file }: ObjectCopy, source = file) {
  if (replaceHeaders === undefined) {
    const isKept =
      source.metadata?.['mtime'] !== undefined && there.metadata?.['mtime'] !== undefined;
    return !isKept || source.modTime === there.modTime;
  }
  const wantedTime = parseDecimalSeconds(replaceHeaders['x-amz-meta-mtime'] ?? '');
  return wantedTime === undefined || wantedTime === there.modTime;
}

/** The time that the copy was to get, if it was to get one. */
function sentTime({ replaceHeaders }: ObjectCopy, source: FileEntry): ModTime | undefined {
  if (replaceHeaders === undefined) return source.modTime;
  return parseDecimalSeconds(replaceHeaders['x-amz-meta-mtime'] ?? '');
}

function isOntoItself({ from, to }: ObjectCopy): boolean {
  return from.bucket === to.bucket && from.key === to.key && from.version === undefined;
}

/** The source. Of a copy onto itself only the earlier state is known. */
async function sourceOf(store: S3Store, job: ObjectCopy, op: Op): Promise<FileEntry> {
  if (isOntoItself(job)) return job.file;
  const { from, file } = job;
  const { modTime, ...found } = await look(store, from, file.path, op);
  // Only a time in the object's metadata is copied with it.
  const isKept = modTime !== undefined && found.metadata?.['mtime'] !== undefined;
  return isKept ? { ...found, modTime } : found;
}

async function look(store: S3Store, at: Location, path: string, op: Op): Promise<FileEntry> {
  const { encryption } = store.settings;
  const headers = await findHead(store.client, at, op);
  if (headers !== undefined) return fileFromHeaders(path, headers, encryption.etagIsNotMd5);
  const text = `cannot copy to ${at.bucket}/${at.key}: the server does not have it`;
  throw new SyncerError('bad-answer', text, { path });
}

/** Copies a file within one account; `undefined` for others. The server copies the metadata, unless `keep` changes it. */
export async function copyWithin(
  from: S3Store,
  to: S3Store,
  file: FileEntry,
  path: string,
  op: Op,
  keep?: KeepMetadata,
): Promise<FileEntry | undefined> {
  const isElsewhere = from.settings.endpoint.hostname !== to.settings.endpoint.hostname;
  if (isElsewhere || (from !== to && accountOf(from) !== accountOf(to))) return undefined;
  const source = from.locateFile(file);
  const target = to.locate(path);
  if (target.bucket === '' || target.key === '') return undefined;
  const isOntoItself = source.bucket === target.bucket && source.key === target.key;
  // An old version of it is another object.
  if (isOntoItself && !from.isOldVersion(file)) return { ...file, path };
  const { objectLock } = to.settings;
  const copiesLock = Object.values(objectLock ?? {}).includes('COPY');
  const changes = keep !== undefined && (copiesLock || changesMetadata(keep));
  const wanted = changes ? await changedMetadata(to, source, file, path, keep, op) : undefined;
  const lock = wanted?.details.metadata;
  const placement = to.headers.copy(lock, file);
  const replaced = wanted && { replaceHeaders: wanted.headers, isTagged: wanted.isTagged };
  const job = { from: source, to: target, file, placement, ...replaced };
  const copied = await copyObject(to, job, path, op);
  const { etag, headers } = copied;
  const { hashes: _hashes, etag: _etag, storedTime: _stored, toldAt: _told, ...known } = file;
  const { tier: _tier, id: _id, version: _version, ...kept } = known;
  const md5 = file.hashes?.md5 ?? md5OfEtag(etag);
  const entry: FileEntry = {
    ...kept,
    ...wanted?.details,
    path,
    ...(md5 === undefined ? {} : { hashes: { md5 } }),
    ...(etag === undefined ? {} : { etag }),
    ...versionIn(headers),
  };
  if (objectLock !== undefined) await lockWritten(to, entry, lock, 'copy', op);
  return entry;
}

/** The headers of a copy with the metadata of its source and the user's changes. */
async function changedMetadata(
  store: S3Store,
  at: Location,
  file: FileEntry,
  path: string,
  keep: KeepMetadata,
  op: Op,
) {
  const { encryption } = store.settings;
  const headers = await askHead(store.client, at, op);
  const now = fileFromHeaders(file.path, headers, encryption.etagIsNotMd5, file);
  const metadata = await copiedMetadata(now, keep);
  const modTime = modTimeIn(metadata) ?? now.modTime;
  const { 'x-amz-storage-class': _class, ...kept } = headersToKeep(headers);
  return {
    headers: { ...kept, ...store.headers.metadata(path, metadata), ...modTimeHeader(modTime) },
    isTagged: hasTags(headers),
    details: { metadata, ...(modTime === undefined ? {} : { modTime }) },
  };
}

/** The server can read a source itself only in the same account of the same endpoint. */
function accountOf({ settings: { endpoint, encryption }, client }: S3Store): string {
  const { hostname, port, basePath } = endpoint;
  return JSON.stringify([hostname, port, basePath, client.credentials.account, encryption]);
}

/** Sets the time by copying the object onto itself server-side. All other metadata stays, and the storage class unless set. */
export async function setObjectModTime(
  store: S3Store,
  file: FileEntry,
  modTime: ModTime,
  op: Op,
): Promise<FileEntry> {
  refuseOldVersion(store, file);
  const { bucket, key } = store.locateFile(file);
  const at = { bucket, key };
  const { encryption } = store.settings;
  const headers = await askHead(store.client, at, op);
  const now = fileFromHeaders(file.path, headers, encryption.etagIsNotMd5);
  const replaceHeaders = { ...headersToKeep(headers), ...modTimeHeader(modTime) };
  const placement = store.headers.copy(now.metadata);
  const source = { ...now, etag: etagOf(headers) ?? '' };
  const copying = { from: at, to: at, file: source, placement };
  const job = { ...copying, replaceHeaders, isTagged: hasTags(headers) };
  const { etag } = await copyObject(store, job, file.path, op);
  const { storedTime: _stored, ...kept } = now;
  const metadata = { ...now.metadata, mtime: formatRfc3339Nano(modTime) };
  return { ...kept, modTime, metadata, ...(etag === undefined ? {} : { etag }) };
}

/** `Capabilities.restoreKept`: copies a version onto its object server-side, with its metadata and storage class. */
export async function restoreVersion(store: S3Store, file: FileEntry, op: Op): Promise<void> {
  const { id, ...to } = keptAt(store, file);
  const from = { ...to, version: id };
  const placement = store.headers.copy(file.metadata, file);
  await copyObject(store, { from, to, file, placement }, file.path, op);
}

/** Whether the response to HEAD says that the object has tags. */
const hasTags = (headers: HttpHeaders): boolean => Number(headers['x-amz-tagging-count'] ?? 0) > 0;

/**
 * The header that gives a new object the tags of another one; none if it has none any more, or the server does not
 * return tags. Rejects if they must not be read: without them, rules for the life and the readers of the object would no
 * longer apply.
 */
async function tagHeader(store: S3Store, { bucket, key, version }: Location, op: Op) {
  const query = [['tagging', '']] as const;
  const doing = 'read the tags of';
  const request = { method: 'GET', bucket, key, version, query, doing } as const;
  try {
    const { root } = await askDocument(store.client, request, 'Tagging', op);
    const set = child(root, 'TagSet') ?? root;
    const tags = childrenNamed(set, 'Tag').map((tag) =>
      ['Key', 'Value'].map((name) => encodeURIComponent(childText(tag, name) ?? '')).join('='),
    );
    if ((set === root && tags.length === 0) || tags.some((tag) => tag.startsWith('='))) {
      throw new SyncerError(
        'bad-answer',
        `cannot ${doing} ${bucket}/${key}: the response has none`,
      );
    }
    return tags.length === 0 ? {} : { 'x-amz-tagging': tags.join('&') };
  } catch (thrown) {
    op.signal.throwIfAborted();
    if (hasCode(thrown, 'unsupported') || hasS3Code(thrown, 'NoSuchTagSet')) return {};
    throw thrown;
  }
}

/** See `Capabilities.restoring`: older versions and delete markers of buckets with versioning. */
export function restoringObjects(store: S3Store): Restoring<FileEntry, Op> {
  let known: Promise<string> | undefined;
  // `''` if the key may not ask, or the server does not say it: copies are then kept beside the versions.
  const versioning = async (op: Op) => {
    const { bucket } = store.locate('');
    if (bucket === '') return '';
    known ??= versioningStatus(store, bucket, op).catch((thrown) => {
      const isUnknown =
        refusesForm(thrown) || hasCode(thrown, 'bucket-not-found', 'file-not-found');
      if (!op.signal.aborted && isUnknown) return '';
      known = undefined;
      op.signal.throwIfAborted();
      throw thrown;
    });
    return known;
  };
  return {
    async keeps(op) {
      const isKept = (await versioning(op)) === 'Enabled';
      return { deleted: isKept, replaced: isKept };
    },
    restore: (job, op) => restoreObject(store, job, op),
    async find(file, op) {
      if ((await versioning(op)) === 'Unversioned') return undefined;
      return findVersion(store, file, op);
    },
  };
}

async function restoreObject(
  store: S3Store,
  { path, old, current, kept }: RestoreJob<FileEntry>,
  op: Op,
): Promise<FileEntry> {
  const { bucket, key } = store.locate(path);
  const versions = await versionsOf(store, { bucket, key }, op);
  const [newest, ...older] = versions;
  // Others may have the same content, and another time.
  const above = kept.in === 'versions' && kept.id ? kept.id : undefined;
  const place = versions.findIndex(({ id }) => id === above);
  // A deletion that was repeated has left a marker more.
  const under = versions.slice(place + 1).find(({ kind }) => kind !== 'old-marker');
  const before = [...(place >= 0 && under ? [under] : []), ...older].find((one) =>
    isOldOf(old, one),
  );
  if (before === undefined) {
    const text = `the old version of ${bucket}/${key} is no longer kept`;
    throw new SyncerError('file-not-found', text, { path });
  }
  if (current === undefined) {
    const isMarker = newest?.kind === 'marker' && (above === undefined || newest.id === above);
    // Under the marker there must be the version that was deleted.
    if (isMarker && older[0] === before) {
      await deleteObject(store, { bucket, key, id: newest.id }, op);
      return headObject(store, path, op);
    }
  }
  const file: FileEntry = { kind: 'file', path, size: before.size, etag: before.etag };
  const to = { bucket, key };
  const { placement } = store.headers;
  const job = { from: { ...to, version: before.id }, to, file, placement };
  const { headers } = await copyObject(store, job, path, op);
  const { version: id } = versionIn(headers);
  if (current !== undefined)
    op.change?.onKept?.(path, { in: 'versions', ...(id === undefined ? {} : { id }) });
  return headObject(store, path, op);
}
