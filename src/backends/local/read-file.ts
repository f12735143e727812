import fs from 'node:fs';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { BufferPool } from '../../core/buffers.ts';
import { SyncerError } from '../../core/errors.ts';
import type { Body, FileEntry, ReadRange } from '../../core/remote.ts';
import { readAll, readNow } from '../../system/file-bytes.ts';
import { fsPath } from '../../system/fs-path.ts';
import { fsError, showPath } from './fs-error.ts';
import type { LocalDisk } from './local-disk.ts';
import {
  checkUnchanged,
  endedEarly,
  hasLearnedSize,
  longerThanSize,
  sizeToTake,
} from './local-entry.ts';

/** Up to this size a file is read in one call, in bytes. */
export const READ_WHOLE = 64 * 1024;
/** Up to this size a range, which is one part of many, is read in one call, in bytes. */
const WHOLE_RANGE = 16 * 1024 * 1024;
/** How many calls of the system read a small file. */
export const READ_CALLS = 4;

/**
 * The content of a file or range; to its real end if its size is 0 or unknown. Rejects, or the stream fails, with
 * `source-changed` if the file differs from its entry, changes, or is longer than its size.
 */
export async function readFile(
  disk: LocalDisk,
  file: FileEntry,
  range: ReadRange | undefined,
): Promise<Body> {
  const isSmallRead = range === undefined && isSmall(disk, file);
  const native = disk.pathOf(file.path);
  if (disk.isLink(file.path)) {
    let target: Buffer;
    try {
      target = fs.readlinkSync(fsPath(native), 'buffer');
    } catch (thrown) {
      throw fsError(thrown, 'readlink', native);
    }
    const start = range?.offset ?? 0;
    return target.subarray(start, range?.length === undefined ? undefined : start + range.length);
  }
  if (isSmallRead) {
    const content = await disk.pace.run(
      READ_CALLS,
      () => readSmall(disk, file, native),
      () => readSmallInThread(disk, file, native),
    );
    if (content !== undefined) return content;
  }
  const fd = openForReading(native);
  let stream: Readable | undefined;
  try {
    const before = statOpen(fd, native);
    const told = Number(before.size);
    const entry = shownEntry(disk, file, fd, before);
    const mayEnd = told === 0 && entry.size < 0;
    const size = mayEnd ? Number.POSITIVE_INFINITY : sizeToTake(disk, entry, told);
    const start = Math.min(range?.offset ?? 0, size);
    const length = Math.min(range?.length ?? size, size - start);
    const end = start + length;
    const verify = () => {
      if (end === told) verifyEnd(disk, entry, fd, native, end);
      else verifyRead(disk, entry, statOpen(fd, native));
    };
    if (range !== undefined && length > READ_WHOLE && length <= WHOLE_RANGE) {
      const content = await readAll(fd, disk.rangeBuffer(length), start);
      verify();
      return whole(content, length, native);
    }
    if (length > READ_WHOLE || mayEnd) {
      const chunks = chunksOf(disk.streamBuffers, fd, native, { start, length, mayEnd }, verify);
      // A byte stream would copy waiting chunks together.
      stream = Readable.from(chunks, { objectMode: true, highWaterMark: 2 });
      // After a read that is under way. An error says nothing of what was read.
      return stream.once('close', () => fs.close(fd, () => undefined));
    }
    const content = readNow(fd, Buffer.allocUnsafe(length), start);
    verify();
    return whole(content, length, native);
  } catch (thrown) {
    throw fsError(thrown, 'read', native);
  } finally {
    // A stream closes the file itself.
    if (stream === undefined) fs.closeSync(fd);
  }
}

/** See `Capabilities.confirmSize`. */
export async function confirmSize(disk: LocalDisk, file: FileEntry): Promise<FileEntry> {
  if (disk.isLink(file.path)) return file;
  const native = disk.pathOf(file.path);
  const fd = openForReading(native);
  try {
    const entry = shownEntry(disk, file, fd, statOpen(fd, native));
    if (entry.size > 0) verifyEnd(disk, entry, fd, native, entry.size);
    return entry;
  } catch (thrown) {
    throw fsError(thrown, 'read', native);
  } finally {
    fs.closeSync(fd);
  }
}

/**
 * The entry of an open file; its size is unknown if it was 0 but there is content: in /proc, and on file systems that
 * learn a size when the file is opened or read. Throws `source-changed` if the file differs from its entry.
 */
function shownEntry(disk: LocalDisk, file: FileEntry, fd: number, now: fs.BigIntStats): FileEntry {
  const sizeless = { ...file, size: -1 };
  const isLearned = hasLearnedSize(disk, file, now);
  verifyRead(disk, isLearned ? sizeless : file, now);
  const hasContent = file.size === 0 && now.size === 0n && hasMore(fd, 0);
  if (!isLearned && !hasContent) return file;
  disk.readStamps.set(file, undefined);
  return sizeless;
}

/** Throws `source-changed` if an open file differs from its entry, or goes on at `end`, where its size ends. */
export function verifyEnd(
  disk: LocalDisk,
  file: FileEntry,
  fd: number,
  native: string,
  end: number,
): void {
  // Before the look: what a program appends in between changes the size.
  const isLonger = hasMore(fd, end);
  const now = statOpen(fd, native);
  verifyRead(disk, file, now);
  if (isLonger && Number(now.size) <= end) throw longerThanSize(native, end);
}

