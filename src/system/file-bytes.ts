import fs from 'node:fs';
import { promisify } from 'node:util';

const read = promisify(fs.read);
const write = promisify(fs.write);

/**
 * Fills `buffer`, from `filled` on, from an open file; `position` belongs to the start of the buffer. Less only at the
 * end of the file. Rejects with errors of the file system, as all here.
 */
export async function readAll(
  fd: number,
  buffer: Buffer,
  position: number,
  filled = 0,
): Promise<Buffer> {
  let end = filled;
  while (end < buffer.length) {
    const { bytesRead } = await read(fd, buffer, end, buffer.length - end, position + end);
    if (bytesRead === 0) break;
    end += bytesRead;
  }
  return buffer.subarray(0, end);
}

/** Writes all bytes, in several calls if necessary; at `position`, else at the file's position. */
export async function writeAll(fd: number, bytes: Uint8Array, position?: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const where = position === undefined ? null : position + at;
    const { bytesWritten } = await write(fd, bytes, at, bytes.length - at, where);
    at += taken(bytesWritten);
  }
}

/** As `readAll` synchronously, for a few bytes. Also ends where reads have come to `expected` bytes. */
export function readNow(
  fd: number,
  buffer: Buffer,
  position: number,
  expected = buffer.length,
): Buffer {
  let end = 0;
  while (end < buffer.length) {
    const bytesRead = fs.readSync(fd, buffer, end, buffer.length - end, position + end);
    if (bytesRead === 0) break;
    end += bytesRead;
    if (end === expected) break;
  }
  return buffer.subarray(0, end);
}

/** As `writeAll` synchronously, for a few bytes. */
export function writeNow(fd: number, bytes: Uint8Array, position?: number): void {
  for (let at = 0; at < bytes.length; ) {
    const where = position === undefined ? null : position + at;
    at += taken(fs.writeSync(fd, bytes, at, bytes.length - at, where));
  }
}

/** A system that accepts nothing without an error would be called forever. */
function taken(bytes: number): number {
  if (bytes > 0) return bytes;
  throw Object.assign(new Error('i/o error: nothing was written'), { code: 'EIO' });
}
