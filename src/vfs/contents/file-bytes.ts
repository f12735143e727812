import fs from 'node:fs';

/** Fills `buffer` from an open file; gives less only at its end. Rejects with errors of the file system. */
export async function readBytes(fd: number, offset: number, buffer: Buffer): Promise<Buffer> {
  const { length } = buffer;
  let filled = 0;
  while (filled < length) {
    const count = await readOnce(fd, buffer, filled, offset + filled);
    if (count === 0) break;
    filled += count;
  }
  return filled === length ? buffer : buffer.subarray(0, filled);
}

/** Writes all bytes of `data` at `offset`. Rejects with errors of the file system. */
export async function writeBytes(fd: number, offset: number, data: Uint8Array): Promise<void> {
  for (let done = 0; done < data.length; ) {
    done += await writeOnce(fd, data, done, offset + done);
  }
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
