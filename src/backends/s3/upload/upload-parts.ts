import { SyncerError } from '../../../core/errors.ts';
import { writtenSince } from '../../../core/mod-time.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { contentCheck } from '../../../hashes/content-check.ts';
import { giveBack } from '../../../kit/used-again.ts';
import { md5Header } from '../objects/metadata-headers.ts';
import { toldAt } from '../objects/object-entry.ts';
import type { S3Store } from '../store.ts';
import { type Completed, type DonePart, MultipartUpload, multipartEtag } from './multipart.ts';
import { objectHeaders, writeConditions } from './object-headers.ts';
import { lookAfter, writtenEntry } from './proven-entry.ts';
import { putBuffer } from './put-object.ts';
import { holdsOther, type ObjectUpload } from './sent-object.ts';
import { type PartTask, runParts, sourceParts } from './source-parts.ts';

/**
 * Uploads a file in parts. Nothing is visible until all are verified; on failure the parts are deleted. A file of
 * unknown size that fits one part is one PUT.
 */
export async function uploadParts(
  store: S3Store,
  upload: ObjectUpload,
  partSize: number,
  op: Op,
): Promise<FileEntry> {
  const { source } = upload;
  // An MD5 that the source provides need not be computed again here: its reader detects changes.
  const check = contentCheck(source);
  const tasks = sourceParts(source, partSize, check, op);
  const first = await tasks.next();
  const second = source.size === undefined ? await tasks.next() : undefined;
  if (second?.done === true && first.done !== true) {
    check.finish();
    const { body } = await first.value(op);
    return putBuffer(store, { ...upload, md5: undefined }, body, op);
  }
  const headers = {
    ...objectHeaders(store, source),
    ...(upload.md5 === undefined ? {} : md5Header(upload.md5)),
  };
  const at = { bucket: upload.bucket, key: upload.key };
  const multipart = await MultipartUpload.create(store, at, headers, true, op).catch(
    async (error) => {
      await tasks.return(undefined);
      throw error;
    },
  );
  try {
    const parts = await sendParts(store, upload, multipart, resumed(first, second, tasks), op);
    const { size, hashes } = check.finish();
    const { clock } = store.client.context;
    const startMs = clock.monotonic();
    const completed = await multipart.complete(parts, op, writeConditions(store, source));
    const md5 = upload.md5 ?? hashes.md5;
    const tookMs = clock.monotonic() - startMs;
    return await verified(store, upload, { parts, size, md5, completed, tookMs }, op);
  } catch (error) {
    if (!store.settings.leavePartsOnError) await multipart.abort();
    throw error;
  }
}

async function sendParts(
  store: S3Store,
  { source }: ObjectUpload,
  multipart: MultipartUpload,
  tasks: AsyncIterator<PartTask>,
  op: Op,
): Promise<DonePart[]> {
  const { uploadConcurrency, maxUploadParts } = store.settings;
  const parts = await runParts(tasks, uploadConcurrency, op, async (task, inner) => {
    const { number, body } = await task(inner);
    if (number > maxUploadParts) {
      const text = `longer than ${maxUploadParts} parts; raise chunk_size`;
      throw new SyncerError('too-large', text, { path: source.path });
    }
    const done = await multipart.put(number, body, inner);
    giveBack(body);
    return done;
  });
  return parts.sort((a, b) => a.number - b.number);
}

/** The tasks from the start, of which one or two were already taken. */
async function* resumed(
  first: IteratorResult<PartTask>,
  second: IteratorResult<PartTask> | undefined,
  rest: AsyncGenerator<PartTask>,
): AsyncGenerator<PartTask> {
  if (first.done !== true) yield first.value;
  if (second !== undefined && second.done !== true) yield second.value;
  yield* rest;
}

/**
 * The entry after the upload: its ETag is that of the parts, or its CRC-32, else it is looked up. Without an ETag in
 * the response, another writer may have replaced it.
 */
async function verified(
  store: S3Store,
  upload: ObjectUpload,
  done: {
    readonly parts: readonly DonePart[];
    readonly size: number;
    readonly md5: string | undefined;
    readonly completed: Completed;
    readonly tookMs: number;
  },
  op: Op,
): Promise<FileEntry> {
  const { parts, size, md5, completed, tookMs } = done;
  const { headers, etag, hasCrc32, wrongCrc32 } = completed;
  const { settings } = store;
  const sent = { size, md5, headers };
  const entry = writtenEntry(store, upload, sent, etag);
  if (wrongCrc32 !== undefined) throw holdsOther(upload, `CRC-32 ${wrongCrc32}`, entry);
  const made = multipartEtag(parts);
  if (etag === made || hasCrc32 === true) return entry;
  const isComparable =
    settings.verifyMultipartEtag && parts.every((part) => part.etag === part.md5);
  const wanted = isComparable ? made : undefined;
  if (settings.noHead) return provenParts(upload, entry, wanted);
  const mayBeReplaced = etag === undefined && isComparable;
  const since = mayBeReplaced ? writtenSince(toldAt(headers).toldAt, tookMs) : undefined;
  const proven = { ...sent, parts: { etag: made, told: etag, since } };
  const there = await lookAfter(store, upload, proven, op);
  return provenParts(upload, writtenEntry(store, upload, sent, there.etag), wanted);
}

function provenParts(
  upload: ObjectUpload,
  entry: FileEntry,
  wanted: string | undefined,
): FileEntry {
  if (wanted === undefined || entry.etag === undefined || entry.etag === wanted) return entry;
  throw holdsOther(upload, `ETag ${entry.etag}, not ${wanted}`, entry);
}
