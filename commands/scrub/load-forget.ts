import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { nameToBytes } from '../../src/core/name-bytes.ts';
import { type CFunction, loadLibc } from '../../src/system/libc.ts';

/** `POSIX_FADV_DONTNEED` of Linux. */
const DONT_NEED = 4;

/** Makes the system forget the content of a file, so that the next read is one of the disk. Never rejects. */
export type Forget = (path: string) => Promise<void>;

/** `undefined` where the system cannot be asked to. */
export async function loadForget(): Promise<Forget | undefined> {
  if (process.platform !== 'linux') return undefined;
  try {
    const libc = await loadLibc();
    const advise = libc.func('posix_fadvise', 'int', ['int', 'int64_t', 'int64_t', 'int']);
    return (path) => forget(path, advise).catch(() => {});
  } catch {
    return undefined;
  }
}

async function forget(path: string, advise: CFunction): Promise<void> {
  // What is no file any more must not be waited for.
  const file = await open(nameToBytes(path), constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    await new Promise<void>((resolve) => advise.async(file.fd, 0, 0, DONT_NEED, () => resolve()));
  } finally {
    await file.close();
  }
}
