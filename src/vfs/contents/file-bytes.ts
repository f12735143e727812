import fs from 'node:fs';

/**
 * Fills `buffer` from an open file, from `filled` on; gives less only at its end. Rejects with errors of the file system.
 *
 * @param offset in the file, of the begin of the buffer
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

/** As `writeBytes`, at once. Throws errors of the file system. */
export function writeBytesNow(fd: number, offset: number, data: Uint8Array): void {
  for (let done = 0; done < data.length; ) {
    done += fs.writeSync(fd, data, done, data.length - done, offset + done);
  }
}

/** A file gets another content. Rejects with errors of the file system. */
export async function replaceContent(fd: number, content: Uint8Array): Promise<void> {
  await ftruncate(fd, 0);
  await writeBytes(fd, 0, content);
}

/** The descriptor of a file that is opened. Rejects with errors of the file system. */
export function openFd(path: string, flags: number): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.open(path, flags, 0o600, (error, fd) => (error === null ? resolve(fd) : reject(error)));
  });
}

/** Rejects with errors of the file system. */
export function ftruncate(fd: number, size: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fs.ftruncate(fd, size, (error) => (error === null ? resolve() : reject(error)));
  });
}

/** What was written to the file is on the disk. Rejects with errors of the file system. */
export function syncFd(fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fs.fdatasync(fd, (error) => (error === null ? resolve() : reject(error)));
  });
}

/** Rejects with errors of the file system. */
export function closeFd(fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fs.close(fd, (error) => (error ? reject(error) : resolve()));
  });
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
