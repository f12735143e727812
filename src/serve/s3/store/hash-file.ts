import { createHash, hash } from 'node:crypto';
import { closeSync, createReadStream, readFileSync } from 'node:fs';

/** Files up to this size are read at once, in bytes. */
const SMALL = 256 * 1024;

/** MD5 of an open file in hexadecimal, read without holding it in memory. Closes it. */
export async function md5OfFile(fd: number, size: number): Promise<string> {
  if (size <= SMALL) {
    try {
      return hash('md5', readFileSync(fd));
    } finally {
      closeSync(fd);
    }
  }
  const md5 = createHash('md5');
  for await (const piece of createReadStream('', { fd, start: 0, highWaterMark: 1024 * 1024 })) {
    md5.update(piece);
  }
  return md5.digest('hex');
}
