import fs from 'node:fs';
import { promisify } from 'node:util';
import type { Op } from '../../core/remote.ts';
import { COPY_PIECE, type CopyRange, loadCopyRange } from '../../system/copy-range.ts';
import { writeAll, writeNow } from '../../system/file-bytes.ts';
import { fsPath } from '../../system/fs-path.ts';
import { isFsError } from './fs-error.ts';
import { parentOf } from './local-entry.ts';
import { openForReading } from './read-file.ts';

const read = promisify(fs.read);
/** How much is read at a time if the kernel does not copy, in bytes. */
const CHUNK = 4 * 1024 * 1024;
/** The same for a synchronous copy, in bytes. */
const CHUNK_NOW = 1024 * 1024;

/** Copies a file to a new one, in pieces, so that an abort ends it soon; half a copy may be left. Throws as `fs`. */
export async function copyContent(
  from: string,
  to: string,
  mode: number,
  op: Op,
  loadRange: () => Promise<CopyRange | undefined> = loadCopyRange,
): Promise<void> {
  const copyRange = await loadRange();
  const first = openPair(from, to, 'wx', mode);
  const { source, target } = first;
  try {
    const { size } = fs.fstatSync(source);
    // What the kernel copied before it failed was reported already.
    let reported = 0;
    const report = (bytes: number) => {
      if (bytes <= reported) return;
      op.onCopied?.(bytes - reported);
      reported = bytes;
    };
    const open = () => openPair(from, to);
    const byKernel =
      copyRange !== undefined && (await copyRanges(open, size, op, copyRange, report));
    let at = byKernel ? size : 0;
    // And a byte of what a file of this size cannot have.
    const chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK, size + 1 - at));
    while (at <= size) {
      op.signal.throwIfAborted();
      const { bytesRead } = await read(source, chunk, 0, Math.min(CHUNK, size + 1 - at), at);
      if (bytesRead === 0) {
        // The caller notices a shorter source by comparing sizes: nothing after its end may be left.
        if (at < size) fs.ftruncateSync(target, at);
        break;
      }
      await writeAll(target, chunk.subarray(0, bytesRead), at);
      at += bytesRead;
      report(at);
    }
  } finally {
    closePair(first);
  }
}

/** The same synchronously, for a small file. */
export function copyContentNow(from: string, to: string, mode: number): void {
  const pair = openPair(from, to, 'wx', mode);
  try {
    const { size } = fs.fstatSync(pair.source);
    chunkNow ??= Buffer.allocUnsafeSlow(CHUNK_NOW);
    const chunk = chunkNow;
    for (let at = 0; at <= size; ) {
      const length = fs.readSync(pair.source, chunk, 0, Math.min(CHUNK_NOW, size + 1 - at), at);
      if (length === 0) break;
      writeNow(pair.target, chunk.subarray(0, length), at);
      at += length;
    }
  } finally {
    closePair(pair);
  }
}

let chunkNow: Buffer | undefined;

type Pair = ReturnType<typeof openPair>;

function openPair(from: string, to: string, flags = 'r+', mode?: number) {
  const source = openForReading(from);
  try {
    return { source, target: fs.openSync(fsPath(to), flags, mode) };
  } catch (thrown) {
    fs.closeSync(source);
    throw thrown;
  }
}

function closePair({ source, target }: Pair): void {
  fs.closeSync(source);
  fs.closeSync(target);
}

/** Whether the kernel copied it all. */
async function copyRanges(
  open: () => Pair,
  size: number,
  op: Op,
  copyRange: CopyRange,
  report: (bytes: number) => void,
): Promise<boolean> {
  let next = 0;
  let done = 0;
  let hasFailed = false;
  const copyInTurn = async () => {
    const pair = open();
    try {
      while (next < size) {
        const from = next;
        next += COPY_PIECE;
        const end = Math.min(size, next);
        for (let at = from; at < end; ) {
          if (hasFailed || op.signal.aborted) return;
          const copied = await copyRange(pair.source, pair.target, at, end - at);
          // The source became shorter, or the kernel cannot copy it and does not report that: reading finds out.
          if (copied <= 0) throw new Error('nothing was copied');
          at += copied;
          done += copied;
          report(done);
        }
      }
    } catch {
      hasFailed = true;
    } finally {
      closePair(pair);
    }
  };
  // One processor alone does not copy as fast as memory and disks can.
  const atOnce = Math.min(2, Math.ceil(size / COPY_PIECE));
  await Promise.all(Array.from({ length: atOnce }, copyInTurn));
  op.signal.throwIfAborted();
  return !hasFailed;
}

const { COPYFILE_EXCL, COPYFILE_FICLONE_FORCE } = fs.constants;

/** Whether the file system made a copy that shares the blocks. A failure shows again when bytes are copied. */
export async function cloned(from: string, to: string): Promise<boolean> {
  const pair = `${parentOf(from)}\0${parentOf(to)}`;
  if (unclonable.has(pair)) return false;
  try {
    // Only to share blocks: any other copy by `copyFile` never ends if the source becomes shorter.
    const mode = COPYFILE_EXCL | COPYFILE_FICLONE_FORCE;
    await fs.promises.copyFile(fsPath(from), fsPath(to), mode);
    return true;
  } catch (thrown) {
    if (isFsError(thrown, 'ENOTSUP', 'EOPNOTSUPP', 'EXDEV', 'EINVAL', 'ENOTTY', 'ENOSYS')) {
      if (unclonable.size >= 64) unclonable.clear();
      unclonable.add(pair);
    }
    return false;
  }
}

/** Pairs of directories between which no blocks can be shared, so that it is not tried for each of their files. */
const unclonable = new Set<string>();
