import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { bodyChunks, collectBody, wholeSource } from '../../../core/body.ts';
import { hasCode, SyncerError } from '../../../core/errors.ts';
import type { Hashes } from '../../../core/hash-names.ts';
import { writtenSince } from '../../../core/mod-time.ts';
import type { Body, FileEntry, Op, WriteSource } from '../../../core/remote.ts';
import { isUntouched } from '../../../core/same-content.ts';
import { type ContentCheck, checkWhole, contentCheck } from '../../../hashes/content-hasher.ts';
import type { HttpHeaders } from '../../http/answer-parser.ts';
import { ensureBucket, withBucket } from '../buckets.ts';
import { CRC32_HEADER, encodeCrc32 } from '../checksums.ts';
import type { StreamBody } from '../client/request.ts';
import { isRefusal } from '../data-integrity.ts';
import { takeBack } from '../objects/delete-files.ts';
import { headObject } from '../objects/head-object.ts';
import { toldAt } from '../objects/object-entry.ts';
import type { S3Store } from '../store.ts';
import { hasS3Code, isRefusedAgain } from '../store-error.ts';
import { type ObjectUpload, provenEntry } from './proven-entry.ts';

/** Reads the file and checks it; the result opens any number of times, and has its MD5. */
export async function readIntoMemory(
  upload: ObjectUpload,
  op: Op,
): Promise<ObjectUpload & { readonly content: Buffer }> {
  const { source } = upload;
  const body = await source.open(undefined, op);
  // Of small files, an await more for each one counts.
  const content = Buffer.isBuffer(body) ? body : await collectBody(body, op.signal);
  const { hashes } = checkWhole(source, content, ['md5']);
  const { hashes: _checked, ...kept } = source;
  return { ...upload, content, md5: hashes.md5, source: wholeSource(kept, content) };
}

/** Writes checked content in memory, with one PUT, which can be repeated. */
export async function putBuffer(store: S3Store, upload: ObjectUpload, body: Buffer, op: Op) {
  const md5 = upload.md5 ?? hash('md5', body, 'hex');
  const request = putRequest(store, upload, md5, body);
  const sent = await store.integrity.attempt(async (withChecksum) => {
    // Amazon keeps it with the object, so that readers can verify the content.
    const sum = withChecksum ? encodeCrc32(crc32(body)) : undefined;
    if (sum === undefined) delete request.headers[CRC32_HEADER];
    else request.headers[CRC32_HEADER] = sum;
    const call = () => store.client.call(request, op);
    const { headers } = await withBucket(store, upload.bucket, op, call).catch((thrown) =>
      ownAnswer(store, upload, { md5 }, thrown, op),
    );
    return { md5, size: body.length, headers, crc32: sum };
  });
  return provenEntry(store, upload, sent, op);
}

/** Writes the file with one PUT while it is read; its MD5 is known in advance. */
export async function putStream(store: S3Store, upload: ObjectUpload, op: Op): Promise<FileEntry> {
  const { source, md5 = '' } = upload;
  const size = source.size ?? 0;
  await ensureBucket(store, upload.bucket, op);
  // The server compares the MD5 of the received data; other hashes, and the length, are checked here.
  const check = contentCheck(source);
  const body = await source.open(undefined, op);
  const stream = Readable.from(checkedChunks(body, check, op), { objectMode: false });
  try {
    const request = putRequest(store, upload, md5, { stream, size });
    const { headers } = await store.client.call(request, op).catch((thrown) => {
      const sent = { md5: stream.readableEnded ? md5 : undefined, isStream: true };
      return ownAnswer(store, upload, sent, thrown, op);
    });
    return await provenEntry(store, upload, { md5, size, headers }, op);
  } catch (error) {
    if (!hasCode(error, 'corrupted') || source.hashes?.md5 !== undefined) throw error;
    throw new SyncerError('source-changed', 'changed while it was read', {
      path: source.path,
      cause: error,
      wrong: error.wrong,
    });
  }
}

/** A PUT of an object, with the conditions of the write, and the MD5 that verifies it if no trailer does. */
function putRequest(
  store: S3Store,
  { source, mimeType, bucket, key }: ObjectUpload,
  md5: string | undefined,
  body: Buffer | StreamBody,
) {
  // On most servers the ETag is the MD5.
  const keepsMd5 = store.etagIsNotMd5(bucket) && !store.settings.disableChecksum;
  const hasTrailer = !Buffer.isBuffer(body) && body.trailer !== undefined;
  const headers: Record<string, string> = {
    ...(md5 !== undefined && !hasTrailer && store.headers.contentMd5(md5)),
    ...store.headers.conditions(source),
    ...store.headers.object(source, mimeType, keepsMd5 ? md5 : undefined),
  };
  return { method: 'PUT', bucket, key, headers, body, doing: 'write' } as const;
}

