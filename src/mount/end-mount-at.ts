import type { Flags } from '../app/flags/flag-table.ts';
import { SyncerError } from '../core/errors.ts';
import { unmountUnused } from '../fuse/device/unmount.ts';
import { clearStale, withoutLinks } from '../fuse/mounts/check-mount-point.ts';
import { mountedAt } from '../fuse/mounts/mount-table.ts';
import type { MountReport } from './control-socket.ts';
import { askAll, endMount } from './list-mounts.ts';

/**
 * Unmounts; with `--wait` after pending uploads, and returns when the process has ended. Rejects if nothing is
 * mounted, if the mount is in use, and if uploads are left.
 */
export async function endMountAt(
  path: string,
  flags: Pick<Flags, 'unmount-wait' | 'cache-dir'>,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const mountPoint = await withoutLinks(path);
  const mounts = await askAll(flags, env);
  const asked = mounts.find(({ report }) => report.mountPoint === mountPoint);
  if (asked !== undefined && flags['unmount-wait']) {
    return checkAllUploaded(await endMount(asked.socketPath, 'drain-and-unmount'));
  }
  const place = await mountedAt(mountPoint);
  if (place === undefined || !/^fuse(\.|$)/.test(place.type)) {
    throw new SyncerError('other', `nothing is mounted on ${mountPoint}`, { path: mountPoint });
  }
  if ((await clearStale(mountPoint)) > 0) return;
  const complaint = await unmountUnused(mountPoint);
  if (complaint === undefined) return;
  throw new SyncerError('other', `cannot unmount ${mountPoint}: ${complaint}`, {
    path: mountPoint,
    advice: `stop the programs that use it (fuser -vm ${mountPoint}), or force it with --wait`,
  });
}

function checkAllUploaded({ mountPoint, state }: MountReport): void {
  const left = state.uploadsWaiting + state.uploadsRunning + state.uploadsFailed;
  if (left === 0) return;
  const message = `${mountPoint} is unmounted, but ${left} files are not uploaded yet; the next mount resumes them`;
  throw new SyncerError('other', message, { path: mountPoint });
}
