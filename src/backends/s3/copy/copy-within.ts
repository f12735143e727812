import {
  changesMetadata,
  copiedMetadata,
  type KeepMetadata,
  modTimeIn,
} from '../../../core/entry-details.ts';
import { formatRfc3339Nano, type ModTime } from '../../../core/mod-time.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { refuseOldVersion } from '../listing/shown-versions.ts';
import { askHead } from '../objects/ask-head.ts';
import { etagOf, fileFromHeaders, versionIn } from '../objects/object-entry.ts';
import { hasTags } from '../objects/object-tags.ts';
import type { Location, S3Store } from '../store.ts';
import { headersOfMetadata, headersToKeep, modTimeHeader } from '../upload/object-headers.ts';
import { lockHeaders, lockWritten } from '../upload/object-lock.ts';
import { copyObject, md5OfCopy } from './copy-object.ts';

/**
 * Copies a file of one remote to another on the same account; `undefined` for others. The server copies the metadata,
 * unless `keep` changes it: then it is read and sent with the copy.
 */
export async function copyWithin(
  from: S3Store,
  to: S3Store,
  file: FileEntry,
  path: string,
  op: Op,
  keep?: KeepMetadata,
): Promise<FileEntry | undefined> {
  if (!isSameAccount(from, to)) return undefined;
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
  const placement = {
    ...classOf(file),
    ...to.headers.placement,
    ...(objectLock === undefined ? {} : lockHeaders(to, lock)),
  };
  const replaced = wanted && { replaceHeaders: wanted.headers, isTagged: wanted.isTagged };
  const job = { from: source, to: target, file, placement, ...replaced };
  const copied = await copyObject(to, job, path, op);
  const entry = {
    ...copiedEntry({ ...file, ...wanted?.details }, path, copied.etag),
    ...versionIn(copied.headers),
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
  const asked = { ...at, headers: encryption.keyHeaders };
  const { headers } = await askHead(store.client, asked, op);
  const now = fileFromHeaders(file.path, headers, encryption.etagIsNotMd5, file);
  const metadata = await copiedMetadata(now, keep);
  const modTime = modTimeIn(metadata) ?? now.modTime;
  const { 'x-amz-storage-class': _class, ...kept } = headersToKeep(headers);
  return {
    headers: {
      ...kept,
      ...headersOfMetadata(store, path, metadata),
      ...(modTime === undefined ? {} : modTimeHeader(modTime)),
    },
    isTagged: hasTags(headers),
    details: { metadata, ...(modTime === undefined ? {} : { modTime }) },
  };
}

/** The header that keeps the storage class of a file, as rclone since 1.73 does. */
export function classOf({ tier = 'STANDARD' }: FileEntry): Record<string, string> {
  return tier === 'STANDARD' ? {} : { 'x-amz-storage-class': tier };
}

function copiedEntry(file: FileEntry, path: string, etag: string | undefined): FileEntry {
  const { hashes: _hashes, etag: _etag, ...rest } = file;
  const { storedTime: _stored, toldAt: _told, tier: _tier, id: _id, version: _of, ...kept } = rest;
  const md5 = md5OfCopy(etag, file);
  return {
    ...kept,
    path,
    ...(md5 === undefined ? {} : { hashes: { md5 } }),
    ...(etag === undefined ? {} : { etag }),
  };
}

/** The server can read the source itself only if both are the same account of the same endpoint. */
function isSameAccount(a: S3Store, b: S3Store): boolean {
  if (a === b) return true;
  const [x, y] = [a.settings.endpoint, b.settings.endpoint];
  return (
    x.hostname === y.hostname &&
    x.port === y.port &&
    x.basePath === y.basePath &&
    a.client.credentials.account === b.client.credentials.account &&
    JSON.stringify(a.settings.encryption) === JSON.stringify(b.settings.encryption)
  );
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
  const keys = encryption.keyHeaders;
  const { headers } = await askHead(store.client, { ...at, headers: keys }, op);
  const now = fileFromHeaders(file.path, headers, encryption.etagIsNotMd5);
  const replaceHeaders = { ...headersToKeep(headers), ...modTimeHeader(modTime) };
  const placement = { ...store.headers.placement, ...lockHeaders(store, now.metadata) };
  const copied = await copyObject(
    store,
    {
      from: at,
      to: at,
      file: { ...now, etag: etagOf(headers) ?? '' },
      replaceHeaders,
      isTagged: hasTags(headers),
      placement,
    },
    file.path,
    op,
  );
  const { etag } = copied;
  const { storedTime: _stored, ...kept } = now;
  const metadata = { ...now.metadata, mtime: formatRfc3339Nano(modTime) };
  return { ...kept, modTime, metadata, ...(etag === undefined ? {} : { etag }) };
}
