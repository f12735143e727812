import fs from 'node:fs';
import { promisify } from 'node:util';
import type { Op } from '../../core/remote.ts';
import { type CopyRange, loadCopyRange } from './copy-range.ts';
import { isFsError } from './fs-error.ts';
import { fsPath } from './fs-path.ts';
import { parentOf } from './partial-file.ts';
import { openForReading } from './read-file.ts';
import { writeAll, writeNow } from './write-all.ts';

const read = promisify(fs.read);

/** How much the kernel copies in one go, in bytes: a copy can be stopped only between two of them. */
const PIECE = 32 * 1024 * 1024;

/** At most so many pieces at once: one processor alone does not copy as fast as memory and disks can. */
const AT_ONCE = 2;

/** How much is read at once where the kernel does not copy, in bytes. */
const CHUNK = 4 * 1024 * 1024;

/** The same in one turn, in bytes. */
const CHUNK_NOW = 1024 * 1024;

/** Of so many pairs of directories it is kept that they share no blocks. */
const MOST_PAIRS = 64;

const { COPYFILE_EXCL, COPYFILE_FICLONE_FORCE } = fs.constants;

/** Only copies that share the blocks: any other of `copyFile` never ends where the source becomes shorter meanwhile. */
const CLONE = COPYFILE_EXCL | COPYFILE_FICLONE_FORCE;

/**
 * Copies a file to a new one at `to` so that it ends soon when `op` is aborted: by sharing the blocks where the file
 * system can, else in pieces, by the kernel where it can. Of a source that becomes shorter or longer meanwhile a part is
 * copied. Throws as `fs` does, `SyncerError` where the source cannot be opened, the signal's reason where aborted; half a
 * copy may be left at `to`.
 */
export async function copyContent(
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
    const { size } = fs.fstatSync(first.source);
    const byKernel = copyRange !== undefined && (await copyRanges(open, size, op, copyRange));
    if (!byKernel) await copyChunks(first, size, op);
  } finally {
    closePair(first);
  }
}

/** The same at once, for a file that takes no time worth mentioning. */
export function copyContentNow(from: string, to: string): void {
  if (clonedNow(from, to)) return;
  const pair = openPair(from, to, 'wx');
  try {
    const { size } = fs.fstatSync(pair.source);
    chunkNow ??= Buffer.allocUnsafeSlow(CHUNK_NOW);
    const chunk = chunkNow;
    for (let at = 0; at < size; ) {
      const length = fs.readSync(pair.source, chunk, 0, Math.min(CHUNK_NOW, size - at), at);
      if (length === 0) return;
      writeNow(pair.target, chunk.subarray(0, length), at);
      at += length;
    }
  } finally {
    closePair(pair);
  }
}

let chunkNow: Buffer | undefined;

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
  if (isUnclonable(from, to)) return false;
  try {
    await fs.promises.copyFile(fsPath(from), fsPath(to), CLONE);
    return true;
  } catch (thrown) {
    noteUnclonable(from, to, thrown);
    return false;
  }
}

function clonedNow(from: string, to: string): boolean {
  if (isUnclonable(from, to)) return false;
  try {
    fs.copyFileSync(fsPath(from), fsPath(to), CLONE);
    return true;
  } catch (thrown) {
    noteUnclonable(from, to, thrown);
    return false;
  }
}

/** Pairs of directories between which no blocks can be shared, so that it is not tried for each of their files. */
const unclonable = new Set<string>();

const pairOf = (from: string, to: string) => `${parentOf(from)}\0${parentOf(to)}`;

function isUnclonable(from: string, to: string): boolean {
  return unclonable.size > 0 && unclonable.has(pairOf(from, to));
}

function noteUnclonable(from: string, to: string, thrown: unknown): void {
  if (!isFsError(thrown, 'ENOTSUP', 'EOPNOTSUPP', 'EXDEV', 'EINVAL', 'ENOTTY', 'ENOSYS')) return;
  if (unclonable.size >= MOST_PAIRS) unclonable.clear();
  unclonable.add(pairOf(from, to));
}

/** Whether the kernel copied it all. */
async function copyRanges(
  open: () => Pair,
  size: number,
  op: Op,
  copyRange: CopyRange,
): Promise<boolean> {
  let next = 0;
  let hasFailed = false;
  const copyPieces = async ({ source, target }: Pair) => {
    while (next < size) {
      const from = next;
      next += PIECE;
      const end = Math.min(size, next);
      for (let at = from; at < end; ) {
        if (hasFailed || op.signal.aborted) return;
        const copied = await copyRange(source, target, at, end - at);
        // The source became shorter, or the kernel cannot do it here and does not say so: reading finds out.
        if (copied <= 0) throw new Error('nothing was copied');
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
  const atOnce = Math.min(AT_ONCE, Math.ceil(size / PIECE));
  await Promise.all(Array.from({ length: atOnce }, copyInTurn));
  op.signal.throwIfAborted();
  return !hasFailed;
}

async function copyChunks({ source, target }: Pair, size: number, op: Op): Promise<void> {
  const chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK, size));
  for (let at = 0; at < size; ) {
    op.signal.throwIfAborted();
    const { bytesRead } = await read(source, chunk, 0, Math.min(CHUNK, size - at), at);
    // A source that became shorter is noticed by who compares the sizes: nothing behind this may be left.
    if (bytesRead === 0) return fs.ftruncateSync(target, at);
    await writeAll(target, chunk.subarray(0, bytesRead), at);
    at += bytesRead;
  }
}
