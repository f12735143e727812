import type { Space } from '../../vfs/mount-ops.ts';
import type { ReplyBuffer } from './reply-buffer.ts';

/** Bytes of `struct fuse_kstatfs`. */
export const SPACE_SIZE = 80;

/** Writes `struct fuse_kstatfs`. As many files as there are can be made once more, and at least a billion. */
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
