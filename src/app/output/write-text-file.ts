import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SyncerError } from '../../core/errors.ts';
import { makeFolder } from '../../files/make-folder.ts';

/** Writes a file that was asked for by name, and makes its folder. Rejects with `other` where that cannot be. */
export async function writeTextFile(path: string, text: string): Promise<void> {
  try {
    await makeFolder(dirname(path));
    await writeFile(path, text);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw new SyncerError('other', `${path} cannot be written: ${code}`, { path, cause });
  }
}
