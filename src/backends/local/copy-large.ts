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

/** How much is read at once where the kernel does not copy, in bytes. */
const CHUNK = 4 * 1024 * 1024;

/**
 * Copies a file to a new one at `to` so that it ends soon when `op` is aborted: by sharing the blocks where the file
 * system can, else piece by piece, by the kernel where it can. Throws as `fs` does, `SyncerError` where
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

/** Whether the kernel copied it all. Where it stopped, the files stand where the rest begins. */
async function copyRanges(
  source: number,
  target: number,
  op: Op,
  copyRange: CopyRange | undefined,
): Promise<boolean> {
  if (copyRange === undefined) return false;
  try {
    for (;;) {
      op.signal.throwIfAborted();
      if ((await copyRange(source, target, PIECE)) === 0) return true;
    }
  } catch {
    op.signal.throwIfAborted();
    return false;
  }
}

async function copyChunks(source: number, target: number, op: Op): Promise<void> {
  const chunk = Buffer.allocUnsafeSlow(CHUNK);
  for (;;) {
    op.signal.throwIfAborted();
    const { bytesRead } = await read(source, chunk, 0, CHUNK, null);
    if (bytesRead === 0) return;
    await writeAll(target, chunk.subarray(0, bytesRead));
  }
}
