import type {
  CommonRange,
  ObjectPieces,
  PartCopies,
  PieceNotes,
  Pieces,
} from '../../../core/content-pieces.ts';
import { toSyncerError } from '../../../core/errors.ts';
import type { FileEntry, Op, WriteSource } from '../../../core/remote.ts';
import { typedPath } from '../../../core/remote-path.ts';
import type { RecordedPart } from '../../../core/upload-records.ts';
import { partsMd5 } from '../objects/object-entry.ts';
import type { Location, S3Store } from '../store.ts';
import { isPrefix, matchCuts, matchParts, rangesOfParts, rangesOfPrefix } from './find-matches.ts';
import { type DeltaLayout, planDelta, type Stretch } from './plan-delta.ts';

const MIB = 1024 ** 2;

/** Smaller files are sent whole (`auto`), in bytes. */
const AUTO_FROM = 64 * MIB;

/** Smaller ones are read into memory (`on`), in bytes. */
const ON_FROM = 16 * MIB;

/** The least of a part but the last, in bytes. */
const LEAST_PART = 5 * MIB;

/** The most of a copied part, in bytes: it is read once more while it is copied. */
const MOST_COPIED = 128 * MIB;

/** Storage classes that cost nothing to read from. */
const FREE_TO_READ: readonly string[] = ['STANDARD', 'REDUCED_REDUNDANCY', 'INTELLIGENT_TIERING'];

/** A file that had nothing in common with what it replaced this often in a row is left alone. */
const MISSES_BELIEVED = 2;

/** The parts of an upload, of which the store copies some from the object that is replaced. */
export interface CopyLayout extends DeltaLayout {
  readonly from: Location;
  /** Of that object. */
  readonly etag: string;
  /** Proves what was copied without being read. Absent: what is copied is read, too. */
  readonly unread?: UnreadParts;
}

/** The parts of a content of which some bytes were never read, and the proof of those that the store copies. */
export interface UnreadParts {
  /** The responses must have the checksum of each part. */
  readonly needsChecksums: boolean;
  /** The bytes of a part that is sent. */
  read(part: Stretch, op: Op): Promise<Buffer>;
  /** The store has copied a part, and returned this CRC-32. Throws `DeltaRefused` if it had to return one. */
  copied(part: Stretch, crc: number | undefined): void;
  /**
   * All parts are stored. Rejects with `DeltaRefused` if the copied ones are other bytes than those of the old object;
   * resolves when an object with this ETag may replace that.
   */
  finish(etag: string, op: Op): Promise<void>;
}

/** What an upload has to note of a content. */
export interface Learned {
  readonly cuts?: Pieces;
  /** As `ObjectPieces.misses`. */
  readonly misses: number;
  /** It gained nothing so often that it was not read for that: what is noted of it stays. */
  readonly isLeftAlone?: true;
}

/** What was found out about a large file that replaces an object. */
export interface Delta {
  /** Absent: all of it is sent. */
  readonly plan?: CopyLayout;
  readonly learned: Learned;
}

/** Whether the store may copy parts of files of `size` bytes, if the bucket allows it. */
export function copiesIntoSize(store: S3Store, size: number): boolean {
  const { delta, copiesParts, multipartUploads, directoryBucket } = store.settings;
  const { stopped } = store.delta;
  if (delta === 'off' || !multipartUploads || directoryBucket || stopped !== undefined)
    return false;
  // A probe may have shown what the provider's name does not.
  if (delta === 'auto' && copiesParts === undefined && store.probes === undefined) return false;
  return size > (delta === 'on' ? ON_FROM : AUTO_FROM - 1);
}

/** Whether it costs nothing to copy from an object. */
export const isFreeToRead = ({ tier = 'STANDARD' }: FileEntry): boolean =>
  FREE_TO_READ.includes(tier);

/** The object that an upload replaces, if parts of it may be copied, as far as that is known without a request. */
export function deltaSource(store: S3Store, source: WriteSource, op: Op): FileEntry | undefined {
  const { size = 0, seekable, pieces, unchanged } = source;
  if (!seekable || (pieces === undefined && unchanged === undefined)) return undefined;
  const old = unchanged?.of ?? op.change?.replaces ?? source.replaces;
  if (old === undefined || typeof old === 'string') return undefined;
  const why = whyNotFrom(store, old, size);
  if (why === undefined) return old;
  if (why !== '') logWhole(store, source.path, why);
  return undefined;
}

