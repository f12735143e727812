import fs from 'node:fs';
import { promisify } from 'node:util';
import type { Op } from '../../core/remote.ts';
import { type CopyRange, loadCopyRange } from './copy-range.ts';
import { fsPath } from './fs-path.ts';
import { openForReading } from './read-file.ts';
import { writeAll } from './write-all.ts';

const read = promisify(fs.read);

/** How much the kernel copies in one go, in bytes: a copy can be stopped only between two of them. */
const PIECE = 32 * 1024 * 1024;

/** So many pieces at once: one processor alone does not copy as fast as memory and disks can. */
const AT_ONCE = 2;

/** How much is read at once where the kernel does not copy, in bytes. */
const CHUNK = 4 * 1024 * 1024;

/**
 * Copies a file to a new one at `to` so that it ends soon when `op` is aborted: by sharing the blocks where the file
 * system can, else in pieces, by the kernel where it can. Throws as `fs` does, `SyncerError` where
 * the source cannot be opened, the signal's reason where aborted; half a copy may be left at `to`.
 */
export async function copyLarge(
  from: string,
  to: string,
  op: Op,
  loadRange: () => Promise<CopyRange | undefined> = loadCopyRange,
): Promise<void> {
  if (await cloned(from, to)) return;
  const source = openForReading(from);
  try {
    const target = fs.openSync(fsPath(to), 'wx', 0o600);
    try {
      const byKernel = await copyRanges(source, target, op, await loadRange());
      if (!byKernel) await copyChunks(source, target, op);
    } finally {
      fs.closeSync(target);
    }
  } finally {
    fs.closeSync(source);
  }
}

/** Whether the file system made a copy that shares the blocks. Any failure shows again when the bytes are copied. */
async function cloned(from: string, to: string): Promise<boolean> {
  const { COPYFILE_EXCL, COPYFILE_FICLONE_FORCE } = fs.constants;
  try {
    await fs.promises.copyFile(fsPath(from), fsPath(to), COPYFILE_EXCL | COPYFILE_FICLONE_FORCE);
    return true;
  } catch {
    return false;
  }
}

/** Whether the kernel copied it all. */
async function copyRanges(
  source: number,
  target: number,
  op: Op,
  copyRange: CopyRange | undefined,
): Promise<boolean> {
  if (copyRange === undefined) return false;
  const { size } = fs.fstatSync(source);
  let next = 0;
  let hasFailed = false;
  const copyPieces = async () => {
    while (next < size && !hasFailed && !op.signal.aborted) {
      const from = next;
      next += PIECE;
      const end = Math.min(size, next);
      for (let at = from; at < end && !hasFailed && !op.signal.aborted; ) {
        const copied = await copyRange(source, target, at, end - at);
        // A source that became shorter is noticed by who compares the sizes.
        if (copied === 0) break;
        at += copied;
      }
    }
  };
  const noticing = () =>
    copyPieces().catch(() => {
      hasFailed = true;
    });
  // All must have ended before the files are closed.
  await Promise.all(Array.from({ length: AT_ONCE }, noticing));
  op.signal.throwIfAborted();
  return !hasFailed;
}

async function copyChunks(source: number, target: number, op: Op): Promise<void> {
  const chunk = Buffer.allocUnsafeSlow(CHUNK);
  for (let at = 0; ; ) {
    op.signal.throwIfAborted();
    const { bytesRead } = await read(source, chunk, 0, CHUNK, at);
    if (bytesRead === 0) return;
    await writeAll(target, chunk.subarray(0, bytesRead), at);
    at += bytesRead;
  }
}
