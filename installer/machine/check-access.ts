import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SyncerError } from '../../src/core/errors.ts';
import { insideRoot } from './inside-root.ts';

/** Throws `access-denied` where one of these paths could not be made or removed by this user. */
export async function checkWritable(root: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const folder = await nearestFolder(dirname(await insideRoot(root, path)));
    const isWritable = await access(folder, constants.W_OK).then(
      () => true,
      () => false,
    );
    if (isWritable) continue;
    throw new SyncerError(
      'access-denied',
      `no permission to write to ${folder}: run it as root, for example with sudo`,
    );
  }
}

async function nearestFolder(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined || path === dirname(path) ? path : nearestFolder(dirname(path));
}

/** Throws `access-denied` where a folder above `path` is closed to users other than its owner. */
export async function checkTraversable(root: string, path: string): Promise<void> {
  const parts = dirname(path).split('/').slice(1);
  for (let i = 1; i <= parts.length; i++) {
    const folder = join('/', ...parts.slice(0, i));
    const found = await stat(await insideRoot(root, `${folder}/.`)).catch(() => undefined);
    if (found === undefined || (found.mode & 0o001) !== 0) continue;
    throw new SyncerError(
      'access-denied',
      `the service's user cannot access ${folder}: choose another directory with --work-dir, for example --work-dir /opt`,
    );
  }
}
