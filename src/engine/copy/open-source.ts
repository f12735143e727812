import { openWithDetails } from '../../core/body.ts';
import { copiedMetadata, modTimeIn } from '../../core/entry-details.ts';
import type { Body, FileEntry, Remote, WriteSource } from '../../core/remote.ts';
import type { CopyJob } from '../action.ts';
import { withHashesOf, withMetadata, withModTime } from '../mod-time-of.ts';
import type { Run } from '../run.ts';
import type { CopyOptions } from '../sync-option-parts.ts';
import { readSource, type SourceRead } from './read-source.ts';

/** Larger files are not opened together with their details: they may be read in ranges. In bytes. */
const LARGE = 64 << 20;

/** Hashing a larger file takes longer than requesting its checksum. In bytes. */
const WORTH_ASKING = 4 << 20;

/** Smaller files are always sent whole. In bytes. */
const WORTH_PIECES = 16 << 20;

/** A file about to be copied, with what the copy needs to know of it, and its body if the same request opened it. */
export interface OpenedSource {
  readonly file: FileEntry;
  /** The body that is open already, until it is read. */
  body?: Body | undefined;
}

/**
 * Whether a CRC-32 proves the copy: the data given to a disk is compared with what arrived, unless the user asked for
 * hashes. Every other hash takes many times as long, and one pass in order.
 */
function isProvenByCrc(dest: Remote, { ignoreChecksum, checksum }: CopyOptions): boolean {
  return dest.traits.onDisk && !ignoreChecksum && checksum !== true;
}

/** Requests what the copy needs to know of a file, by the same request that reads it if possible. */
export async function openSource(
  run: Run,
  { source, file, dest }: CopyJob,
  options: CopyOptions,
): Promise<OpenedSource> {
  const { details, hashesInDoubt } = source.can;
  const { onDisk, modTimePrecision } = dest.traits;
  const { metadata, ranges, ignoreChecksum } = options;
  // A time may be known from an earlier run, but the MIME type comes only with the details request.
  const lacksType = source.traits.slowModTime && !onDisk && file.mimeType === undefined;
  const lacksTime = modTimePrecision !== undefined && (file.modTime === undefined || lacksType);
  const lacksMetadata = metadata !== undefined && file.metadata === undefined;
  // A remote may have a checksum that its listings lack.
  const lacksChecksum = file.size > WORTH_ASKING && file.hashes?.crc32 === undefined;
  const checksums = isProvenByCrc(dest, options) && lacksChecksum && details?.checksums === true;
  const knowsEnough = !lacksMetadata && !lacksTime;
  const isInDoubt = !ignoreChecksum && hashesInDoubt?.(file) === true;
  if (knowsEnough && !checksums && !isInDoubt) return { file };
  let sure = file;
  if (isInDoubt) {
    // The response has the hashes that count.
    const { hashes: _, ...others } = file;
    sure = others;
  }
  // The whole body of a file that is read in ranges would not be used.
  const rangesFrom = onDisk && ranges !== undefined && ranges.count > 1 ? ranges.from : Infinity;
  const isWhole = file.size >= 0 && file.size <= LARGE && file.size < rangesFrom;
  if (details?.body === true && isWhole) {
    const opened = await openWithDetails(details, file, run.op);
    return knowsEnough ? { ...opened, file: withHashesOf(sure, opened.file) } : { ...opened };
  }
  if (lacksMetadata) return { file: await withMetadata(source, sure, run.op, { checksums }) };
  if (knowsEnough) {
    const detailed = await details?.read(file, run.op, { checksums });
    return { file: detailed === undefined ? sure : withHashesOf(sure, detailed) };
  }
  const { modTime: _known, ...listed } = sure;
  return { file: await withModTime(source, listed, run.op, { checksums }) };
}

/**
 * The file for the destination: its properties, and its body as often as requested.
 *
 * @param id the number of the transfer
 */
