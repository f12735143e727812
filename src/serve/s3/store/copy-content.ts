import fs from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

/** Up to this size a file is copied in one call, in bytes. */
const SMALL = 128 * 1024;

/** How much of a larger one is read at a time, in bytes. */
const CHUNK = 1024 * 1024;

/** Only copies that share the blocks: any other by `copyFile` never ends if the source becomes shorter. */
const CLONE = fs.constants.COPYFILE_FICLONE_FORCE;

/**
 * Copies at most `size` bytes of an open file to an empty one, by sharing the blocks if the file system can, and
 * closes both. Another program may shorten the source at the same time: a caller that needs the whole must check
 * whether it has changed. Rejects as `fs` does; half a copy may be left.
 */
export async function copyContent(from: number, to: number, size: number): Promise<void> {
  if (!(await copyAtOnce(from, to, size))) {
    // The streams close the files.
    await pipeline(
      fs.createReadStream('', { fd: from, start: 0, end: size - 1, highWaterMark: CHUNK }),
      fs.createWriteStream('', { fd: to, start: 0 }),
    );
    return;
  }
  fs.closeSync(from);
  fs.closeSync(to);
}

async function copyAtOnce(from: number, to: number, size: number): Promise<boolean> {
  if (size > SMALL) {
    const clone = copyFile(`/proc/self/fd/${from}`, `/proc/self/fd/${to}`, CLONE);
    return clone.then(
      () => true,
      () => false,
    );
  }
  const data = fs.readFileSync(from).subarray(0, size);
  for (let at = 0; at < data.length; ) at += fs.writeSync(to, data, at);
  return true;
}
