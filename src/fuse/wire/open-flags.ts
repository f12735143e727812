import type { OpenFlags } from '../../vfs/mount-ops.ts';
import type { InitAnswer } from './init.ts';

/** Flags of open(2) on x64 and arm64. */
const O = {
  accessMode: 3,
  write: 1,
  readWrite: 2,
  exclusive: 0o200,
  truncate: 0o1000,
  append: 0o2000,
};

/** Reads the flags of open(2). */
export function readOpenFlags(flags: number): OpenFlags {
  const mode = flags & O.accessMode;
  return {
    read: mode !== O.write,
    write: mode === O.write || mode === O.readWrite,
    truncate: (flags & O.truncate) !== 0,
    exclusive: (flags & O.exclusive) !== 0,
  };
}

/** `FUSE_WRITE_CACHE` of `struct fuse_write_in.write_flags`: the bytes come from the page cache, not from a write(2). */
const FROM_CACHE = 1;

/**
 * Whether a write is at the end of the file instead of its offset. A page of a mapping has its place; a kernel that
 * gathers writes has found the end itself (libfuse, `writeback_cache`).
 *
 * @param openFlags those of the descriptor now, which fcntl(2) may have changed
 */
export function goesToEnd(
  writeFlags: number,
  openFlags: number,
  { writeBackCache }: Pick<InitAnswer, 'writeBackCache'>,
): boolean {
  return !writeBackCache && (writeFlags & FROM_CACHE) === 0 && (openFlags & O.append) !== 0;
}