export async function toWrite(
  run: Run,
  opened: OpenedSource,
  { source, dest, path }: CopyJob,
  options: CopyOptions,
  id: number,
): Promise<WriteSource> {
  const { file } = opened;
  const { metadata: keep, ranges } = options;
  const { emit } = run.context;
  const reading: SourceRead = {
    run,
    remote: source,
    file,
    route: { up: !dest.traits.onDisk, down: !source.traits.onDisk },
    tries: options.lowLevelRetries,
    isSized: true,
    id,
    ...(run.bandwidth?.ofFile === undefined ? {} : { bandwidth: run.bandwidth.ofFile() }),
  };
  const metadata = keep && (await copiedMetadata(file, keep));
  const modTime = (metadata && modTimeIn(metadata)) ?? file.modTime;
  let wholes = 0;
  const content: { -readonly [Member in keyof WriteSource]: WriteSource[Member] } = {
    path,
    size: file.size < 0 ? undefined : file.size,
    hash: async (name, op) => source.can.hash?.(file, name, op),
    fingerprint: () => fingerprintOf(source, file),
    seekable: true,
    onRestart: () => emit({ type: 'transfer-restart', id }),
    open: (range, op) => {
      // The destination lost what it had: earlier bytes do not count.
      if (range === undefined && wholes++ > 0) emit({ type: 'transfer-restart', id });
      const { body } = opened;
      if (range !== undefined || body === undefined) return readSource(reading, range, op);
      opened.body = undefined;
      return readSource(reading, range, op, body);
    },
  };
  if (modTime !== undefined) content.modTime = modTime;
  if (metadata !== undefined) content.metadata = metadata;
  if (keep?.mayFail === true) content.metadataMayFail = true;
  if (file.mimeType !== undefined) content.mimeType = file.mimeType;
  if (!options.ignoreChecksum) addHashes(content, file, isProvenByCrc(dest, options));
  if (ranges !== undefined) content.ranges = ranges;
  if (source.traits.onDisk) content.peek = (range, op) => source.read(file, range, op);
  if (file.size >= WORTH_PIECES) addPieces(content, source, file);
  const { fetch } = source.can;
  // What another program writes cannot be slowed down here; of a small file it does that itself.
  const isSmall = file.size <= (source.traits.carries?.smallUpTo ?? 0);
  if (fetch !== undefined && (isSmall || run.bandwidth?.isLimited() !== true)) {
    const onCopied = (bytes: number) => emit({ type: 'transfer-bytes', id, bytes });
    content.fetch = (native, op) => fetch(file, native, { ...op, onCopied });
  }
  return content;
}

/** Adds what helps to send only a part of the content. */
function addPieces(
  content: { -readonly [Member in 'pieces']?: WriteSource[Member] },
  { can: { pieces } }: Remote,
  file: FileEntry,
): void {
  if (pieces === undefined) return;
  content.pieces = {
    md5s: (ranges, op) => pieces.md5s(file, ranges, op),
    cuts: (op) => pieces.cuts(file, op),
  };
}

/** Adds the hashes that the content must have: with `isQuick` only the one that takes the least time, if it is known. */
function addHashes(
  content: { -readonly [Member in 'hashes' | 'partsMd5']?: WriteSource[Member] },
  { hashes, partsMd5 }: FileEntry,
  isQuick: boolean,
): void {
  if (hashes === undefined) return;
  const { crc32, md5 } = hashes;
  content.hashes = isQuick && crc32 !== undefined ? { crc32 } : hashes;
  // Next best is an MD5 of parts, which need no order.
  const isNext = isQuick && crc32 === undefined && md5 !== undefined;
  if (isNext && partsMd5 !== undefined) content.partsMd5 = partsMd5;
}

/** Of a remote's file its place and ETag, of a disk's what changes with its content. */
function fingerprintOf({ can, storeId, root }: Remote, file: FileEntry): string | undefined {
  // On a disk, content of unknown size may change without a sign of it.
  if (can.place?.fingerprint !== undefined)
    return file.size < 0 ? undefined : can.place.fingerprint(file.path);
  const tag = file.contentTag ?? file.etag;
  if (tag === undefined || storeId === undefined) return undefined;
  return JSON.stringify([storeId, root, file.path, file.size, tag]);
}
