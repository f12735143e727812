import { crc32 } from 'node:zlib';
import { bodyChunks, collectBody } from '../../../core/body.ts';
import { releaseBuffer } from '../../../core/buffers.ts';
import type { UnchangedBytes } from '../../../core/content-pieces.ts';
import { SyncerError } from '../../../core/errors.ts';
import type { FileEntry, Op, WriteSource } from '../../../core/remote.ts';
import { combineCrc32, crc32Text } from '../../../hashes/crc32.ts';
import { headWithChecksum } from '../objects/head-object.ts';
import { openObject } from '../objects/read-object.ts';
import type { S3Store } from '../store.ts';
import { DeltaRefused, refusal } from './copy-parts.ts';
import {
  type CopyLayout,
  copiesIntoSize,
  isFreeToRead,
  partCopiesIn,
  planParts,
  type UnreadParts,
} from './find-delta.ts';
import type { Stretch } from './plan-delta.ts';

type Unchanged = UnchangedBytes<FileEntry, Op>;

/** The most of the old object that is downloaded only to prove what was copied beside it, in bytes. */
const MOST_REPLACED = 16 * 1024 ** 2;

/** See `Capabilities.keepsUnchanged`. */
export function keepsUnchanged(store: S3Store, source: WriteSource): boolean {
  const { unchanged, size = 0 } = source;
  if (unchanged === undefined || !copiesIntoSize(store, size)) return false;
  const { of } = unchanged;
  if (of.etag === undefined || store.isOldVersion(of)) return false;
  // What a probe has shown is not known without waiting.
  const { delta, copiesParts } = store.settings;
  if (delta === 'auto' && copiesParts === undefined) return false;
  if (!unchanged.areUnread) return true;
  // The new object must be recognized by its ETag if no response says that it is there.
  const { bucket } = store.locate(source.path);
  return store.settings.verifyMultipartEtag && !store.etagIsNotMd5(bucket);
}

/**
 * Plans an upload whose unchanged bytes were not all read: the store copies them, and `UnreadProof` proves that. Rejects
 * with `DeltaRefused` if it cannot be proved, or is not worth it.
 */
export async function planUnread(
  store: S3Store,
  source: WriteSource,
  unchanged: Unchanged,
  partSize: number,
  op: Op,
): Promise<CopyLayout> {
  const { size = 0 } = source;
  const { of, ranges } = unchanged;
  const now = await headWithChecksum(store, of, op).catch((thrown: unknown) => {
    throw op.signal.aborted ? thrown : refusal(thrown, store.delta);
  });
  const { etag = '' } = of;
  if (now.etag !== etag || now.size !== of.size)
    throw new DeltaRefused('the object was replaced since its bytes were read');
  if (!isFreeToRead(now)) throw new DeltaRefused(`it costs to read from class ${now.tier}`);
  const from = store.locateFile(of);
  if (store.etagIsNotMd5(from.bucket)) throw new DeltaRefused('ETags are no MD5s');
  const common = ranges.map(({ offset, length }) => ({ offset, length, from: offset }));
  const copies = await partCopiesIn(store, from.bucket);
  if (copies === 'none' || copies === 'unknown') throw new DeltaRefused('not known to copy parts');
  const layout = planParts(store, size, common, partSize, copies);
  if (layout === undefined) throw new DeltaRefused('most of it would be sent');
  const { heedsCopyConditions, dataIntegrity } = store.settings;
  const replaced = layout.stretches.flatMap((stretch) => replacedIn(stretch, unchanged));
  const cut = Math.max(0, of.size - size);
  const bytes = replaced.reduce((sum, { length }) => sum + length, cut);
  const crc = bytes <= MOST_REPLACED ? now.hashes?.crc32 : undefined;
  // A store that may not return the checksum of a part is asked for it only if nothing else proves the copies.
  const isAsked = dataIntegrity === true || !heedsCopyConditions;
  const expected = isAsked ? crc : undefined;
  if (expected === undefined && !heedsCopyConditions)
    throw new DeltaRefused('nothing would prove what the store copies');
  return { ...layout, from, etag, unread: new UnreadProof(store, source, unchanged, expected) };
}

