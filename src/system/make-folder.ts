import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a directory and its parents, new ones with `mode`; existing ones are fine. Throws Node's errors. Node's
 * recursive `mkdir` never ends in a directory that accepts none (`/proc`).
 */
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

/** As `makeFolderSync`; rejects where that throws. */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  makeFolderSync(path, mode);
}
