import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a directory and its parents, new ones with `mode`; existing ones are fine. Rejects with Node's errors. Node's
 * recursive `mkdir` never ends in a directory that accepts none (`/proc`).
 */
export async function makeFolder(path: string, mode?: number, isAgain = false): Promise<void> {
  try {
    await mkdir(path, mode);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    const parent = dirname(path);
    if (code === 'ENOENT' && !isAgain && parent !== path) {
      await makeFolder(parent, mode);
      await makeFolder(path, mode, true);
    } else if (code !== 'EEXIST' || !(await stat(path)).isDirectory()) throw thrown;
  }
}

/** As `makeFolder`, synchronously. */
export function makeFolderSync(path: string, mode?: number, isAgain = false): void {
  try {
    mkdirSync(path, mode);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    const parent = dirname(path);
    if (code === 'ENOENT' && !isAgain && parent !== path) {
      makeFolderSync(parent, mode);
      makeFolderSync(path, mode, true);
    } else if (code !== 'EEXIST' || !statSync(path).isDirectory()) throw thrown;
  }
}
