import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';

// Without `O_NONBLOCK`, opening a pipe would wait for its other side, and nothing could end that.
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * The bytes of a file that may not be a pipe or a device. Rejects with an error of the file system, or a similar one.
 */
export async function readRegularFile(path: string): Promise<Buffer> {
  const file = await open(path, FLAGS);
  try {
    refuseIrregular(await file.stat());
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** The same, synchronously. */
export function readRegularFileSync(path: string): Buffer {
  const fd = openSync(path, FLAGS);
  try {
    refuseIrregular(fstatSync(fd));
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** The system itself reports reading a directory. */
function refuseIrregular(stats: Stats): void {
  if (stats.isFile() || stats.isDirectory()) return;
  throw Object.assign(new Error('it is not a regular file'), { code: 'ENODEV' });
}
