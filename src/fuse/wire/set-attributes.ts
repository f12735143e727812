import type { AttributeChange } from '../../vfs/mount-ops.ts';
import type { RequestReader } from './request-reader.ts';

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

/** The changes that SETATTR requests. */
export interface SetAttributes {
  readonly change: AttributeChange;
  /** The open file of the request. */
  readonly handle: number | undefined;
}

/** Reads `struct fuse_setattr_in`; `now` in nanoseconds since the epoch. */
export function readSetAttributes(from: RequestReader, now: () => bigint): SetAttributes {
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
