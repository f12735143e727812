import { hasCode, SyncerError } from '../../../core/errors.ts';
import { parseDecimalSeconds } from '../../../core/mod-time.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { customerKeyHeaders } from '../encryption.ts';
import { askHead } from '../objects/ask-head.ts';
import { fileFromHeaders, isKeyEncrypted, md5OfEtag } from '../objects/object-entry.ts';
import type { Location, S3Store } from '../store.ts';
import type { Completed } from '../upload/multipart.ts';
import { foundInstead } from '../upload/prove-stored.ts';
import type { CopiedInParts } from './copy-in-parts.ts';
import type { CopyJob } from './copy-job.ts';

/**
 * Makes sure of a copy that the store made: its ETag is that of the source, or tells nothing of the content, as after an
 * upload in parts. Else both are looked at. Rejects with `corrupted` where the copy is something else, and with
 * `bad-answer` where there is none.
 *
 * @param path of the copy, for what the error tells
 */
export async function proveCopy(
  store: S3Store,
  job: CopyJob,
  path: string,
  { headers, etag }: Completed,
  op: Op,
): Promise<void> {
  const [copied, source] = [md5OfEtag(etag), md5OfEtag(job.file.etag)];
  const isComparable = !store.settings.encryption.etagIsNotMd5 && !isKeyEncrypted(headers);
  const isTold = etag !== undefined && !(isComparable && copied && source && copied !== source);
  if (isTold) return;
  const there = await look(store, job.to, path, op);
  const original = await sourceOf(store, job, op);
  const wanted = original.hashes?.md5;
  const found = there.hashes?.md5;
  const differs = found !== undefined && wanted !== undefined && found !== wanted;
  const { bucket, key } = job.to;
  if (!differs && (job.file.size < 0 || there.size === job.file.size)) {
    if (hasTimeWanted(there, job)) return;
    const text = `cannot copy to ${bucket}/${key}: the server accepted the copy, but did not make it`;
    throw new SyncerError('bad-answer', text, { path });
  }
  const what = differs
    ? `MD5 ${found}, not ${wanted}`
    : `${there.size} bytes, not ${job.file.size}`;
  const text = `${bucket}/${key}: the copy holds other content than its source: ${what}`;
  throw new SyncerError('corrupted', text, {
    path,
    wrong: foundInstead(there, there.etag === etag ? original.modTime : undefined, headers),
  });
}

/**
 * Makes sure of a copy in parts, whose ETag is not that of the source: what is there has the ETag that the answer told
 * or the parts make, the size of the source, and the time that was to be set. Rejects as `proveCopy`.
 */
export async function proveCopyInParts(
  store: S3Store,
  job: CopyJob,
  path: string,
  copied: CopiedInParts,
  op: Op,
): Promise<Completed> {
  const { headers, etag, partsEtag } = copied;
  const there = await look(store, job.to, path, op);
  const { bucket, key } = job.to;
  const isTold = there.etag !== undefined && [etag, partsEtag].includes(there.etag);
  if (!isTold || !hasTimeWanted(there, job)) {
    const text = `cannot copy to ${bucket}/${key}: the store took the copy, and has something else`;
    throw new SyncerError('bad-answer', text, { path });
  }
  if (there.size === job.file.size) return { headers, etag: there.etag };
  const { modTime } = await sourceOf(store, job, op);
  const what = `${there.size} bytes, not ${job.file.size}`;
  const text = `${bucket}/${key}: the copy holds other content than its source: ${what}`;
  throw new SyncerError('corrupted', text, { path, wrong: foundInstead(there, modTime, headers) });
}

/** Whether an object has the time that the copy was to get. */
function hasTimeWanted({ modTime }: FileEntry, { replaceHeaders = {} }: CopyJob): boolean {
  const wantedTime = parseDecimalSeconds(replaceHeaders['x-amz-meta-mtime'] ?? '');
  return wantedTime === undefined || wantedTime === modTime;
}

/** The source. A copy onto itself has left nothing of it but what was known before. */
async function sourceOf(store: S3Store, { from, to, file }: CopyJob, op: Op): Promise<FileEntry> {
  if (from.bucket === to.bucket && from.key === to.key) return file;
  const { modTime, ...found } = await look(store, from, file.path, op);
  // Only a time that is kept with an object is copied with it.
  const isKept = modTime !== undefined && found.metadata?.['mtime'] !== undefined;
  return isKept ? { ...found, modTime } : found;
}

async function look(store: S3Store, at: Location, path: string, op: Op): Promise<FileEntry> {
  const { encryption } = store.settings;
  try {
    const answer = await askHead(
      store.client,
      { ...at, headers: customerKeyHeaders(encryption) },
      op,
    );
    return fileFromHeaders(path, answer.headers, encryption.etagIsNotMd5);
  } catch (error) {
    if (!hasCode(error, 'file-not-found')) throw error;
    const text = `cannot copy to ${at.bucket}/${at.key}: the server does not have it`;
    throw new SyncerError('bad-answer', text, { path });
  }
}
