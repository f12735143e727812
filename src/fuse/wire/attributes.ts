import type { AttributeChange, Attributes, ListedEntry, Space } from '../../vfs/mount-ops.ts';
import type { ReplyBuffer } from './reply-buffer.ts';
import { nameToKernel, type RequestReader } from './request-reader.ts';

/** Bytes of `struct fuse_entry_out`. */
export const ENTRY_SIZE = 128;

/** Bytes of `struct fuse_attr_out`. */
export const ATTRIBUTES_SIZE = 104;
/** Bytes of `struct fuse_attr` before `struct fuse_entry_out` ends. */
const ATTRIBUTES_IN_ENTRY = 40;
const ATTRIBUTES_IN_ANSWER = 16;
/** The preferred size of read(2), in bytes: `st_blksize`. */
const BLOCK_SIZE = 4096;

/** The type bits of `st_mode`. */
const KIND_BITS = { dir: 0o040000, file: 0o100000, link: 0o120000 } as const;

/** Writes `struct fuse_entry_out`; `validMs`: how long the kernel may keep the name and the attributes. */
export function writeEntry(
  to: ReplyBuffer,
  at: number,
  attributes: Attributes,
  validMs: number,
): void {
  const { seconds, nanos } = durationParts(validMs);
  to.u64(at, attributes.inode);
  to.u64(at + 8, 0);
  to.u64(at + 16, seconds);
  to.u64(at + 24, seconds);
  to.u32(at + 32, nanos);
  to.u32(at + 36, nanos);
  writeAttributes(to, at + ATTRIBUTES_IN_ENTRY, attributes);
}

/** Writes the entry of a missing name, which the kernel may remember for `validMs`. */
export function writeMissing(to: ReplyBuffer, at: number, validMs: number): void {
  const { seconds, nanos } = durationParts(validMs);
  to.zero(at, ENTRY_SIZE);
  to.u64(at + 16, seconds);
  to.u32(at + 32, nanos);
}

/** Writes `struct fuse_attr_out`. */
export function writeAttributesAnswer(
  to: ReplyBuffer,
  attributes: Attributes,
  validMs: number,
): void {
  const { seconds, nanos } = durationParts(validMs);
  to.u64(0, seconds);
  to.u32(8, nanos);
  to.u32(12, 0);
  writeAttributes(to, ATTRIBUTES_IN_ANSWER, attributes);
}

function writeAttributes(to: ReplyBuffer, at: number, attributes: Attributes): void {
  const { inode, size, modTime, accessTime, changeTime } = attributes;
  const modified = timeParts(modTime);
  to.u64(at, inode);
  to.u64(at + 8, Math.max(size, 0));
  to.u64(at + 16, Math.ceil(Math.max(size, 0) / 512));
  writeTime(to, at, 24, 48, accessTime === modTime ? modified : timeParts(accessTime));
  writeTime(to, at, 32, 52, modified);
  writeTime(to, at, 40, 56, changeTime === modTime ? modified : timeParts(changeTime));
  to.u32(at + 60, KIND_BITS[attributes.kind] | (attributes.mode & 0o7777));
  to.u32(at + 64, attributes.links);
  to.u32(at + 68, attributes.uid);
  to.u32(at + 72, attributes.gid);
  to.u32(at + 76, 0);
  to.u32(at + 80, BLOCK_SIZE);
  to.u32(at + 84, 0);
}

function writeTime(
  to: ReplyBuffer,
  at: number,
  seconds: number,
  nanos: number,
  time: TimeParts,
): void {
  to.u64(at + seconds, time.seconds);
  to.u32(at + nanos, time.nanos);
}

function durationParts(ms: number): TimeParts {
  const seconds = Math.floor(ms / 1000);
  return { seconds, nanos: Math.round((ms - seconds * 1000) * 1e6) };
}

/** Bytes of `struct fuse_kstatfs`. */
export const SPACE_SIZE = 80;

/** Writes `struct fuse_kstatfs`. As many files as exist can be created again, and at least a billion. */
export function writeSpace(to: ReplyBuffer, space: Space): void {
  const { total, free, files, blockSize, nameLength } = space;
  const blocks = Math.floor(total / blockSize);
  const freeBlocks = Math.floor(free / blockSize);
  const freeFiles = Math.max(1e9, files);
  to.zero(0, SPACE_SIZE);
  to.u64(0, blocks);
  to.u64(8, freeBlocks);
  to.u64(16, freeBlocks);
  to.u64(24, files + freeFiles);
  to.u64(32, freeFiles);
  to.u32(40, blockSize);
  to.u32(44, nameLength);
  to.u32(48, blockSize);
}

const BILLION = 1_000_000_000;

/** A point in time in the kernel's form. */
export interface TimeParts {
  /** Whole seconds since the epoch, rounded down. */
  readonly seconds: number;
  /** Nanoseconds after them. */
  readonly nanos: number;
}

