import { Readable } from 'node:stream';
import { hasCode, SyncerError } from '../../../core/errors.ts';
import type { Hashes } from '../../../core/hash-names.ts';
import { writtenSince } from '../../../core/mod-time.ts';
import type { FileEntry, Op, WriteSource } from '../../../core/remote.ts';
import { isUntouched } from '../../../core/same-content.ts';
import { type ContentCheck, contentCheck } from '../../../hashes/content-hasher.ts';
import { ensureBucket } from '../buckets/make-bucket.ts';
import { CRC32_HEADER, encodeCrc32 } from '../checksums/crc32.ts';
import { isRefusal } from '../checksums/data-integrity.ts';
import type { S3Answer } from '../client/request.ts';
import { takeBack } from '../objects/delete-object.ts';
import { toldAt } from '../objects/object-entry.ts';
import type { S3Store } from '../store.ts';
import { hasS3Code } from '../store-error.ts';
import { putHeaders } from './object-headers.ts';
import { ownAnswer } from './own-answer.ts';
import { type ObjectUpload, provenEntry } from './proven-entry.ts';
import { checkedChunks } from './put-object.ts';

/**
 * Writes a file with one PUT while it is read, with its CRC-32 as trailer.
 *
 * @param otherwise writes it another way, if the server turns out not to support trailers
 */
export async function putWithTrailer(
  store: S3Store,
  upload: ObjectUpload,
  otherwise: () => Promise<FileEntry>,
  op: Op,
): Promise<FileEntry> {
  const { integrity } = store;
  const { source, bucket, key } = upload;
  const size = source.size ?? 0;
  await ensureBucket(store, bucket, op);
  const sent = sending(source, op);
  const request = {
    method: 'PUT',
    bucket,
    key,
    headers: putHeaders(store, upload, store.storedMd5(upload.bucket, upload.md5)),
    body: {
      stream: sent.stream,
      size,
      trailer: { name: CRC32_HEADER, valueLength: 8, value: () => sent.crc32() },
    },
    asksFirst: !integrity.trailersAreProven,
    doing: 'write',
  } as const;
  let answer: Pick<S3Answer, 'headers'>;
  const { clock } = store.client.context;
  const startMs = clock.monotonic();
  try {
    answer = await store.client.call(request, op).catch((thrown) => {
      const { md5 } = sent.hashes();
      return ownAnswer(store, upload, { md5, isStream: true }, thrown, op);
    });
  } catch (error) {
    // A wrong secret key would be reported for the following request.
    if (!isRefusal(error) && !hasS3Code(error, 'SignatureDoesNotMatch')) throw error;
    if (!source.seekable && sent.stream.readableDidRead) throw again(error);
    integrity.limitTo('headers', error);
    return otherwise();
  }
  const { headers } = answer;
  const { md5 } = sent.hashes();
  const isTrial = !integrity.trailersAreProven;
  const told = { md5, size, headers, crc32: sent.crc32(), isTrial };
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
    const isGone = await takeBack(store, error.wrong, since, op).then(
      () => true,
      () => false,
    );
    // If it cannot be deleted, it is overwritten; only if that fails, too, is it still there.
    return isGone
      ? otherwise()
      : otherwise().catch(() => {
          throw error;
        });
  }
}

/** The content of a source on its way. Opened only for the first byte. */
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

/** The refusal as an error after which the whole file may be tried again: it cannot be opened again here. */
function again(refusal: SyncerError): SyncerError {
  return new SyncerError('network', refusal.message, { cause: refusal });
}
