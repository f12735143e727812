import fs from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

/** Up to this size a file is copied at once, in bytes. */
const SMALL = 128 * 1024;

/** How much is read at once of a larger one, in bytes. */
const CHUNK = 1024 * 1024;

/** Only copies that share the blocks: any other of `copyFile` never ends where the source becomes shorter meanwhile. */
const CLONE = fs.constants.COPYFILE_FICLONE_FORCE;

/**
 * Copies at most `size` bytes of a file to another, whose content goes, by sharing the blocks where the file system can. Another program
 * may shorten the source meanwhile: whoever wants the whole must look whether it has changed. Rejects as `fs` does; half
 * a copy may be left.
 */
export async function copyContent(from: fs.PathLike, to: string, size: number): Promise<void> {
  if (size <= SMALL) {
    fs.writeFileSync(to, fs.readFileSync(from).subarray(0, size));
    return;
  }
  const isCloned = await copyFile(from, to, CLONE).then(
    () => true,
    () => false,
  );
  if (isCloned) return;
  await pipeline(
    fs.createReadStream(from, { end: size - 1, highWaterMark: CHUNK }),
    fs.createWriteStream(to),
  );
}
