import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { hasCode, SyncerError, toSyncerError } from '../../../core/errors.ts';
import type { Op, WriteSource } from '../../../core/remote.ts';
import type { RecordedPart } from '../../../core/upload-records.ts';
import type { ContentCheck } from '../../../hashes/content-hasher.ts';
import { decodeCrc32, encodeCrc32 } from '../checksums.ts';
import { copySourceHeaders } from '../copy-object.ts';
import type { S3Store } from '../store.ts';
import { hasS3Code, StoreError } from '../store-error.ts';
import type { MultipartUpload } from '../upload/multipart.ts';
import {
  bothOrNone,
  type PartTask,
  RangesInOrder,
  type SourceRange,
} from '../upload/source-parts.ts';
import type { DeltaUse } from './delta-use.ts';
import type { CopyLayout, UnreadParts } from './find-delta.ts';
import type { Stretch } from './plan-delta.ts';

/** A part that the store copies from the old object. */
export interface CopyTask {
  readonly number: number;
  readonly stretch: Required<Stretch>;
  /** The same bytes of the new content; absent if they are not read. */
  readonly range?: SourceRange;
}

/** The parts of a file: those that are sent, and those that the store copies. */
interface PlannedParts {
  readonly sent: readonly PartTask[];
  readonly copied: readonly CopyTask[];
}

/** The parts of a file by a plan. */
export function plannedParts(
  source: WriteSource,
  stretches: readonly Stretch[],
  check: ContentCheck,
  isStored: (number: number) => boolean,
): PlannedParts {
  const inOrder = new RangesInOrder(source, check);
  return eachPart(stretches, (stretch, number) => {
    const range = inOrder.next(stretch);
    return { range, read: (op) => range.collect(isStored(number), op) };
  });
}

/** The same of a source of which some bytes are not read. */
export function unreadParts(unread: UnreadParts, stretches: readonly Stretch[]): PlannedParts {
  return eachPart(stretches, (stretch) => ({ read: (op) => unread.read(stretch, op) }));
}

/** @param bytesOf how the bytes of a part are read to be sent, and those of a copied part, if they are read */
function eachPart(
  stretches: readonly Stretch[],
  bytesOf: (
    stretch: Stretch,
    number: number,
  ) => { readonly read: (op: Op) => Promise<Buffer>; readonly range?: SourceRange },
): PlannedParts {
  const sent: PartTask[] = [];
  const copied: CopyTask[] = [];
  for (const [index, stretch] of stretches.entries()) {
    const number = index + 1;
    const { read, ...bytes } = bytesOf(stretch, number);
    const { offset, length, from } = stretch;
    if (from !== undefined) copied.push({ number, stretch: { offset, length, from }, ...bytes });
    else sent.push(async (op) => ({ number, body: await read(op) }));
  }
  return { sent, copied };
}

/** Why an upload that copies parts does not go on: the whole is sent. */
export class DeltaRefused extends SyncerError {
  constructor(why: string, cause?: unknown) {
    super('unsupported', why, { cause });
  }
}

/** The store returns no checksum of a copied part: the upload is begun again without checksums of parts. */
export class NoChecksum extends DeltaRefused {}

/**
 * Copies a part from the old object. It counts only if the response has the CRC-32 or the MD5 of exactly the bytes that
 * the new content has there, whatever the object was believed to be; for bytes that are not read see `UnreadParts`.
 * Rejects with `DeltaRefused` otherwise, with `NoChecksum` if that may be for want of a CRC-32.
 */
export async function copyPart(
  store: S3Store,
  multipart: MultipartUpload,
  { from, etag, unread }: CopyLayout,
  { number, stretch, range }: CopyTask,
  op: Op,
): Promise<RecordedPart> {
  const { encryption } = store.settings;
  const headers = {
    ...copySourceHeaders(store, from),
    ...encryption.keyHeaders,
    'x-amz-copy-source-if-match': `"${etag}"`,
  };
  const copying = (inner: Op) =>
    multipart
      .copy(number, stretch.from, stretch.length, headers, inner)
      .catch((thrown: unknown) => {
        throw inner.signal.aborted ? thrown : refusal(thrown, store.delta);
      });
  if (range === undefined) {
    const { copiedCrc32, ...part } = await copying(op);
    const crc = copiedCrc32 === undefined ? undefined : decodeCrc32(copiedCrc32);
    unread?.copied(stretch, crc);
    if (multipart.checksums === 'none') return part;
    if (crc === undefined) throw new DeltaRefused('a copied part has no checksum');
    return { ...part, crc32: crc };
  }
  const md5 = store.delta.proof === 'crc32' ? undefined : createHash('md5');
  let crc = 0;
  const reading = (inner: Op) =>
    range.pass((chunk) => {
      crc = crc32(chunk, crc);
      md5?.update(chunk);
    }, inner);
  const [{ copiedCrc32, ...part }] = await bothOrNone(op, copying, reading);
  if (copiedCrc32 === undefined && multipart.checksums !== 'none') {
    // Such a part could not be joined with others: their ETags have to do.
    store.delta.proof = 'md5';
    throw new NoChecksum(`part ${number}: the store returns no CRC-32 of copied bytes`);
  }
  const sum = encodeCrc32(crc);
  const digest = md5?.digest('hex');
  if (copiedCrc32 === undefined ? part.etag.toLowerCase() !== digest : copiedCrc32 !== sum) {
    const why =
      copiedCrc32 === undefined
        ? 'the store does not return a checksum of the bytes that it copied'
        : 'the store copied other bytes';
    throw new DeltaRefused(`part ${number}: ${why}`);
  }
  store.delta.proof = copiedCrc32 === undefined ? 'md5' : 'crc32';
  // Without a checksum of the upload none belongs to a part; the ETag of the whole is compared instead.
  return multipart.checksums === 'none' ? { ...part, md5: digest ?? '' } : { ...part, crc32: crc };
}

/** The error of a copy that the store refuses: the bytes can be sent instead. Others end the upload. */
export function refusal(thrown: unknown, use: DeltaUse): unknown {
  if (!(thrown instanceof StoreError) || thrown.status === 401) return thrown;
  if (thrown.status === 403 || thrown.status >= 500) use.stop(thrown.message);
  return new DeltaRefused(thrown.message, thrown);
}

/**
 * Why the whole has to be sent after an upload with copied parts failed: the store refused a copy, one was not proved,
 * or it refused to join the parts. `undefined` if that would not help.
 */
export function whyWhole(thrown: unknown, use: DeltaUse): string | undefined {
  if (thrown instanceof DeltaRefused) return thrown.message;
  const isOfParts =
    hasS3Code(thrown, 'EntityTooSmall', 'InvalidPart', 'InvalidPartOrder', 'InvalidRequest') ||
    (thrown instanceof StoreError && thrown.status === 501) ||
    hasCode(thrown, 'corrupted', 'bad-answer');
  if (!isOfParts) return undefined;
  const { message, wrong } = toSyncerError(thrown);
  use.stop(message);
  // What is under the name is undone first, which needs this error: the next attempt sends the whole.
  return wrong === undefined ? message : undefined;
}