/** Whether an open file has a byte at `offset`. */
function hasMore(fd: number, offset: number): boolean {
  return fs.readSync(fd, Buffer.allocUnsafe(1), 0, 1, offset) > 0;
}

/** A file for which `isSmall` holds, read to `room`; `undefined` for content of size 0. Throws as `readFile`. */
export function readSmall(
  disk: LocalDisk,
  file: FileEntry,
  native: string,
  room: Buffer = Buffer.allocUnsafe(file.size + 1),
): Buffer | undefined {
  const fd = openForReading(native);
  try {
    let content: Buffer | undefined;
    let now: fs.BigIntStats | undefined;
    try {
      content = readNow(fd, room.subarray(0, file.size + 1), 0, file.size);
    } finally {
      // Its reason comes first: what is no file any more cannot be read either.
      if (file.size > 0 || !hasUntold(file, content)) {
        now = statOpen(fd, native);
        verifyRead(disk, file, now);
      }
    }
    const mayGoOn = file.size > 0 && content.length === file.size;
    if (mayGoOn && now && !disk.wholeReads.areAll(now.dev, fd) && hasMore(fd, file.size))
      throw longerThanSize(native, file.size);
    if (file.size === 0 && hasUntold(file, content)) return undefined;
    return whole(content, file.size, native);
  } catch (thrown) {
    throw fsError(thrown, 'read', native);
  } finally {
    fs.closeSync(fd);
  }
}

/** As `readSmall`, by other threads. */
async function readSmallInThread(disk: LocalDisk, file: FileEntry, native: string) {
  try {
    const opened = await fs.promises.open(fsPath(native), OPEN_FLAGS).catch((thrown) => {
      throw fsError(thrown, 'open', native);
    });
    try {
      let content: Buffer | undefined;
      try {
        content = await readAll(opened.fd, Buffer.allocUnsafe(file.size + 1), 0);
      } finally {
        const now = assertFile(await opened.stat({ bigint: true }), native);
        if (!hasUntold(file, content)) verifyRead(disk, file, now);
      }
      if (hasUntold(file, content)) return undefined;
      return whole(content, file.size, native);
    } finally {
      await opened.close();
    }
  } catch (thrown) {
    throw fsError(thrown, 'read', native);
  }
}

/** The content; throws `source-changed` if it is longer or shorter than it should be. */
function whole(content: Buffer, length: number, native: string): Buffer {
  if (content.length === length) return content;
  throw content.length > length ? longerThanSize(native, length) : endedEarly(native);
}

/** Whether a file has content although its size is 0. */
function hasUntold({ size }: FileEntry, content: Buffer | undefined): boolean {
  return size === 0 && content !== undefined && content.length > 0;
}

/** Whether a file is small, and its content is what it was when it was listed, or none. */
export function isSmall({ settings }: LocalDisk, { size }: FileEntry): boolean {
  return settings.checkUpdated && size >= 0 && size <= READ_WHOLE;
}

/** Keeps what a file was when its content was read, for its stamp. Throws `source-changed` if it has changed. */
export function verifyRead(
  disk: LocalDisk,
  file: FileEntry,
  now: Parameters<typeof checkUnchanged>[2] & Pick<fs.BigIntStats, 'ino' | 'ctimeNs'>,
): void {
  checkUnchanged(disk, file, now);
  disk.readStamps.set(file, { tag: String(now.ino), changedAt: now.ctimeNs });
}

/** For reading, so as not to hang on what has become a pipe since it was listed. */
export const OPEN_FLAGS = fs.constants.O_RDONLY | fs.constants.O_NONBLOCK;

/** Opens a file. Throws `file-not-found`, `access-denied` and so on. */
export function openForReading(native: string): number {
  try {
    return fs.openSync(fsPath(native), OPEN_FLAGS);
  } catch (thrown) {
    throw fsError(thrown, 'open', native);
  }
}

/** The attributes of an open file. Throws `not-a-file` for anything else. */
export function statOpen(fd: number, native: string): fs.BigIntStats {
  return assertFile(fs.fstatSync(fd, { bigint: true }), native);
}

function assertFile(stats: fs.BigIntStats, native: string): fs.BigIntStats {
  if (stats.isFile()) return stats;
  throw new SyncerError('not-a-file', `read ${showPath(native)}: is not a file`, { path: native });
}

/** A part of an open file in chunks, whose buffers come back. Throws `SyncerError`, at the end what `verify` does. */
async function* chunksOf(
  buffers: BufferPool,
  fd: number,
  native: string,
  { start, length, mayEnd }: { start: number; length: number; mayEnd: boolean },
  verify: () => void,
): AsyncGenerator<Buffer> {
  // Not what `destroy` throws in here.
  const fail = (thrown: unknown) => {
    throw fsError(thrown, 'read', native);
  };
  const read = promisify(fs.read);
  for (let done = 0; done < length; ) {
    const most = Math.min(buffers.size, length - done);
    const buffer = most < buffers.size ? Buffer.allocUnsafeSlow(most) : buffers.take();
    const { bytesRead } = await read(fd, buffer, 0, most, start + done).catch(fail);
    if (bytesRead === 0 && mayEnd) break;
    if (bytesRead === 0) throw endedEarly(native);
    done += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
  try {
    verify();
  } catch (thrown) {
    fail(thrown);
  }
}
