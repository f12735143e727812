import type { ReplyBuffer } from './reply-buffer.ts';
import type { RequestReader } from './request-reader.ts';

/** The implemented version of the protocol: that of Linux 5.4. */
const MAJOR = 7;
const MINOR = 31;
/** The oldest minor version whose INIT response has the form used here: that of Linux 3.15. */
const OLDEST_MINOR = 23;

/** Bytes of `struct fuse_init_out`. */
export const INIT_SIZE = 64;
const PAGE = 4096;

/** The largest write of kernels that support `maxPages`, in bytes. */
export const MAX_WRITE = 1 << 20;
/** The largest write of older kernels, in bytes. */
const SMALL_WRITE = 32 * PAGE;

/** `FUSE_*` of `struct fuse_init_in.flags`. */
const FLAG = {
  asyncRead: 1,
  atomicTruncate: 1 << 3,
  bigWrites: 1 << 5,
  invalidatesData: 1 << 12,
  readDirPlus: 1 << 13,
  readDirPlusAuto: 1 << 14,
  asyncDirectIo: 1 << 15,
  writeBackCache: 1 << 16,
  parallelDirOps: 1 << 18,
  maxPages: 1 << 22,
  /** More flags follow, from bit 32 on. */
  more: 1 << 30,
};

/** `FUSE_ALLOW_IDMAP`, bit 40, in `flags2`: Linux 6.12. */
const ALLOW_IDMAP = 1 << 8;

export interface InitWishes {
  /** How far the kernel may read ahead, in bytes; it never exceeds its own limit. */
  readonly maxReadAhead: number;
  /** The kernel gathers writes and sends them later. */
  readonly writeBackCache: boolean;
  /** Several reads of one file in parallel. */
  readonly asyncRead: boolean;
  /** Other mounts of it may map owners (`mount_setattr`); needs `default_permissions`. */
  readonly allowIdmap: boolean;
}

export interface InitAnswer {
  readonly minor: number;
  readonly flags: number;
  /** Whether mounts may map owners. */
  readonly allowIdmap: boolean;
  readonly maxReadAhead: number;
  /** In bytes. */
  readonly maxWrite: number;
  /** The kernel gathers writes, and sends each with its offset. */
  readonly writeBackCache: boolean;
}

/**
 * Negotiates with the kernel; `undefined` if it is too old, `higher-major` if it must ask again with an older
 * protocol.
 */
export function negotiate(
  from: RequestReader,
  wishes: InitWishes,
): InitAnswer | 'higher-major' | undefined {
  const major = from.u32(0);
  const minor = from.u32(4);
  if (major > MAJOR) return 'higher-major';
  if (major < MAJOR || minor < OLDEST_MINOR) return undefined;
  const wanted =
    FLAG.atomicTruncate |
    FLAG.bigWrites |
    FLAG.invalidatesData |
    FLAG.readDirPlus |
    FLAG.readDirPlusAuto |
    FLAG.asyncDirectIo |
    FLAG.parallelDirOps |
    FLAG.maxPages |
    (wishes.asyncRead ? FLAG.asyncRead : 0) |
    (wishes.writeBackCache ? FLAG.writeBackCache : 0) |
    (wishes.allowIdmap ? FLAG.more : 0);
  const flags = from.u32(12) & wanted;
  return {
    minor: Math.min(minor, MINOR),
    flags,
    allowIdmap: (flags & FLAG.more) !== 0 && (from.u32(16) & ALLOW_IDMAP) !== 0,
    maxReadAhead: Math.min(from.u32(8), wishes.maxReadAhead),
    maxWrite: flags & FLAG.maxPages ? MAX_WRITE : SMALL_WRITE,
    writeBackCache: (flags & FLAG.writeBackCache) !== 0,
  };
}

/** Writes `struct fuse_init_out`. */
export function writeInit(to: ReplyBuffer, answer: InitAnswer): void {
  to.zero(0, INIT_SIZE);
  to.u32(0, MAJOR);
  to.u32(4, answer.minor);
  to.u32(8, answer.maxReadAhead);
  to.u32(12, answer.flags);
  to.u16(16, 64);
  to.u16(18, 48);
  to.u32(20, answer.maxWrite);
  to.u32(24, 1);
  to.u16(28, answer.maxWrite / PAGE);
  if (answer.allowIdmap) to.u32(32, ALLOW_IDMAP);
}

/** Writes the response to a kernel of a newer protocol: the version to ask again with. */
export function writeVersion(to: ReplyBuffer): void {
  to.zero(0, INIT_SIZE);
  to.u32(0, MAJOR);
  to.u32(4, MINOR);
}
