import { lstat } from 'node:fs/promises';

/**
 * Whether a path is a file of this user of at most 1 MiB, or a socket of theirs, and no link: so that root is not led
 * elsewhere by what another user wrote.
 */
export async function isFileOf(
  uid: number,
  path: string,
  kind: 'file' | 'socket',
): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.uid !== uid) return false;
  return kind === 'socket' ? stats.isSocket() : stats.isFile() && stats.size <= 1024 ** 2;
}
