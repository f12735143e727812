import type { OpenedFile, OpenFlags } from '../../vfs/mount-ops.ts';

/** Flags of open(2) as x64 and arm64 have them. */
const O = {
  accessMode: 3,
  write: 1,
  readWrite: 2,
  exclusive: 0o200,
  truncate: 0o1000,
  append: 0o2000,
};

/** Flags of `struct fuse_open_out`. */
const OPENED = { directIo: 1, keepCache: 2 };

/** What the flags of open(2) ask for. */
export function readOpenFlags(flags: number): OpenFlags {
  const mode = flags & O.accessMode;
  return {
    read: mode !== O.write,
    write: mode === O.write || mode === O.readWrite,
    append: (flags & O.append) !== 0,
    truncate: (flags & O.truncate) !== 0,
    exclusive: (flags & O.exclusive) !== 0,
  };
}

/** What the kernel is told of a file that was opened; `directIo`: every file goes past the page cache. */
export function openedFlags({ keepCache, directIo }: OpenedFile, allDirect: boolean): number {
  return (directIo || allDirect ? OPENED.directIo : 0) | (keepCache ? OPENED.keepCache : 0);
}