/**
 * Splits nanoseconds since the epoch without dividing large numbers: a rounded quotient gives the seconds, and the
 * rest is exact in the low 32 bits.
 */
export function timeParts(time: bigint): TimeParts {
  const seconds = Math.floor(Number(time) / BILLION);
  const nanos = (Number(BigInt.asIntN(32, time)) - Math.imul(seconds, BILLION)) >>> 0;
  if (nanos < BILLION) return { seconds, nanos };
  // Rounding gave one second too many (the rest is negative) or one too few.
  return nanos > 0x7fff_ffff
    ? { seconds: seconds - 1, nanos: (nanos + BILLION) >>> 0 }
    : { seconds: seconds + 1, nanos: nanos - BILLION };
}

/** Nanoseconds since the epoch. */
export function timeFromParts(seconds: bigint, nanos: number): bigint {
  return seconds * 1_000_000_000n + BigInt(nanos);
}

/** Which members of `struct fuse_setattr_in` are valid. */
const VALID = {
  mode: 1,
  uid: 2,
  gid: 4,
  size: 8,
  accessTime: 16,
  modTime: 32,
  handle: 64,
  accessNow: 128,
  modNow: 256,
} as const;

/** Reads `struct fuse_setattr_in`: the changes, and the open file if there is one. `now`: nanoseconds since the epoch. */
export function readSetAttributes(
  from: RequestReader,
  now: () => bigint,
): { change: AttributeChange; handle: number | undefined } {
  const valid = from.u32(0);
  const has = (bit: number) => (valid & bit) !== 0;
  const change: { -readonly [K in keyof AttributeChange]: AttributeChange[K] } = {};
  if (has(VALID.mode)) change.mode = from.u32(68) & 0o7777;
  if (has(VALID.uid)) change.uid = from.u32(76);
  if (has(VALID.gid)) change.gid = from.u32(80);
  if (has(VALID.size)) change.size = from.size(16);
  if (has(VALID.accessNow)) change.accessTime = now();
  else if (has(VALID.accessTime)) change.accessTime = timeFromParts(from.i64(32), from.u32(56));
  if (has(VALID.modNow)) change.modTime = now();
  else if (has(VALID.modTime)) change.modTime = timeFromParts(from.i64(40), from.u32(60));
  return { change, handle: has(VALID.handle) ? from.u64(8) : undefined };
}

/** Bytes of `struct fuse_dirent` before the name. */
const DIRENT = 24;

/** The block of directory entries in a response to READDIR or READDIRPLUS. */
export class DirBlock {
  readonly #to: ReplyBuffer;
  readonly #limit: number;
  readonly #plus: boolean;
  readonly #validMs: number;
  /** Bytes written so far. */
  length = 0;

  /** @param limit the kernel's buffer size, in bytes */
  constructor(to: ReplyBuffer, limit: number, plus: boolean, validMs: number) {
    to.reserve(limit);
    this.#to = to;
    this.#limit = limit;
    this.#plus = plus;
    this.#validMs = validMs;
  }

  /**
   * Adds an entry; `next` is the position after it. `false` if it does not fit. Omits rough attributes: the kernel
   * requests them.
   */
  add({ name, attributes, isRough }: ListedEntry, next: number): boolean {
    const head = this.#plus ? ENTRY_SIZE : 0;
    const shown = nameToKernel(name);
    const kind = KIND_BITS[attributes.kind];
    if (!this.#addName(shown, attributes.inode, kind, next, head)) return false;
    if (this.#plus && isRough) this.#to.zero(this.#last, ENTRY_SIZE);
    else if (this.#plus) writeEntry(this.#to, this.#last, attributes, this.#validMs);
    return true;
  }

  /** Adds `.` or `..`, which count no lookup and have no attributes. */
  addDots(name: '.' | '..', inode: number, next: number): boolean {
    const head = this.#plus ? ENTRY_SIZE : 0;
    if (!this.#addName(name, inode, KIND_BITS.dir, next, head)) return false;
    if (this.#plus) this.#to.zero(this.#last, ENTRY_SIZE);
    return true;
  }

  #last = 0;

  #addName(name: string, inode: number, kind: number, next: number, head: number): boolean {
    const at = this.length + head;
    const bytes = this.#to.name(at + DIRENT, name, this.#limit);
    if (bytes < 0) return false;
    const end = at + ((DIRENT + bytes + 7) & ~7);
    if (end > this.#limit) return false;
    this.#to.u64(at, inode);
    this.#to.u64(at + 8, next);
    this.#to.u32(at + 16, bytes);
    this.#to.u32(at + 20, kind >>> 12);
    this.#to.zero(at + DIRENT + bytes, end - at - DIRENT - bytes);
    this.#last = this.length;
    this.length = end;
    return true;
  }
}
