import type { AttributeChange } from '../../vfs/mount-ops.ts';
import type { RequestReader } from './request-reader.ts';
import { timeFromParts } from './time-parts.ts';

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
