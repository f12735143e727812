import fs from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from '../../system/make-folder.ts';

/** Rejects with errors of the file system. */
export const closeFd: (fd: number) => Promise<void> = promisify(fs.close);
/** Rejects with errors of the file system. */
export const fstat: (fd: number) => Promise<fs.Stats> = promisify(fs.fstat);
/** Rejects with errors of the file system. */
export const ftruncate: (fd: number, size: number) => Promise<void> = promisify(fs.ftruncate);
/** Resolves when what was written to the file is on disk. Rejects with errors of the file system. */
export const syncFd: (fd: number) => Promise<void> = promisify(fs.fdatasync);
/** Opens a file; resolves to its descriptor. Rejects with errors of the file system. */
const openFd: (path: string, flags: number, mode: number) => Promise<number> = promisify(fs.open);

/** As `openFd`; creates the directory of the file if it was deleted. */
export async function openInFolder(path: string, flags: number, mode: number): Promise<number> {
  try {
    return await openFd(path, flags, mode);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
    await makeFolder(dirname(path), 0o700);
    return openFd(path, flags, mode);
  }
}

/** As `openFd`, synchronously; `undefined` if the directory of the file was deleted. */
export function openNow(path: string, flags: number, mode: number): number | undefined {
  try {
    return fs.openSync(path, flags, mode);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw thrown;
  }
}

/** Syncs the bytes of a file to disk; `false` if that is impossible. */
export async function syncFile(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'r');
    try {
      await file.datasync();
      return true;
    } finally {
      await file.close();
    }
  } catch {
    return false;
  }
}
