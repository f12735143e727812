import { nameFromBytes, writeName } from '../core/name-bytes.ts';
import type { RecordFormat } from '../segments/record-format.ts';
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
const MOST_4_BYTES = 2 ** 32 - 1;
const MOST_NS = 2n ** 63n - 1n;

/** How known times are written; one that does not fit is requested again. */
export const TIME_FORMAT: RecordFormat<KnownTime> = {
  magic: 'syncer-mod-times-1\n',
  longest: FIXED + LONGEST_NAME + 1 + LONGEST_ETAG + MD5_LENGTH,
  encode: encodeRecord,
  nameAt: recordName,
  endOf: recordEnd,
  decode: decodeRecord,
};

function encodeRecord(known: KnownTime, bytes: Buffer, at: number): number | undefined {
  const { name, size, etag, fromMs, toMs, modTime, md5 } = known;
  const isHex = MD5.test(etag);
  const fits =
    name !== '' &&
    (isHex || Buffer.byteLength(etag) <= LONGEST_ETAG) &&
    size <= MOST_6_BYTES &&
    fromMs >= 0 &&
    fromMs <= MOST_6_BYTES &&
    toMs - fromMs <= MOST_4_BYTES &&
    modTime <= MOST_NS &&
    modTime >= -MOST_NS;
  const nameEnd = fits ? writeName(name, bytes, at + FIXED, LONGEST_NAME) : undefined;
  if (nameEnd === undefined) return undefined;
  const hasMd5 = md5 !== undefined && MD5.test(md5);
  bytes.writeUInt16LE(nameEnd - at - FIXED, at);
  bytes.writeUInt8((isHex ? HEX_ETAG : 0) | (hasMd5 ? HAS_MD5 : 0), at + 2);
  bytes.writeUIntLE(size, at + 3, 6);
  bytes.writeUIntLE(fromMs, at + 9, 6);
  bytes.writeUInt32LE(toMs - fromMs, at + 15);
  bytes.writeBigInt64LE(modTime, at + 19);
  let end = nameEnd;
  if (isHex) end += bytes.write(etag, end, 'hex');
  else {
    const length = bytes.write(etag, end + 1);
    end = bytes.writeUInt8(length, end) + length;
  }
  return hasMd5 ? end + bytes.write(md5, end, 'hex') : end;
}

function recordName(bytes: Buffer, at: number): string {
  const end = at + FIXED + bytes.readUInt16LE(at);
  if (end > bytes.length) throw new RangeError('record ends too early');
  return nameFromBytes(bytes.subarray(at + FIXED, end));
}

function recordEnd(bytes: Buffer, at: number): number {
  const flags = bytes.readUInt8(at + 2);
  const etagAt = at + FIXED + bytes.readUInt16LE(at);
  const etagLength = (flags & HEX_ETAG) !== 0 ? 16 : 1 + bytes.readUInt8(etagAt);
  const end = etagAt + etagLength + ((flags & HAS_MD5) !== 0 ? MD5_LENGTH : 0);
  if (end > bytes.length) throw new RangeError('record ends too early');
  return end;
}

function decodeRecord(bytes: Buffer, at: number, name: string): KnownTime {
  const flags = bytes.readUInt8(at + 2);
  const fromMs = bytes.readUIntLE(at + 9, 6);
  let end = at + FIXED + bytes.readUInt16LE(at);
  const isHex = (flags & HEX_ETAG) !== 0;
  const etagAt = isHex ? end : end + 1;
  end = isHex ? end + 16 : etagAt + bytes.readUInt8(end);
  return {
    name,
    size: bytes.readUIntLE(at + 3, 6),
    etag: bytes.toString(isHex ? 'hex' : 'utf8', etagAt, end),
    fromMs,
    toMs: fromMs + bytes.readUInt32LE(at + 15),
    modTime: bytes.readBigInt64LE(at + 19),
    ...((flags & HAS_MD5) === 0 ? {} : { md5: bytes.toString('hex', end, end + 16) }),
  };
}
