import { Readable } from 'node:stream';
import { type ContentCheck, contentCheck } from '../../../core/content-check.ts';
import { hasCode, SyncerError } from '../../../core/errors.ts';
import type { Hashes } from '../../../core/hash-names.ts';
import type { FileEntry, Op, WriteSource } from '../../../core/remote.ts';
import { ensureBucket } from '../buckets/make-bucket.ts';
import { CRC32_HEADER, encodeCrc32 } from '../checksums/crc32.ts';
import { isRefusal } from '../checksums/data-integrity.ts';
import type { S3Answer } from '../client/request.ts';
import { etagOf } from '../objects/object-entry.ts';
import { removeObject } from '../objects/remove-objects.ts';
import { headObject } from '../objects/stat-path.ts';
import type { S3Store } from '../store.ts';
import { hasS3Code } from '../store-error.ts';
import { objectHeaders } from './object-headers.ts';
import { checkedChunks, md5Told, writtenEntry } from './put-object.ts';
import type { Upload } from './upload.ts';

/**
 * Writes a file with one PUT while it is read, its CRC-32 behind it. `undefined` where the store turned out not to
 * know such bodies: nothing of it is left there, and none will be sent again in this run.
 */
export async function putWithTrailer(
  store: S3Store,
  upload: Upload,
  op: Op,
): Promise<FileEntry | undefined> {
  const { integrity } = store;
  const { source, bucket, key } = upload;
  const size = source.size ?? 0;
  await ensureBucket(store, bucket, op);
  const sent = sending(source, op);
  const request = {
    method: 'PUT',
    bucket,
    key,
    headers: objectHeaders(store, source),
    body: {
      stream: sent.stream,
      size,
      trailer: { name: CRC32_HEADER, valueLength: 8, value: () => sent.crc32() },
    },
    asksFirst: !integrity.trailersAreProven,
    doing: 'write',
  } as const;
  let answer: S3Answer;
  try {
    answer = await store.client.call(request, op);
  } catch (error) {
    // A wrong secret would be told of the request that comes instead.
    if (!isRefusal(error) && !hasS3Code(error, 'SignatureDoesNotMatch')) throw error;
    if (!source.seekable && sent.stream.readableDidRead) throw again(error);
    integrity.limitTo('headers', error.message);
    return undefined;
  }
  const md5 = sent.hashes().md5 ?? '';
  const wrong = await whatIsWrong(store, upload, { size, md5, crc32: sent.crc32(), answer }, op);
  if (wrong === undefined) {
    integrity.proveTrailers();
    return writtenEntry(store, upload, { md5, size, answer });
  }
  await removeObject(store, bucket, key, op);
  integrity.limitTo('headers', wrong);
  if (source.seekable) return undefined;
  throw new SyncerError('corrupted', `${bucket}/${key}: ${wrong}`, { path: source.path });
}

/** The content of a source on its way. It is opened only when the first byte is wanted. */
function sending(source: WriteSource, op: Op) {
  const check = contentCheck(source, ['md5', 'crc32']);
  let found: Hashes = {};
  const noted: ContentCheck = {
    update: (chunk) => check.update(chunk),
    finish() {
      const done = check.finish();
      found = done.hashes;
      return done;
    },
  };
  const content = async function* () {
    yield* checkedChunks(await source.open(undefined, op), noted, op);
  };
  return {
    stream: Readable.from(content(), { objectMode: false }),
    hashes: () => found,
    crc32: () => encodeCrc32(Number.parseInt(found.crc32 ?? '0', 16)),
  };
}

/**
 * Whether what the store holds now is what was sent, by MD5 or CRC-32 of the answer, else by the size of the object: a
 * store that does not know chunks could have kept their frames.
 */
async function whatIsWrong(
  store: S3Store,
  { source }: Upload,
  sent: {
    readonly size: number;
    readonly md5: string;
    readonly crc32: string;
    readonly answer: S3Answer;
  },
  op: Op,
): Promise<string | undefined> {
  const { headers } = sent.answer;
  const storedMd5 = md5Told(store, headers);
  const storedCrc32 = headers[CRC32_HEADER];
  if (storedMd5 !== undefined && storedMd5 !== sent.md5) {
    return `the store holds other content (MD5 ${storedMd5}) than was sent (${sent.md5})`;
  }
  if (storedCrc32 !== undefined && storedCrc32 !== sent.crc32) {
    return `the store holds other content (CRC-32 ${storedCrc32}) than was sent (${sent.crc32})`;
  }
  if (storedMd5 !== undefined || storedCrc32 !== undefined) return undefined;
  if (store.settings.noHead && store.integrity.trailersAreProven) return undefined;
  const there = await headObject(store, source.path, op).catch((error) => {
    if (hasCode(error, 'file-not-found', 'access-denied')) return undefined;
    throw error;
  });
  // One of another ETag is no longer ours: somebody else has written it since.
  const isOurs = there !== undefined && there.etag === etagOf(headers);
  if (!isOurs || there.size === sent.size) return undefined;
  return `the store holds ${there.size} bytes, ${sent.size} were sent`;
}

/** The refusal as an error after which the whole file may be tried again: it cannot be opened again here. */
function again(refusal: SyncerError): SyncerError {
  return new SyncerError('network', refusal.message, { cause: refusal });
}