/**
 * Why no parts of an object are copied into one of `size` bytes that replaces it, whatever the bucket allows; `''` if
 * that needs no word. `undefined` if they may be.
 */
function whyNotFrom(store: S3Store, old: FileEntry, size: number): string | undefined {
  if (store.delta.stopped !== undefined && size >= AUTO_FROM) return store.delta.stopped;
  if (!copiesIntoSize(store, size) || store.isOldVersion(old)) return '';
  if (old.etag === undefined || old.size < LEAST_PART) return '';
  if (!isFreeToRead(old)) return `reading from the class ${old.tier} is charged`;
  const isProved = !store.settings.encryption.etagIsNotMd5 || store.integrity.supports('headers');
  return isProved ? undefined : 'no response would prove a copy';
}

/** Logs why all of a large file is sent. */
export function logWhole({ client: { context } }: S3Store, path: string, why: string): void {
  context.emit({ type: 'log', level: 'debug', path, code: 'delta-refused', fields: { why } });
}

/** As `Capabilities.mayCopyParts`. */
export async function mayCopyParts(store: S3Store, old: FileEntry, size: number): Promise<boolean> {
  if (whyNotFrom(store, old, size) !== undefined) return false;
  const copies = await partCopiesIn(store, store.locateFile(old).bucket);
  return copies === 'any' || copies === 'equal';
}

/** Which parts may be copied in a bucket: as a probe has shown, else as the provider is known for. Never rejects. */
export function partCopiesIn(
  store: S3Store,
  bucket: string,
): Promise<PartCopies['copiesParts'] | 'unknown'> {
  const { delta, copiesParts } = store.settings;
  let asked = store.delta.copiesIn.get(bucket);
  if (asked === undefined) {
    const find = async () => (await store.probes?.())?.find(store.id, bucket);
    const otherwise = copiesParts ?? (delta === 'on' ? 'any' : 'unknown');
    asked = find().then((shown) => shown?.copiesParts ?? otherwise);
    store.delta.copiesIn.set(bucket, asked);
  }
  return asked;
}

/** Logs, once in a run, that only a probe can show whether parts may be copied in a bucket. */
export function logUnknown(store: S3Store, bucket: string): void {
  if (store.delta.stopped !== undefined) return;
  store.delta.stop('the server is not known to copy parts');
  const fields = { place: typedPath(store.settings.remote, store.toStandard(bucket)) };
  store.client.context.emit({ type: 'log', level: 'info', code: 'delta-unknown', fields });
}

/** Which ranges are copied, with the limits of the store. */
export function planParts(
  store: S3Store,
  size: number,
  matches: readonly CommonRange[],
  partSize: number,
  copiesParts: 'any' | 'equal',
): DeltaLayout | undefined {
  const { maxUploadParts: count } = store.settings;
  const sizes = { least: LEAST_PART, sent: partSize, copied: MOST_COPIED };
  return planDelta(size, matches, { ...sizes, count, areEqual: copiesParts === 'equal' });
}

/**
 * Finds out what a file has in common with the object that it replaces, and plans its upload. What is known of the
 * object is a hint; `copyPart` proves. `undefined` if there is nothing to gain, or to learn for the next time.
 */
