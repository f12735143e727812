import fs from 'node:fs';
import { bodyChunks, collectBody } from '../../core/body.ts';
import type { WriteRanges } from '../../core/entry-details.ts';
import { SyncerError } from '../../core/errors.ts';
import type { Hashes } from '../../core/hash-names.ts';
import type { Body, FileEntry, Op, WriteSource } from '../../core/remote.ts';
import { checkWhole, contentCheck } from '../../hashes/content-hasher.ts';
import { writeAll, writeNow } from '../../system/file-bytes.ts';
import { fsPath } from '../../system/fs-path.ts';
import { commitPartial, openNew, type PartialFile, refuseDirectory } from './commit-partial.ts';
import { fsError } from './fs-error.ts';
import { writeKept } from './kept-download.ts';
import type { LocalDisk } from './local-disk.ts';
import { targetOf, withHashes } from './local-entry.ts';
import { discard, withParents } from './partial-file.ts';
import { isQuickTarget, quickly } from './small-copies.ts';
import {
  readBack,
  STREAM_MEMORY,
  type WriteProgress,
  writeBody,
  writeParts,
} from './write-parts.ts';

/** Up to this size a Buffer is written synchronously, in bytes. */
const LARGEST_BURST = 1024 * 1024;

/** See `Remote.write`. */
export async function writeFile(disk: LocalDisk, source: WriteSource, op: Op): Promise<FileEntry> {
  op.signal.throwIfAborted();
  const target = targetOf(disk, source.path);
  // If a directory has the name of a small file, the final rename reports it.
  if (source.size === undefined || source.size > LARGEST_BURST) refuseDirectory(disk, target);
  if (disk.isLink(source.path)) return writeLink(disk, source, target, op);
  const { size, fetch } = source;
  if (fetch !== undefined && size !== undefined && size > 0) {
    const partial = { path: disk.newPartial(target), target };
    const fill = async (fd: number) => {
      if (!(await fetch(partial.path, op))) return writeStream(fd, source, op);
      // The content is proved; its size shows that this is the file.
      const found = fs.fstatSync(fd).size;
      if (found === size) return {};
      const text = `${source.path}: got ${found} bytes instead of ${size}`;
      throw new SyncerError('corrupted', text, { path: source.path, trueSize: found });
    };
    return fillPartial(disk, source, partial, fill, op, size);
  }
  const { from, count } = source.ranges ?? rangesOf(disk);
  const inParts = source.seekable && size !== undefined && size > 0 && size >= from && count > 1;
  const { downloads } = disk;
  const isLarge = downloads !== undefined && size !== undefined && size >= downloads.from;
  const streams = inParts ? count : 1;
  if (isLarge) {
    const sized = { ...source, size };
    const fill = (fd: number, progress: WriteProgress) =>
      streams > 1
        ? writeParts(sized, streams, fd, disk, op, progress)
        : writeStream(fd, source, op, { progress });
    const kept = await writeKept(disk, downloads, sized, target, streams, op, fill);
    if (kept !== undefined) return kept;
  }
  const partial = { path: disk.newPartial(target), target };
  if (inParts) {
    const fill = (fd: number) => writeParts({ ...source, size }, count, fd, disk, op);
    return fillPartial(disk, source, partial, fill, op);
  }
  const body = await source.open(undefined, op);
  if (Buffer.isBuffer(body)) return writeBuffer(disk, source, partial, body, op);
  try {
    const fill = (fd: number) => writeStream(fd, source, op, { body });
    return await fillPartial(disk, source, partial, fill, op);
  } finally {
    body.destroy();
  }
}

/** See `Capabilities.writeMemory`. */
export function writeMemory(
  disk: LocalDisk,
  { size, seekable, ranges = rangesOf(disk) }: WriteSource,
): { readonly least: number; readonly most: number } {
  const least = Math.min(STREAM_MEMORY, size ?? STREAM_MEMORY);
  const isInParts = seekable && size !== undefined && size >= ranges.from;
  return { least, most: isInParts ? least * Math.max(1, ranges.count) : least };
}

function rangesOf({ settings }: LocalDisk): WriteRanges {
  return { from: settings.partsFrom, count: settings.parts };
}

/** Writes the source, or its open `body`, after the bytes of an earlier run; resolves to the known hashes. */
async function writeStream(
  fd: number,
  source: WriteSource,
  op: Op,
  opened: { readonly body?: Body; readonly progress?: WriteProgress } = {},
): Promise<Hashes> {
  const { progress } = opened;
  const check = contentCheck(source);
  const come = (chunk: Buffer) => check.update(chunk);
  const written = (_offset: number, bytes: number) => progress?.written(0, bytes);
  const offset = progress?.done(0) ?? 0;
  if (offset > 0) await readBack(fd, { offset: 0, length: offset }, op.signal, come);
  if (offset === 0 || offset !== source.size) {
    const range = offset === 0 ? undefined : { offset, continues: true };
    const body = opened.body ?? (await source.open(range, op));
    await writeBody(fd, bodyChunks(body, op.signal), offset, { come, written });
  }
  return check.finish().hashes;
}

async function fillPartial(
  disk: LocalDisk,
  source: WriteSource,
  partial: PartialFile,
  fill: (fd: number) => Promise<Hashes>,
  op: Op,
  size?: number,
): Promise<FileEntry> {
  const fd = disk.pace.here(2, () => openNew(partial, source, op));
  disk.writing.set(partial.path, partial.path);
  try {
    let hashes: Hashes;
    try {
      hashes = await fill(fd);
      op.signal.throwIfAborted();
    } finally {
      fs.closeSync(fd);
    }
    return await commitPartial(disk, partial, source, hashes, op, size);
  } catch (thrown) {
    discard(disk.writing.get(partial.path) ?? partial.path);
    op.signal.throwIfAborted();
    throw fsError(thrown, 'write', partial.target);
  } finally {
    disk.writing.delete(partial.path);
  }
}

/** A whole buffer: a small file is written as a small copy or synchronously, which is several times faster. */
async function writeBuffer(
  disk: LocalDisk,
  source: WriteSource,
  partial: PartialFile,
  content: Buffer,
  op: Op,
): Promise<FileEntry> {
  const { hashes } = checkWhole(source, content);
  const { path, modTime, metadata } = source;
  const size = content.length;
  if (modTime !== undefined && metadata === undefined && isQuickTarget(disk, size, op)) {
    const { path: temporary, target } = partial;
    const copy = { source: content, partial: temporary, target, size, modTime };
    if (await quickly(disk, copy, op, false))
      return withHashes(disk.keptTimes.written(path, target, size, modTime), hashes);
    op.signal.throwIfAborted();
  }
  await disk.turns.take();
  const fill = async (fd: number) => {
    if (size > LARGEST_BURST) await writeAll(fd, content);
    else if (size > 0) writeNow(fd, content, 0);
    return hashes;
  };
  return fillPartial(disk, source, partial, fill, op, size);
}

async function writeLink(disk: LocalDisk, source: WriteSource, target: string, op: Op) {
  const content = await collectBody(await source.open(undefined, op), op.signal);
  const check = contentCheck(source);
  check.update(content);
  const { hashes } = check.finish();
  const partial = { path: disk.newPartial(target), target };
  try {
    withParents(partial.path, () => fs.symlinkSync(content, fsPath(partial.path)));
    return await commitPartial(disk, partial, source, hashes, op);
  } catch (thrown) {
    discard(partial.path);
    throw fsError(thrown, 'symlink', target);
  }
}
