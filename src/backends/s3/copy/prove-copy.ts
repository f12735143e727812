import { hasCode, SyncerError } from '../../../core/errors.ts';
import { type ModTime, parseDecimalSeconds } from '../../../core/mod-time.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { askHead } from '../objects/ask-head.ts';
import { fileFromHeaders, isKeyEncrypted, md5OfEtag } from '../objects/object-entry.ts';
import type { Location, S3Store } from '../store.ts';
import type { Completed } from '../upload/multipart.ts';
import { foundInstead, isOfOthers } from '../upload/proven-entry.ts';

/** The source and target of a server-side copy. */
export interface ObjectCopy {
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

/** A copy in parts that the server reports as completed. */
export interface CopiedInParts extends Completed {
  readonly partsEtag: string;
}

/**
 * Verifies a server-side copy: it has the source's size, the ETag of the response or of the source, and the requested
 * time. If the ETags differ, MD5 or else time decides. Rejects with `corrupted` if it is something else, with
 * `bad-answer` if there is none.
 *
 * @param path of the copy, for the error
 */
export async function proveCopy(
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
    const isSame = isToldNow || isKnown || isSameTime(there.modTime, original.modTime);
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

/**
 * Verifies a copy in parts: it has the ETag in the response or of the parts, the source's size, and the requested
 * time. Rejects as `proveCopy`.
 */
export async function proveCopyInParts(
  store: S3Store,
  job: ObjectCopy,
  path: string,
  copied: CopiedInParts,
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

const isSameTime = (a: ModTime | undefined, b: ModTime | undefined) => a !== undefined && a === b;

/** Whether an object has the requested time: that of the source, or another one. */
function hasTimeWanted(
  there: FileEntry,
  { replaceHeaders, file }: ObjectCopy,
  source = file,
): boolean {
  if (replaceHeaders === undefined) {
    const isKept = [source, there].every(({ metadata }) => metadata?.['mtime'] !== undefined);
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
  try {
    const answer = await askHead(store.client, { ...at, headers: encryption.keyHeaders }, op);
    return fileFromHeaders(path, answer.headers, encryption.etagIsNotMd5);
  } catch (error) {
    if (!hasCode(error, 'file-not-found')) throw error;
    const text = `cannot copy to ${at.bucket}/${at.key}: the server does not have it`;
    throw new SyncerError('bad-answer', text, { path });
  }
}