export async function findDelta(
  store: S3Store,
  source: WriteSource,
  old: FileEntry,
  partSize: number,
  copiesParts: 'any' | 'equal',
  op: Op,
): Promise<Delta | undefined> {
  const { path, pieces, size = 0, unchanged } = source;
  const { etag } = old;
  if (etag === undefined) return undefined;
  const from = store.locateFile(old);
  if (unchanged !== undefined) {
    const common = unchanged.ranges.map((range) => ({ ...range, from: range.offset }));
    const plan = planParts(store, size, common, partSize, copiesParts);
    return plan && { learned: { misses: 0 }, plan: { ...plan, from, etag } };
  }
  const notes = await store.pieces?.();
  if (pieces === undefined) return undefined;
  const known = await notes?.find(store.id, nameOf(from), etag);
  if (known !== undefined && gainsNothing(known, size)) {
    logWhole(store, path, 'the last times it had nothing in common with what it replaced');
    return { learned: { misses: known.misses, isLeftAlone: true } };
  }
  const ofOld = known?.etag === etag && known.size === old.size ? known : undefined;
  const { emit } = store.client.context;
  try {
    // Cuts are worth their time only where they can be kept.
    const [cuts, inPlace] = await Promise.all([
      notes === undefined ? undefined : pieces.cuts(op),
      ofOld?.cuts === undefined ? matchesInPlace(source, old, ofOld, op) : [],
    ]);
    const matches =
      cuts !== undefined && ofOld?.cuts !== undefined ? matchCuts(cuts, ofOld.cuts) : inPlace;
    const plan = planParts(store, size, matches, partSize, copiesParts);
    const couldKnow = ofOld?.cuts !== undefined;
    const misses = plan !== undefined ? 0 : (known?.misses ?? 0) + (couldKnow ? 1 : 0);
    const common = matches.reduce((sum, { length }) => sum + length, 0);
    const isKnown = ofOld !== undefined || common > 0;
    const fields = { isKnown, common, size, sends: plan?.sent ?? size };
    emit({ type: 'log', level: 'debug', path, code: 'delta-planned', fields });
    const learned = { misses, ...(cuts && { cuts }) };
    return plan === undefined ? { learned } : { learned, plan: { ...plan, from, etag } };
  } catch (thrown) {
    op.signal.throwIfAborted();
    logWhole(store, path, toSyncerError(thrown).message);
    return undefined;
  }
}

/** Whether a file gained nothing so often that it is not read for it, unless its size has changed by a tenth since. */
function gainsNothing({ misses, size: then }: ObjectPieces, size: number): boolean {
  return misses >= MISSES_BELIEVED && Math.abs(size - then) < then / 10;
}

/** What a file has in common with the old object at the same places: by the MD5s of its parts, or as a file that grew. */
async function matchesInPlace(
  { pieces, size = 0 }: WriteSource,
  old: FileEntry,
  known: ObjectPieces | undefined,
  op: Op,
): Promise<readonly CommonRange[]> {
  if (pieces === undefined) return [];
  if (known?.parts !== undefined) {
    const ranges = rangesOfParts(known.parts, size);
    return matchParts(ranges, await pieces.md5s(ranges, op), known.parts);
  }
  const { etag = '' } = old;
  const isWhole = /^[0-9a-f]{32}$/i.test(etag);
  const partLength = isWhole ? old.size : partsMd5(etag, old.size)?.partLength;
  if (partLength === undefined || old.size > size) return [];
  const md5s = await pieces.md5s(rangesOfPrefix(old.size, partLength), op);
  return isPrefix(md5s, etag) ? [{ offset: 0, length: old.size, from: 0 }] : [];
}

/** Notes the pieces of an object that an upload has written and proved. Never rejects. */
export async function notePieces(
  store: S3Store,
  at: Location,
  { etag, size }: Pick<FileEntry, 'etag' | 'size'>,
  parts: readonly RecordedPart[],
  learned: Learned | undefined,
): Promise<void> {
  const isOff = store.settings.delta === 'off' || size < ON_FROM;
  if (isOff || etag === undefined || learned?.isLeftAlone) return;
  if (['none', 'unknown'].includes(await partCopiesIn(store, at.bucket))) return;
  const notes: PieceNotes | undefined = await store.pieces?.();
  const ofParts = partPieces(parts);
  const { cuts, misses = 0 } = learned ?? {};
  const known = { ...(ofParts && { parts: ofParts }), ...(cuts && { cuts }) };
  await notes?.learn(store.id, nameOf(at), { etag, size, misses, ...known });
}

/** The parts of an upload, if their ETags may be their MD5s. */
function partPieces(parts: readonly RecordedPart[]): Pieces | undefined {
  const isUsable =
    parts.length > 0 &&
    parts.every(({ etag, size }) => /^[0-9a-f]{32}$/i.test(etag) && size < 2 ** 32);
  if (!isUsable) return undefined;
  return {
    lengths: Uint32Array.from(parts, ({ size }) => size),
    digests: Buffer.from(parts.map(({ etag }) => etag).join(''), 'hex'),
  };
}

/** How the notes name an object. */
const nameOf = ({ bucket, key }: Location): string => `${bucket}/${key}`;
