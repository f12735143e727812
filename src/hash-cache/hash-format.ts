import type { HashName } from '../core/hash-names.ts';
import { nameFromBytes, nameToBytes } from '../core/name-bytes.ts';
import type { RecordFormat } from '../segments/record-format.ts';
import type { HashRecord } from './hash-record.ts';

/**
 * A record, numbers in little endian: length of the name (2 bytes), length of the tag (1), length of the run's id (1),
 * flags (2), size (6), `readMs` (6), `modTime` (8), `changedAt` (8), the name, the tag, the run's id, and the hashes
 * whose flags are set.
 */
const FIXED = 34;
const LONGEST_NAME = 8192;
const MOST_NS = 2n ** 63n - 1n;
const MOST_6_BYTES = 2 ** 48 - 1;

/** The hashes in the order of their flags, and their lengths in bytes. */
const LENGTHS: readonly (readonly [HashName, number])[] = [
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

const ACCEPTED = 1 << 15;
const UNREAD = 1 << 14;

/** How the records of the hash cache are written. */
export const HASH_FORMAT: RecordFormat<HashRecord> = {
  magic: 'syncer-hashes-1\n',
  encode,
  nameAt,
  endOf,
  decode,
};

function encode(record: HashRecord): Buffer | undefined {
  const { size, readMs, modTime, changedAt, hashes } = record;
  const name = nameToBytes(record.name);
  const tag = Buffer.from(record.tag);
  const runId = Buffer.from(record.runId);
  const kept = LENGTHS.flatMap(([hash, length], bit) => {
    const bytes = Buffer.from(hashes[hash] ?? '', 'hex');
    return bytes.length === length ? [{ bytes, flag: 1 << bit }] : [];
  });
  const fits =
    name.length > 0 &&
    name.length <= LONGEST_NAME &&
    tag.length <= 255 &&
    runId.length <= 255 &&
    size >= 0 &&
    size <= MOST_6_BYTES &&
    [modTime, changedAt].every((time) => time <= MOST_NS && time >= -MOST_NS);
  if (!fits) return undefined;
  const head = Buffer.alloc(FIXED);
  head.writeUInt16LE(name.length, 0);
  head.writeUInt8(tag.length, 2);
  head.writeUInt8(runId.length, 3);
  const marks = (record.isAccepted ? ACCEPTED : 0) | (record.isUnread ? UNREAD : 0);
  const flags = kept.reduce((all, { flag }) => all | flag, marks);
  head.writeUInt16LE(flags, 4);
  head.writeUIntLE(size, 6, 6);
  head.writeUIntLE(readMs, 12, 6);
  head.writeBigInt64LE(modTime, 18);
  head.writeBigInt64LE(changedAt, 26);
  return Buffer.concat([head, name, tag, runId, ...kept.map(({ bytes }) => bytes)]);
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
    readMs: bytes.readUIntLE(at + 12, 6),
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
