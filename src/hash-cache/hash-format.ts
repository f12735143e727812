import type { HashName } from '../core/hash-names.ts';
import { nameFromBytes, writeName } from '../core/name-bytes.ts';
import type { RecordFormat } from '../segments/record-format.ts';
import type { HashRecord } from './hash-record.ts';

/**
 * A record, numbers in little endian: length of the name (2 bytes), length of the tag (1), length of the run's id (1),
 * flags (2), size (6), `readMs` (6), `modTime` (8), `changedAt` (8), the name, the tag, the run's id, and the hashes
 * whose flags are set.
 */
const FIXED = 34;
const READ_AT = 12;
const LONGEST_NAME = 8192;
const LONGEST_TEXT = 255;
const MOST_NS = 2n ** 63n - 1n;
const MOST_6_BYTES = 2 ** 48 - 1;

type HashLength = readonly [HashName, number];

/** The hashes in the order of their flags, and their lengths in bytes. */
const LENGTHS: readonly HashLength[] = [
  ['md5', 16],
  ['sha1', 20],
  ['crc32', 4],
  ['sha256', 32],
  ['sha512', 64],
  ['blake3', 32],
  ['xxh3', 8],
  ['xxh128', 16],
  ['quickxor', 20],
];

const ALL_HASHES = LENGTHS.reduce((sum, [, length]) => sum + length, 0);

const ACCEPTED = 1 << 15;
const UNREAD = 1 << 14;

/** How the records of the hash cache are written. */
export const HASH_FORMAT: RecordFormat<HashRecord> = {
  magic: 'syncer-hashes-1\n',
  longest: FIXED + LONGEST_NAME + 2 * LONGEST_TEXT + ALL_HASHES,
  encode,
  nameAt,
  endOf,
  decode,
};

function encode(record: HashRecord, bytes: Buffer, at: number): number | undefined {
  const { name, size, readMs, modTime, changedAt, hashes, tag, runId } = record;
  const fits =
    name !== '' &&
    Buffer.byteLength(tag) <= LONGEST_TEXT &&
    Buffer.byteLength(runId) <= LONGEST_TEXT &&
    size >= 0 &&
    size <= MOST_6_BYTES &&
    isTime(modTime) &&
    isTime(changedAt);
  const nameEnd = fits ? writeName(name, bytes, at + FIXED, LONGEST_NAME) : undefined;
  if (nameEnd === undefined) return undefined;
  const tagEnd = nameEnd + bytes.write(tag, nameEnd);
  let end = tagEnd + bytes.write(runId, tagEnd);
  bytes.writeUInt16LE(nameEnd - at - FIXED, at);
  bytes.writeUInt8(tagEnd - nameEnd, at + 2);
  bytes.writeUInt8(end - tagEnd, at + 3);
  bytes.writeUIntLE(size, at + 6, 6);
  bytes.writeUIntLE(readMs, at + READ_AT, 6);
  bytes.writeBigInt64LE(modTime, at + 18);
  bytes.writeBigInt64LE(changedAt, at + 26);
  let flags = (record.isAccepted ? ACCEPTED : 0) | (record.isUnread ? UNREAD : 0);
  for (let bit = 0; bit < LENGTHS.length; bit++) {
    const [hash, length] = LENGTHS[bit] as HashLength;
    const value = hashes[hash];
    // What is no hexadecimal number is written in part, and overwritten by the next.
    if (value?.length !== 2 * length || bytes.write(value, end, 'hex') !== length) continue;
    flags |= 1 << bit;
    end += length;
  }
  bytes.writeUInt16LE(flags, at + 4);
  return end;
}

/** When the content of a record's file was read, in milliseconds since the epoch. */
export function readMsOf(bytes: Buffer, at = 0): number {
  return bytes.readUIntLE(at + READ_AT, 6);
}

function isTime(time: bigint): boolean {
  return time <= MOST_NS && time >= -MOST_NS;
}

function nameAt(bytes: Buffer, at: number): string {
  const end = at + FIXED + bytes.readUInt16LE(at);
  if (end > bytes.length) throw new RangeError('record ends too early');
  return nameFromBytes(bytes.subarray(at + FIXED, end));
}

function endOf(bytes: Buffer, at: number): number {
  const flags = bytes.readUInt16LE(at + 4);
  const end = LENGTHS.reduce(
    (sum, [, length], bit) => sum + ((flags & (1 << bit)) === 0 ? 0 : length),
    hashesAt(bytes, at),
  );
  if (end > bytes.length) throw new RangeError('record ends too early');
  return end;
}

function decode(bytes: Buffer, at: number, name: string): HashRecord {
  const tagAt = at + FIXED + bytes.readUInt16LE(at);
  const runAt = tagAt + bytes.readUInt8(at + 2);
  let next = hashesAt(bytes, at);
  const flags = bytes.readUInt16LE(at + 4);
  const hashes: Partial<Record<HashName, string>> = {};
  for (const [bit, [hash, length]] of LENGTHS.entries()) {
    if ((flags & (1 << bit)) === 0) continue;
    hashes[hash] = bytes.toString('hex', next, next + length);
    next += length;
  }
  return {
    name,
    size: bytes.readUIntLE(at + 6, 6),
    readMs: readMsOf(bytes, at),
    modTime: bytes.readBigInt64LE(at + 18),
    changedAt: bytes.readBigInt64LE(at + 26),
    tag: bytes.toString('utf8', tagAt, runAt),
    runId: bytes.toString('utf8', runAt, runAt + bytes.readUInt8(at + 3)),
    hashes,
    ...((flags & ACCEPTED) === 0 ? {} : { isAccepted: true }),
    ...((flags & UNREAD) === 0 ? {} : { isUnread: true }),
  };
}

/** Where the hashes of the record at `at` begin. */
function hashesAt(bytes: Buffer, at: number): number {
  return at + FIXED + bytes.readUInt16LE(at) + bytes.readUInt8(at + 2) + bytes.readUInt8(at + 3);
}
