import { open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes names of files outlast a power cut; file systems that cannot do it do not need it. */
export async function syncFolder(pathInIt: string): Promise<void> {
  const folder = await open(dirname(pathInIt), 'r').catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}

/** Brings the bytes of a file to the disk; `false` where that cannot be done. */
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
