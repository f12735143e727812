import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metadata } from '../../core/entry-details.ts';
import type { ModTime } from '../../core/mod-time.ts';
import type { Op } from '../../core/remote.ts';
import { leafName, parentPath } from '../../core/remote-path.ts';
import { encodingOf, fromStandardPath } from '../../names/name-encoding.ts';
import { loadSetTimes } from '../../system/set-times.ts';
import { dirAt, type RcloneAccess, remotePath } from './rclone-access.ts';
import { newSpoolName } from './rclone-spool.ts';

/** How rclone reads names of this machine. */
const ON_DISK = encodingOf(['Slash', 'Dot']);

/**
 * Sets the time of a directory, and its metadata, for which rclone has no call: an empty directory of this name and time
 * is copied over it. Nothing in it is touched, because a copy deletes nothing.
 */
export async function setDirTime(
  access: RcloneAccess,
  dir: string,
  time: ModTime,
  op: Op,
  metadata?: Metadata,
): Promise<void> {
  const path = remotePath(access, dir);
  if (path === '') return;
  await dirAt(access, dir, op);
  const { rclone, fs } = access;
  const folder = join(await rclone.folder(), newSpoolName());
  const empty = join(folder, fromStandardPath(ON_DISK, leafName(path)));
  try {
    await mkdir(empty, { recursive: true });
    (await loadSetTimes())(empty, time);
    const input = {
      srcFs: folder,
      dstFs: fs + parentPath(path),
      createEmptySrcDirs: true,
      _config: {
        MaxDepth: 1,
        ...(metadata === undefined ? {} : { Metadata: true, MetadataSet: metadata }),
      },
    };
    await rclone.call('sync/copy', input, { signal: op.signal, path: dir });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
