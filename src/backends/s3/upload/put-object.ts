import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { bodyChunks, collectBody } from '../../../core/body.ts';
import { hasCode, SyncerError } from '../../../core/errors.ts';
import type { Body, FileEntry, Op, ReadRange } from '../../../core/remote.ts';
import { type ContentCheck, checkWhole, contentCheck } from '../../../hashes/content-hasher.ts';
import { ensureBucket, withBucket } from '../buckets/make-bucket.ts';
import { CRC32_HEADER, encodeCrc32 } from '../checksums/crc32.ts';
import type { S3Store } from '../store.ts';
import { contentMd5, putHeaders } from './object-headers.ts';
import { ownAnswer } from './own-answer.ts';
import { type ObjectUpload, provenEntry } from './proven-entry.ts';

/** Reads the file and checks it; the result opens any number of times, and has its MD5. */
export async function readIntoMemory(
  upload: ObjectUpload,
  op: Op,
): Promise<ObjectUpload & { readonly content: Buffer }> {
  const { source } = upload;
  const body = await source.open(undefined, op);
  const content = Buffer.isBuffer(body) ? body : await collectBody(body, op.signal);
  const { hashes } = checkWhole(source, content, ['md5']);
  const { hashes: _checked, ...kept } = source;
  const open = async (range: ReadRange | undefined) =>
    content.subarray(
      range?.offset ?? 0,
      range?.length === undefined ? undefined : (range.offset ?? 0) + range.length,
    );
  return { ...upload, content, md5: hashes.md5, source: { ...kept, seekable: true, open } };
}

/** Writes checked content in memory, with one PUT, which can be repeated. */
export async function putBuffer(
  store: S3Store,
  upload: ObjectUpload,
  body: Buffer,
  op: Op,
): Promise<FileEntry> {
  const md5 = upload.md5 ?? hash('md5', body, 'hex');
  const request = putRequest(store, upload, md5, body);
  const sent = await store.integrity.attempt(async (withChecksum) => {
    // Amazon keeps it with the object, so that readers can verify the content.
    const checksum = withChecksum ? { [CRC32_HEADER]: encodeCrc32(crc32(body)) } : {};
    const asked = { ...request, headers: { ...request.headers, ...checksum } };
    const call = () => store.client.call(asked, op);
    const { headers } = await withBucket(store, upload.bucket, op, call).catch((thrown) =>
      ownAnswer(store, upload, { md5 }, thrown, op),
    );
    return { md5, size: body.length, headers, crc32: checksum[CRC32_HEADER] };
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
      ...(error.wrong === undefined ? {} : { wrong: error.wrong }),
    });
  }
}

function putRequest(
  store: S3Store,
  upload: ObjectUpload,
  md5: string,
  body: Buffer | { readonly stream: Readable; readonly size: number },
) {
  const { bucket, key } = upload;
  const stored = store.storedMd5(bucket, md5);
  const verified = contentMd5(store, md5);
  return {
    method: 'PUT',
    bucket,
    key,
    headers: { ...putHeaders(store, upload, stored), ...verified },
    body,
    doing: 'write',
  } as const;
}

/** The bytes of a body that pass a check. The last of them are sent only when the whole has passed. */
export async function* checkedChunks(
  body: Body,
  check: ContentCheck,
  op: Op,
): AsyncGenerator<Buffer> {
  let last: Buffer | undefined;
  for await (const chunk of bodyChunks(body, op.signal)) {
    check.update(chunk);
    if (last !== undefined) yield last;
    last = chunk;
  }
  // A body that differs from what was promised must not arrive whole.
  check.finish();
  if (last !== undefined) yield last;
}
