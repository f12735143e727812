import type { HashName } from '../core/hash-names.ts';
import { writeName } from '../core/name-bytes.ts';
import {
  nameBehind,
  type RecordBytes,
  type RecordFormat,
  readUint48,
  writeUint48,
} from '../segments/record-format.ts';
import { compareReadings, type HashRecord } from './hash-record.ts';

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

interface HashField {
  readonly hash: HashName;
  readonly flag: number;
  /** In bytes. */
  readonly length: number;
}

/** The hashes in the order of their flags. */
const HASHES: readonly HashField[] = (
  [
    ['md5', 16],
    ['sha1', 20],
    ['crc32', 4],
    ['sha256', 32],
    ['sha512', 64],
    ['blake3', 32],
    ['xxh3', 8],
    ['xxh128', 16],
    ['quickxor', 20],
  ] as const
).map(([hash, length], bit) => ({ hash, flag: 1 << bit, length }));

const ALL_HASHES = HASHES.reduce((sum, { length }) => sum + length, 0);

const ACCEPTED = 1 << 15;
const UNREAD = 1 << 14;
const DOUBTED = 1 << 13;

/** How the records of the hash cache are written, and compared by a clock. */
export const hashFormat = (now: () => number): RecordFormat<HashRecord> => ({
  magic: 'syncer-hashes-1\n',
  longest: FIXED + LONGEST_NAME + 2 * LONGEST_TEXT + ALL_HASHES,
  encode,
  nameAt: (all, at) => nameBehind(FIXED, all, at),
  endOf,
  decode,
  compareAge: (a, b) => compareAge(a, b, now()),
});

function encode(record: HashRecord, all: RecordBytes, at: number): number | undefined {
  const { name, size, readMs, modTime, changedAt, hashes, tag, runId } = record;
  const { bytes, view } = all;
  const fits =
    name !== '' &&
    isShort(tag) &&
    isShort(runId) &&
    size >= 0 &&
    size <= MOST_6_BYTES &&
    isTime(modTime) &&
    isTime(changedAt);
  const nameEnd = fits ? writeName(name, bytes, at + FIXED, LONGEST_NAME) : undefined;
  if (nameEnd === undefined) return undefined;
  const tagEnd = nameEnd + bytes.write(tag, nameEnd);
  let end = tagEnd + bytes.write(runId, tagEnd);
  view.setUint16(at, nameEnd - at - FIXED, true);
  view.setUint8(at + 2, tagEnd - nameEnd);
  view.setUint8(at + 3, end - tagEnd);
  writeUint48(view, at + 6, size);
  writeUint48(view, at + READ_AT, readMs);
  view.setBigInt64(at + 18, modTime, true);
  view.setBigInt64(at + 26, changedAt, true);
  let flags =
    (record.isAccepted ? ACCEPTED : 0) |
    (record.isUnread ? UNREAD : 0) |
    (record.isDoubted ? DOUBTED : 0);
  for (let index = 0; index < HASHES.length; index++) {
    const { hash, flag, length } = HASHES[index] as HashField;
    const value = hashes[hash];
    // What is no hexadecimal number is written in part, and overwritten by the next.
    if (value?.length !== 2 * length || bytes.write(value, end, 'hex') !== length) continue;
    flags |= flag;
    end += length;
  }
  view.setUint16(at + 4, flags, true);
  return end;
}

function isShort(text: string): boolean {
  return 3 * text.length <= LONGEST_TEXT || Buffer.byteLength(text) <= LONGEST_TEXT;
}

/** When the content of a record's file was read, in milliseconds since the epoch. */
export function readMsOf(record: Buffer): number {
  return record.readUIntLE(READ_AT, 6);
}

/** Not for records without a hash, or that are more than a reading of their own: what they mean together is more. */
function compareAge(a: Buffer, b: Buffer, nowMs: number): number | undefined {
  const runAt = FIXED + a.readUInt16LE(0) + a.readUInt8(2);
  const hashesAt = runAt + a.readUInt8(3);
  const flags = a.readUInt16LE(4);
  const isPlain = flags !== 0 && (flags & (ACCEPTED | UNREAD | DOUBTED)) === 0;
  const isAlike =
    isPlain &&
    a.length === b.length &&
    a.compare(b, 0, READ_AT, 0, READ_AT) === 0 &&
    a.compare(b, READ_AT + 6, runAt, READ_AT + 6, runAt) === 0 &&
    a.compare(b, hashesAt, b.length, hashesAt, a.length) === 0;
  return isAlike ? compareReadings(readMsOf(a), readMsOf(b), nowMs) : undefined;
}

function isTime(time: bigint): boolean {
  return time <= MOST_NS && time >= -MOST_NS;
}

function endOf({ bytes, view }: RecordBytes, at: number): number {
  const flags = view.getUint16(at + 4, true);
  let end = hashesAt(view, at);
  for (let index = 0; index < HASHES.length; index++) {
    const { flag, length } = HASHES[index] as HashField;
    if ((flags & flag) !== 0) end += length;
  }
  if (end > bytes.length) throw new RangeError('record ends too early');
  return end;
}

function decode({ bytes, view }: RecordBytes, at: number, name: string): HashRecord {
  const tagAt = at + FIXED + view.getUint16(at, true);
  const runAt = tagAt + view.getUint8(at + 2);
  let next = hashesAt(view, at);
  const flags = view.getUint16(at + 4, true);
  const hashes: Partial<Record<HashName, string>> = {};
  for (let index = 0; index < HASHES.length; index++) {
    const { hash, flag, length } = HASHES[index] as HashField;
    if ((flags & flag) === 0) continue;
    hashes[hash] = bytes.toString('hex', next, next + length);
    next += length;
  }
  return {
    name,
    size: readUint48(view, at + 6),
    readMs: readUint48(view, at + READ_AT),
    modTime: view.getBigInt64(at + 18, true),
    changedAt: view.getBigInt64(at + 26, true),
    tag: bytes.toString('utf8', tagAt, runAt),
    runId: bytes.toString('utf8', runAt, runAt + view.getUint8(at + 3)),
    hashes,
    ...((flags & ACCEPTED) === 0 ? {} : { isAccepted: true }),
    ...((flags & UNREAD) === 0 ? {} : { isUnread: true }),
    ...((flags & DOUBTED) === 0 ? {} : { isDoubted: true }),
  };
}

/** Where the hashes of the record at `at` begin. */
function hashesAt(view: DataView, at: number): number {
  return at + FIXED + view.getUint16(at, true) + view.getUint8(at + 2) + view.getUint8(at + 3);
}
