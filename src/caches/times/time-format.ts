import { nameFromBytes, nameToBytes } from '../../core/name-bytes.ts';
import type { KnownTime } from './known-time.ts';

/**
 * A record, numbers in little endian: length of the name (2 bytes), flags (1), size (6), `fromMs` (6), `toMs -
 * fromMs` (4), `modTime` in nanoseconds (8), the name, the ETag (16 bytes, or its length in one byte and its text),
 * the MD5 (16).
 */
const FIXED = 27;
const HEX_ETAG = 1;
const HAS_MD5 = 2;
const MD5_LENGTH = 16;

const MD5 = /^[0-9a-f]{32}$/;
const LONGEST_NAME = 4096;
const LONGEST_ETAG = 255;
const MOST_6_BYTES = 2 ** 48 - 1;
const MOST_NS = 2n ** 63n - 1n;

/** The fewest bytes of a record. */
export const SHORTEST_RECORD = FIXED;
/** The most. */
export const LONGEST_RECORD = FIXED + LONGEST_NAME + 1 + LONGEST_ETAG + MD5_LENGTH;

/** The bytes of records, and the same to read and write numbers, in less time than by the methods of `Buffer`. */
export class RecordBytes {
  readonly bytes: Buffer;
  readonly view: DataView;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }
}

/**
 * Writes a record at `at`, where `LONGEST_RECORD` bytes are free. Returns its end; `undefined` if it does not fit: its
 * time is requested again.
 */
export function encodeRecord(known: KnownTime, all: RecordBytes, at: number): number | undefined {
  const { name, size, etag, fromMs, toMs, modTime, md5 } = known;
  const { bytes, view } = all;
  const isHex = MD5.test(etag);
  const fits =
    name !== '' &&
    (isHex || Buffer.byteLength(etag) <= LONGEST_ETAG) &&
    size <= MOST_6_BYTES &&
    fromMs >= 0 &&
    fromMs <= MOST_6_BYTES &&
    toMs - fromMs < 2 ** 32 &&
    modTime <= MOST_NS &&
    modTime >= -MOST_NS;
  if (!fits) return undefined;
  let end = at + FIXED;
  if (3 * name.length <= LONGEST_NAME && name.isWellFormed()) end += bytes.write(name, end);
  else {
    const own = nameToBytes(name);
    if (own.length > LONGEST_NAME) return undefined;
    end += own.copy(bytes, end);
  }
  const hasMd5 = md5 !== undefined && MD5.test(md5);
  view.setUint16(at, end - at - FIXED, true);
  view.setUint8(at + 2, (isHex ? HEX_ETAG : 0) | (hasMd5 ? HAS_MD5 : 0));
  writeUint48(view, at + 3, size);
  writeUint48(view, at + 9, fromMs);
  view.setUint32(at + 15, toMs - fromMs, true);
  view.setBigInt64(at + 19, modTime, true);
  if (isHex) end += bytes.write(etag, end, 'hex');
  else {
    const length = bytes.write(etag, end + 1);
    view.setUint8(end, length);
    end += 1 + length;
  }
  return hasMd5 ? end + bytes.write(md5, end, 'hex') : end;
}

/** The end of the record at `at`. Throws `RangeError` if the bytes end too early, as `recordName` does. */
export function recordEnd({ bytes, view }: RecordBytes, at: number): number {
  const flags = view.getUint8(at + 2);
  const etagAt = at + FIXED + view.getUint16(at, true);
  const etagLength = (flags & HEX_ETAG) !== 0 ? 16 : 1 + view.getUint8(etagAt);
  const end = etagAt + etagLength + ((flags & HAS_MD5) !== 0 ? MD5_LENGTH : 0);
  if (end > bytes.length) throw new RangeError('record ends too early');
  return end;
}

/** The record at `at`, whose name was already read. */
export function decodeRecord({ bytes, view }: RecordBytes, at: number, name: string): KnownTime {
  const flags = view.getUint8(at + 2);
  const fromMs = readUint48(view, at + 9);
  let end = at + FIXED + view.getUint16(at, true);
  const isHex = (flags & HEX_ETAG) !== 0;
  const etagAt = isHex ? end : end + 1;
  end = isHex ? end + 16 : etagAt + view.getUint8(end);
  return {
    name,
    size: readUint48(view, at + 3),
    etag: bytes.toString(isHex ? 'hex' : 'utf8', etagAt, end),
    fromMs,
    toMs: fromMs + view.getUint32(at + 15, true),
    modTime: view.getBigInt64(at + 19, true),
    ...((flags & HAS_MD5) === 0 ? {} : { md5: bytes.toString('hex', end, end + 16) }),
  };
}

/** The name of the record at `at`. */
export function recordName({ bytes, view }: RecordBytes, at: number): string {
  const end = at + FIXED + view.getUint16(at, true);
  if (end > bytes.length) throw new RangeError('record ends too early');
  const text = bytes.toString('utf8', at + FIXED, end);
  // What is not UTF-8 has become this character, which a name may also have.
  return text.includes('\ufffd') ? nameFromBytes(bytes.subarray(at + FIXED, end)) : text;
}

/** A number of 6 bytes, in little endian. */
function readUint48(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint16(at + 4, true) * 2 ** 32;
}

/** Writes a whole number of at most 6 bytes, in little endian. */
function writeUint48(view: DataView, at: number, value: number): void {
  view.setUint32(at, value % 2 ** 32, true);
  view.setUint16(at + 4, Math.floor(value / 2 ** 32), true);
}
