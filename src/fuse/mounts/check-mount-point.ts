import { opendir, realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SyncerError } from '../../core/errors.ts';
import { nameToBytes } from '../../core/name-bytes.ts';
import { isWithin } from '../../core/remote-path.ts';
import { realPath } from '../../system/real-path.ts';
import { unmountLazily } from '../device/mounting.ts';
import { type MountHealth, mountedAt, probeMount, readMountTable } from './mount-table.ts';

/**
 * The absolute path of the mount point without links, checked. Rejects with what is wrong and what to do. `force`
 * clears away a stale mount.
 */
export async function checkMountPoint(
  path: string,
  rules: { readonly allowNonEmpty: boolean; readonly force: boolean },
): Promise<string> {
  const mountPoint = await withoutLinks(path);
  if (!mountPoint.isWellFormed()) {
    throw problem(mountPoint, `cannot mount on ${mountPoint}: its path is not UTF-8`);
  }
  await checkMounted(mountPoint, rules.force);
  await checkDirectory(mountPoint, rules.allowNonEmpty);
  return mountPoint;
}

/** An absolute path without links; unchanged if it cannot be examined. */
export async function withoutLinks(path: string): Promise<string> {
  const absolute = resolve(path);
  const places = await readMountTable();
  // A mount that does not respond would block forever.
  if (places.some(({ mountPoint }) => mountPoint === absolute)) return absolute;
  try {
    return await realpath(absolute);
  } catch {
    return absolute;
  }
}

/** Throws `usage` if this directory, which may be missing, is the mount point or below it. */
export function checkCacheDir(cacheDir: string, mountPoint: string): void {
  if (!isWithin(mountPoint, realPath(cacheDir))) return;
  const text = `the cache directory ${cacheDir} is below the mount point ${mountPoint}: the mount would wait for itself`;
  throw new SyncerError('usage', text, { advice: 'set --cache-dir to another directory' });
}

/** Unmounts all stale mounts at this place, which may cover each other; returns their number. */
export async function clearStale(mountPoint: string): Promise<number> {
  for (let cleared = 0; ; cleared++) {
    if ((await healthAt(mountPoint)) !== 'stale') return cleared;
    if (!(await unmountLazily(mountPoint))) {
      throw problem(
        mountPoint,
        `the stale mount on ${mountPoint} cannot be cleared: neither fusermount nor umount succeeded`,
      );
    }
  }
}

async function checkMounted(mountPoint: string, force: boolean): Promise<void> {
  if (force) await clearStale(mountPoint);
  const health = await healthAt(mountPoint);
  if (health === undefined) return;
  const place = await mountedAt(mountPoint);
  const what = place === undefined ? '' : ` (${place.source})`;
  const messages = {
    live: `${mountPoint} is already mounted${what}: syncer unmount ${mountPoint} first`,
    stale:
      `${mountPoint} is a stale mount${what}, its process is gone (transport endpoint is not connected): ` +
      `clear it with fusermount -uz ${mountPoint}, or mount with --force`,
    hung:
      `${mountPoint} is mounted${what} and does not respond: try fusermount -uz ${mountPoint}, ` +
      `or as root umount -f ${mountPoint}, which also ends the programs that wait for it`,
  };
  throw problem(mountPoint, messages[health]);
}

/** The state of the FUSE mount at this place; `undefined` if there is none. */
async function healthAt(mountPoint: string): Promise<MountHealth | undefined> {
  const place = await mountedAt(mountPoint);
  if (place === undefined || !/^fuse(\.|$)/.test(place.type)) return undefined;
  return probeMount(mountPoint);
}

async function checkDirectory(mountPoint: string, allowNonEmpty: boolean): Promise<void> {
  const name = nameToBytes(mountPoint);
  try {
    if (!(await stat(name)).isDirectory()) {
      throw problem(mountPoint, `mount point ${mountPoint} is not a directory`);
    }
    if (allowNonEmpty) return;
    const dir = await opendir(name as unknown as string, { encoding: 'latin1' as BufferEncoding });
    try {
      if ((await dir.read()) === null) return;
    } finally {
      await dir.close();
    }
  } catch (thrown) {
    if (thrown instanceof SyncerError) throw thrown;
    const { code, message } = thrown as NodeJS.ErrnoException;
    let why = `cannot be used: ${message}`;
    if (code === 'ENOENT') why = `does not exist: create it first (mkdir -p ${mountPoint})`;
    if (code === 'ENOTDIR') why = 'is not a directory';
    throw problem(mountPoint, `mount point ${mountPoint} ${why}`);
  }
  throw problem(
    mountPoint,
    `mount point ${mountPoint} is not empty: its contents would be hidden; use --allow-non-empty to mount anyway`,
  );
}

function problem(path: string, message: string): SyncerError {
  return new SyncerError('other', message, { path });
}
