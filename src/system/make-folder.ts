import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a directory and its parents, new ones with `mode`; existing ones are fine. Rejects with Node's errors. Node's
 * recursive `mkdir` never ends in a directory that accepts none (`/proc`).
 */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  const once = () =>
    mkdir(path, mode).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST' || !(await stat(path)).isDirectory()) throw error;
    });
  try {
    await once();
  } catch (thrown) {
    if (!lacksParent(thrown, path)) throw thrown;
    await makeFolder(dirname(path), mode);
    await once();
  }
}

/** As `makeFolder`, synchronously. */
export function makeFolderSync(path: string, mode?: number): void {
  const once = () => {
    try {
      mkdirSync(path, mode);
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      if (code !== 'EEXIST' || !statSync(path).isDirectory()) throw thrown;
    }
  };
  try {
    once();
  } catch (thrown) {
    if (!lacksParent(thrown, path)) throw thrown;
    makeFolderSync(dirname(path), mode);
    once();
  }
}

function lacksParent(thrown: unknown, path: string): boolean {
  return (thrown as NodeJS.ErrnoException).code === 'ENOENT' && dirname(path) !== path;
}
