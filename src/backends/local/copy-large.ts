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
  const copyRange = await loadRange();
  const open = () => openPair(from, to);
  const first = openPair(from, to, 'wx');
  try {
    const byKernel = copyRange !== undefined && (await copyRanges(open, op, copyRange));
    if (!byKernel) await copyChunks(first, op);
  } finally {
    closePair(first);
  }
}

/** Both files of a copy, open. */
interface Pair {
  readonly source: number;
  readonly target: number;
}

function openPair(from: string, to: string, flags = 'r+'): Pair {
  const source = openForReading(from);
  try {
    return { source, target: fs.openSync(fsPath(to), flags, 0o600) };
  } catch (thrown) {
    fs.closeSync(source);
    throw thrown;
  }
}

function closePair({ source, target }: Pair): void {
  fs.closeSync(source);
  fs.closeSync(target);
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
async function copyRanges(open: () => Pair, op: Op, copyRange: CopyRange): Promise<boolean> {
  let next = 0;
  let hasFailed = false;
  const copyPieces = async ({ source, target }: Pair) => {
    const { size } = fs.fstatSync(source);
    while (next < size) {
      const from = next;
      next += PIECE;
      const end = Math.min(size, next);
      for (let at = from; at < end; ) {
        if (hasFailed || op.signal.aborted) return;
        const copied = await copyRange(source, target, at, end - at);
        // A source that became shorter is noticed by who compares the sizes.
        if (copied === 0) break;
        at += copied;
      }
    }
  };
  const copyInTurn = async () => {
    const pair = open();
    try {
      await copyPieces(pair);
    } catch {
      hasFailed = true;
    } finally {
      closePair(pair);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, copyInTurn));
  op.signal.throwIfAborted();
  return !hasFailed;
}

async function copyChunks({ source, target }: Pair, op: Op): Promise<void> {
  const chunk = Buffer.allocUnsafeSlow(CHUNK);
  for (let at = 0; ; ) {
    op.signal.throwIfAborted();
    const { bytesRead } = await read(source, chunk, 0, CHUNK, at);
    if (bytesRead === 0) return;
    await writeAll(target, chunk.subarray(0, bytesRead), at);
    at += bytesRead;
  }
}
