import { createHash, hash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';

/** Files up to this size are read at once, in bytes. */
const SMALL = 256 * 1024;

/** MD5 of a file in hexadecimal, read without holding it in memory. */
export async function md5OfFile(path: string | Buffer, size: number): Promise<string> {
  if (size <= SMALL) return hash('md5', readFileSync(path));
  const md5 = createHash('md5');
  for await (const piece of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    md5.update(piece);
  }
  return md5.digest('hex');
}
