import { hash } from 'node:crypto';
import type { Clock } from '../core/context.ts';
import type { HashName } from '../core/hash-names.ts';
import { writeName } from '../core/name-bytes.ts';
import { FirstTrouble } from '../segments/first-trouble.ts';
import { FreshRecords } from '../segments/fresh-records.ts';
import {
  nameBehind,
  type RecordBytes,
  type RecordFormat,
  type RecordSource,
  readUint48,
  writeUint48,
} from '../segments/record-format.ts';
import { SegmentFinder } from '../segments/segment-finder.ts';
import { SegmentFolder } from '../segments/segment-folder.ts';
import { comparableSegments, pauses, writeSegment } from '../segments/write-segment.ts';
import { compareReadings, type HashRecord, laterRecord, latestRecord } from './hash-record.ts';

/** Options of the cache. */
export interface HashCacheOptions {
  /** The directory of its files; created if missing. */
  readonly folder: string;
  readonly clock: Clock;
  /** Called once, with the reason, if there is no cache or it cannot be written. */
  readonly onTrouble: (error: unknown) => void;
  /** Number of records that are written together; 16,384 by default. The rest is written at the end. */
  readonly mostUnwritten?: number;
}

/** Limit of all its files, in bytes. */
const MAX_BYTES = 4 * 1024 ** 3;
const MOST_UNWRITTEN = 16_384;

/** After this time what was learned is written, so that an interrupted run loses little; in milliseconds. */
const WRITE_AFTER_MS = 15_000;

/** Files whose content was not read for this long are forgotten, in milliseconds: they may be gone. */
const FORGET_AFTER_MS = 3 * 366 * 24 * 3_600_000;

/** The store of this machine's disks. */
export const DISK_STORE = 'disk';

/** Its id, computed ahead: loading `node:crypto` would take eight milliseconds. */
const DISK_ID = '1044dec7206e8d7c9fbb4ae8f7666684';

/** What is known of one server or disk. */
interface Store {
  readonly id: string;
  fresh: FreshRecords<HashRecord>;
  /** Being written. */
  leaving: FreshRecords<HashRecord>;
  finders: readonly SegmentFinder<HashRecord>[] | undefined;
}

/**
 * The hashes that runs have computed. What is lost is computed again. Nothing here rejects; without a usable directory
 * it knows what this run has learned.
 */
export class HashCache {
  readonly clock: Clock;
  readonly #options: HashCacheOptions;
  readonly #format: RecordFormat<HashRecord>;
  #folder: SegmentFolder<HashRecord> | undefined;
  readonly #stores = new Map<string, Store>();
  #count = 0;
  #writtenMs: number;
  #writing: Promise<void> | undefined;
  #isClosed = false;
  #hasWritten = false;
  readonly #trouble: FirstTrouble;

  constructor(options: HashCacheOptions) {
    const { folder, clock } = options;
    this.clock = clock;
    this.#options = options;
    this.#format = hashFormat(() => clock.now());
    this.#trouble = new FirstTrouble(options.onTrouble);
    this.#writtenMs = clock.now();
    try {
      this.#folder = new SegmentFolder(this.#format, folder, MAX_BYTES, clock);
    } catch (error) {
      this.#trouble.note(error);
    }
  }

  /** What is known of the file at `path` below the root of its server or disk. */
  find(storeId: string, path: string): HashRecord | undefined {
    const store = this.#store(storeId);
    store.finders ??= (this.#folder?.use(store.id) ?? []).map(
      (file) => new SegmentFinder(this.#format, file, store.id),
    );
    const found = [
      ...store.finders.map((finder) => finder.find(path)),
      store.leaving.get(path),
      store.fresh.get(path),
    ];
    return this.#latest(found.filter((record) => record !== undefined));
  }

  /** Records the hashes of the file `record.name`. */
  learn(storeId: string, record: HashRecord): void {
    if (this.#isClosed) return;
    const { fresh } = this.#store(storeId);
    const known = fresh.get(record.name);
    if (known === undefined) this.#count++;
    fresh.set(known === undefined ? record : laterRecord(known, record));
    const isLate = Math.abs(record.readMs - this.#writtenMs) > WRITE_AFTER_MS;
    if (!isLate && this.#count < (this.#options.mostUnwritten ?? MOST_UNWRITTEN)) return;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Writes what was learned; nothing more is recorded. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#writing;
    await this.#write();
    for (const store of this.#stores.values()) closeFinders(store);
    if (this.#hasWritten) this.#trouble.try(() => this.#folder?.trim());
  }

  readonly #latest = (same: readonly HashRecord[]) => latestRecord(same, this.clock.now());

  #newRecords(): FreshRecords<HashRecord> {
    return new FreshRecords(this.#format);
  }

  #store(storeId: string): Store {
    let store = this.#stores.get(storeId);
    if (store === undefined) {
      const id = storeId === DISK_STORE ? DISK_ID : hash('sha256', storeId).slice(0, 32);
      store = { id, fresh: this.#newRecords(), leaving: this.#newRecords(), finders: undefined };
      this.#stores.set(storeId, store);
    }
    return store;
  }

  async #write(): Promise<void> {
    this.#count = 0;
    this.#writtenMs = this.clock.now();
    for (const store of this.#stores.values()) {
      if (store.fresh.count === 0) continue;
      store.leaving = store.fresh;
      store.fresh = this.#newRecords();
      await this.#writeStore(store);
      store.leaving = this.#newRecords();
      closeFinders(store);
    }
  }

  async #writeStore({ id, leaving }: Store): Promise<void> {
    const folder = this.#folder;
    if (folder === undefined) return;
    const { clock } = this;
    const oldestMs = clock.now() - FORGET_AFTER_MS;
    const absorbed = comparableSegments(folder.segments(id), leaving.size).map((path) => ({
      path,
      keeps: (reader: RecordSource<HashRecord>) => readMsOf(reader.bytes()) >= oldestMs,
    }));
    const pause = pauses(clock);
    try {
      const hasWritten = await writeSegment(
        folder,
        { id, fresh: leaving, absorbed, choose: this.#latest },
        pause,
      );
      this.#hasWritten ||= hasWritten;
    } catch (error) {
      this.#trouble.note(error);
      this.#folder = undefined;
    }
  }
}

function closeFinders(store: Store): void {
  for (const finder of store.finders ?? []) finder.close();
  store.finders = undefined;
}

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
function readMsOf(record: Buffer): number {
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