/** The bytes of a body that pass a check. The last of them are sent only when the whole has passed. */
async function* checkedChunks(
  body: Body,
  check: ContentCheck,
  op: Op,
  onHashes?: (hashes: Hashes) => void,
): AsyncGenerator<Buffer> {
  let last: Buffer | undefined;
  for await (const chunk of bodyChunks(body, op.signal)) {
    check.update(chunk);
    if (last !== undefined) yield last;
    last = chunk;
  }
  // A body that differs from what was promised must not arrive whole.
  const { hashes } = check.finish();
  onHashes?.(hashes);
  if (last !== undefined) yield last;
}

/** Writes a file while it is read, with its CRC-32 as trailer; by `otherwise` if the server does not support trailers. */
export async function putWithTrailer(
  store: S3Store,
  upload: ObjectUpload,
  otherwise: () => Promise<FileEntry>,
  op: Op,
): Promise<FileEntry> {
  const { integrity } = store;
  const { source } = upload;
  const size = source.size ?? 0;
  await ensureBucket(store, upload.bucket, op);
  const sent = sending(source, op);
  const trailer = { name: CRC32_HEADER, valueLength: 8, value: () => sent.crc32() };
  const request = {
    ...putRequest(store, upload, upload.md5, { stream: sent.stream, size, trailer }),
    asksFirst: !integrity.trailersAreProven,
  };
  let headers: HttpHeaders;
  const { clock } = store.client.context;
  const startMs = clock.monotonic();
  try {
    const answer = await store.client.call(request, op).catch((thrown) => {
      const { md5 } = sent.hashes();
      return ownAnswer(store, upload, { md5, isStream: true }, thrown, op);
    });
    headers = answer.headers;
  } catch (error) {
    // A wrong secret key would be reported for the following request.
    if (!isRefusal(error) && !hasS3Code(error, 'SignatureDoesNotMatch')) throw error;
    if (!source.seekable && sent.stream.readableDidRead) {
      // The whole file may be tried again; it cannot be opened again here.
      throw new SyncerError('network', error.message, { cause: error });
    }
    integrity.limitTo('headers', error);
    return otherwise();
  }
  const isTrial = !integrity.trailersAreProven;
  const told = { md5: sent.hashes().md5, size, headers, crc32: sent.crc32(), isTrial };
  try {
    const entry = await provenEntry(store, upload, told, op);
    integrity.proveTrailers();
    return entry;
  } catch (error) {
    if (!hasCode(error, 'corrupted') || error.wrong === undefined) throw error;
    integrity.limitTo('headers', error);
    if (!source.seekable) throw error;
    const { replaces = op.change?.replaces } = source;
    if (isUntouched(error.wrong, replaces)) return otherwise();
    const since = writtenSince(toldAt(headers).toldAt, clock.monotonic() - startMs);
    try {
      await takeBack(store, error.wrong, since, op);
    } catch {
      // It is overwritten; only if that fails, too, is it still there.
      return await otherwise().catch(() => {
        throw error;
      });
    }
    return otherwise();
  }
}

/** The content of a source on its way. Opened only for the first byte. */
function sending(source: WriteSource, op: Op) {
  const check = contentCheck(source, ['md5', 'crc32']);
  let found: Hashes = {};
  const note = (hashes: Hashes) => {
    found = hashes;
  };
  const content = async function* () {
    yield* checkedChunks(await source.open(undefined, op), check, op, note);
  };
  return {
    stream: Readable.from(content(), { objectMode: false }),
    hashes: () => found,
    crc32: () => encodeCrc32(Number.parseInt(found.crc32 ?? '0', 16)),
  };
}

/**
 * What the server would have answered if a conditional write was carried out, and only its response was lost: the
 * object has its content and time. Otherwise rejects with the error. `sent`: `md5` in hexadecimal, `undefined` if not
 * all was sent; a stream is not repeated by the client, so its write fails without a response, and would be refused if
 * its writer repeated it.
 */
async function ownAnswer(
  store: S3Store,
  { source }: ObjectUpload,
  sent: { readonly md5: string | undefined; readonly isStream?: boolean },
  thrown: unknown,
  op: Op,
): Promise<{ readonly headers: HttpHeaders }> {
  const { modTime, replaces } = source;
  const mayBeOwn = sent.isStream
    ? replaces !== undefined && hasCode(thrown, 'network', 'timed-out')
    : isRefusedAgain(thrown);
  if (!mayBeOwn || sent.md5 === undefined || op.signal.aborted) throw thrown;
  const there = await headObject(store, source.path, op).catch(() => undefined);
  const isTime = modTime === undefined || there?.modTime === modTime;
  if (there?.etag === undefined || there.hashes?.md5 !== sent.md5 || !isTime) throw thrown;
  const { etag, version } = there;
  // Then nothing shows whether it was written.
  if (sent.isStream && replaces !== 'nothing' && replaces?.etag === etag) throw thrown;
  return { headers: { etag: `"${etag}"`, ...(version && { 'x-amz-version-id': version }) } };
}
