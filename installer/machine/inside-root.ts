import { lstat, readlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { SyncerError } from '../../src/core/errors.ts';

/**
 * Where a path inside `root` lies on the running system. Symbolic links on the way are followed as the system in
 * `root` would follow them, so that none leads out of it; the last part is not followed. Throws `other` for a circle.
 */
export async function insideRoot(root: string, path: string): Promise<string> {
  if (root === '/') return path;
  let folder = '/';
  let links = 0;
  const parts = path.split('/').filter((part) => part !== '');
  const last = parts.pop();
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    if (part === '.') continue;
    if (part === '..') {
      folder = dirname(folder);
      continue;
    }
    const next = join(folder, part);
    const found = await lstat(join(root, next)).catch(() => undefined);
    if (found?.isSymbolicLink() !== true) {
      folder = next;
      continue;
    }
    const link = await readlink(join(root, next));
    if (++links > 40) throw new SyncerError('other', `${path}: too many symbolic links`);
    parts.unshift(...link.split('/').filter((one) => one !== ''));
    if (link.startsWith('/')) folder = '/';
  }
  return last === undefined ? root : join(root, resolve(folder, last));
}
