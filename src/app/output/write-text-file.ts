import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SyncerError } from '../../core/errors.ts';
import { makeFolder } from '../../files/make-folder.ts';
import { goErrno } from '../../go/go-errno.ts';

/** Writes a file and creates its directory. Rejects with `other` on failure. */
export async function writeTextFile(path: string, text: string): Promise<void> {
  try {
    await makeFolder(dirname(path));
    await writeFile(path, text);
  } catch (cause) {
    throw new SyncerError('other', `${path} cannot be written: ${goErrno(cause)}`, { path, cause });
  }
}
