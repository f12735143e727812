import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SyncerError } from '../../core/errors.ts';
import type { ModTime } from '../../core/mod-time.ts';
import type { Op } from '../../core/remote.ts';
import { leafName, parentPath } from '../../core/remote-path.ts';
import { loadSetTimes } from '../../system/set-times.ts';
import { type RcloneAccess, remotePath, statAt } from './rclone-access.ts';
import { newSpoolName } from './rclone-spool.ts';

/**
 * Sets the time of a directory, for which rclone has no call: an empty directory of this name and time is copied over it.
 * Nothing in it is touched, because a copy deletes nothing.
 */
export async function setDirTime(
  access: RcloneAccess,
  dir: string,
  time: ModTime,
  op: Op,
): Promise<void> {
  const path = remotePath(access, dir);
  if (path === '') return;
  const found = await statAt(access, dir, op);
  if (found?.kind !== 'dir') {
    throw new SyncerError('directory-not-found', `${dir}: directory not found`, { path: dir });
  }
  const { rclone, fs } = access;
  const folder = join(await rclone.folder(), newSpoolName());
  const empty = join(folder, leafName(path));
  try {
    await mkdir(empty, { recursive: true });
    (await loadSetTimes())(empty, time);
    const input = {
      srcFs: folder,
      dstFs: fs + parentPath(path),
      createEmptySrcDirs: true,
      _config: { MaxDepth: 1 },
    };
    await rclone.call('sync/copy', input, { signal: op.signal, path: dir });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