/** A range of a content, in bytes. */
interface Range {
  readonly offset: number;
  readonly length: number;
}

/** The ranges of the old object that a part which is sent replaces. */
function replacedIn({ offset, length, from }: Stretch, { of, ranges }: Unchanged): Range[] {
  if (from !== undefined) return [];
  const end = Math.min(offset + length, of.size);
  const replaced: Range[] = [];
  let at = offset;
  const upTo = (next: number) => {
    if (next > at) replaced.push({ offset: at, length: next - at });
  };
  for (const range of ranges) {
    if (range.offset + range.length <= at) continue;
    if (range.offset >= end) break;
    upTo(range.offset);
    at = Math.min(end, range.offset + range.length);
  }
  upTo(end);
  return replaced;
}

/**
 * The proof of copied bytes that are not read: the CRC-32s of the copied ranges in the responses, and those
 * of what the sent parts replace, are together the CRC-32 of the old object. Without `expected`: only the condition of
 * each copy, in a store that is known to heed it.
 */
class UnreadProof implements UnreadParts {
  readonly #store: S3Store;
  readonly #source: WriteSource;
  readonly #unchanged: Unchanged;
  /** Of the old object, in hexadecimal. */
  readonly #expected: string | undefined;
  /** Ranges of the old object, with their CRC-32s. */
  readonly #known: (Range & { readonly crc: number })[] = [];

  constructor(
    store: S3Store,
    source: WriteSource,
    unchanged: Unchanged,
    expected: string | undefined,
  ) {
    this.#store = store;
    this.#source = source;
    this.#unchanged = unchanged;
    this.#expected = expected;
  }

  get needsChecksums(): boolean {
    return this.#expected !== undefined;
  }

  copied({ offset, length }: Range, crc: number | undefined): void {
    if (crc !== undefined) this.#known.push({ offset, length, crc });
    else if (this.needsChecksums)
      throw new DeltaRefused('the store does not return a checksum of the bytes that it copied');
  }

  async finish(etag: string, op: Op): Promise<void> {
    const { of } = this.#unchanged;
    const { size = 0 } = this.#source;
    if (this.#expected !== undefined) {
      if (size < of.size) await this.#noteOld({ offset: size, length: of.size - size }, op);
      let [crc, end] = [0, 0];
      for (const known of this.#known.toSorted((a, b) => a.offset - b.offset)) {
        if (known.offset !== end) break;
        crc = combineCrc32(crc, known.crc, known.length);
        end += known.length;
      }
      if (end !== of.size || crc32Text(crc) !== this.#expected)
        throw new DeltaRefused('the store copied other bytes');
    }
    await this.#unchanged.replacing(etag);
  }

  async read(stretch: Stretch, op: Op): Promise<Buffer> {
    const { offset, length } = stretch;
    const { path } = this.#source;
    const body = await collectBody(await this.#source.open({ offset, length }, op), op.signal);
    if (body.length !== length)
      throw new SyncerError('source-changed', 'shorter than at the start of the copy', { path });
    if (this.#expected !== undefined) await this.#note(stretch, body, op);
    return body;
  }

  /** Notes what the old object has in the place of a part. */
  async #note({ offset, length }: Stretch, body: Buffer, op: Op): Promise<void> {
    const { of } = this.#unchanged;
    let at = offset;
    const unchangedUpTo = (end: number) => {
      if (end <= at) return;
      const crc = crc32(body.subarray(at - offset, end - offset));
      this.#known.push({ offset: at, length: end - at, crc });
    };
    for (const range of replacedIn({ offset, length }, this.#unchanged)) {
      unchangedUpTo(range.offset);
      await this.#noteOld(range, op);
      at = range.offset + range.length;
    }
    unchangedUpTo(Math.min(offset + length, of.size));
  }

  async #noteOld(range: Range, op: Op): Promise<void> {
    let crc = 0;
    const { body } = await openObject(this.#store, this.#unchanged.of, range, op);
    for await (const chunk of bodyChunks(body, op.signal)) {
      crc = crc32(chunk, crc);
      releaseBuffer(chunk);
    }
    this.#known.push({ ...range, crc });
  }
}
