import fs from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from '../../system/make-folder.ts';

/** Rejects with errors of the file system. */
export const closeFd: (fd: number) => Promise<void> = promisify(fs.close);
/** Rejects with errors of the file system. */
export const ftruncate: (fd: number, size: number) => Promise<void> = promisify(fs.ftruncate);
/** Resolves when what was written to the file is on disk. Rejects with errors of the file system. */
export const syncFd: (fd: number) => Promise<void> = promisify(fs.fdatasync);
/** Opens a file; resolves to its descriptor. Rejects with errors of the file system. */
export const openFd: (path: string, flags: number, mode: number) => Promise<number> = promisify(
  fs.open,
);

/** As `openFd`; creates the directory of the file if it was deleted. */
export async function openInFolder(path: string, flags: number, mode: number): Promise<number> {
  try {
    return await openFd(path, flags, mode);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
    await makeFolder(dirname(path), 0o700);
    return openFd(path, flags, mode);
  }
}

/** As `openFd`, synchronously; `undefined` if the directory of the file was deleted. */
export function openNow(path: string, flags: number, mode: number): number | undefined {
  try {
    return fs.openSync(path, flags, mode);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw thrown;
  }
}

/**
 * Fills `buffer`, from `filled` on, from an open file; `offset` belongs to the start of the buffer. Less only at the
 * end of the file. Rejects with errors of the file system.
 */
export async function readBytes(
  fd: number,
  offset: number,
  buffer: Buffer,
  filled = 0,
): Promise<Buffer> {
  const { length } = buffer;
  let end = filled;
  while (end < length) {
    const count = await readOnce(fd, buffer, end, offset + end);
    if (count === 0) break;
    end += count;
  }
  return end === length ? buffer : buffer.subarray(0, end);
}

/** Writes all bytes of `data` at `offset`. Rejects with errors of the file system. */
export async function writeBytes(fd: number, offset: number, data: Uint8Array): Promise<void> {
  for (let done = 0; done < data.length; ) {
    done += await writeOnce(fd, data, done, offset + done);
  }
}

/** As `writeBytes`, synchronously. Throws errors of the file system. */
export function writeBytesNow(fd: number, offset: number, data: Uint8Array): void {
  for (let done = 0; done < data.length; ) {
    done += fs.writeSync(fd, data, done, data.length - done, offset + done);
  }
}

/** The size of an open file, in bytes. Rejects with errors of the file system. */
export function sizeOf(fd: number): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.fstat(fd, (error, found) => (error === null ? resolve(found.size) : reject(error)));
  });
}

function readOnce(fd: number, buffer: Buffer, at: number, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.read(fd, buffer, at, buffer.length - at, position, (error, count) => {
      if (error === null) resolve(count);
      else reject(error);
    });
  });
}

function writeOnce(fd: number, data: Uint8Array, at: number, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.write(fd, data, at, data.length - at, position, (error, count) => {
      if (error === null) resolve(count);
      else reject(error);
    });
  });
}

/** Syncs the bytes of a file to disk; `false` if that is impossible. */
export async function syncFile(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'r');
    try {
      await file.datasync();
      return true;
    } finally {
      await file.close();
    }
  } catch {
    return false;
  }
}
