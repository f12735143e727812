import { constants } from 'node:fs';
import { access, opendir, readFile, realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SyncerError } from '../../core/errors.ts';
import { nameToBytes } from '../../core/name-bytes.ts';
import { isWithin } from '../../core/remote-path.ts';
import { realPath } from '../../system/fs-path.ts';
import { FUSERMOUNT, findProgram, noFusermount, unmountLazily } from '../device/mounting.ts';
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

/** The system files that the check reads. */
export interface FuseSurroundings {
  readonly uid: number;
  readonly env: NodeJS.ProcessEnv;
  /** `/dev/fuse`. */
  readonly device: string;
  /** `/etc/fuse.conf`. */
  readonly settings: string;
}

/** Rejects with what is missing on this machine and how to get it, if a mount cannot succeed. */
export async function checkFuse(
  { uid, env, device, settings }: FuseSurroundings,
  allowOther: boolean,
): Promise<void> {
  if (process.platform !== 'linux') {
    throw new SyncerError('unsupported', 'mount works on Linux only');
  }
  try {
    await access(device, constants.R_OK | constants.W_OK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const message =
      code === 'ENOENT'
        ? `${device} does not exist: load the kernel module (modprobe fuse), ` +
          `or start the container with --device ${device} --cap-add SYS_ADMIN`
        : `${device} cannot be opened by this user (${code}): it should have the mode 0666`;
    throw new SyncerError('other', message, { cause });
  }
  if (uid === 0) return;
  if ((await findProgram(FUSERMOUNT, env)) === undefined) throw noFusermount();
  if (allowOther && !(await allowsOthers(settings))) {
    throw new SyncerError(
      'other',
      `--allow-other is for root only, as ${settings} does not have the line user_allow_other: ` +
        'add it, or mount without --allow-other',
    );
  }
}

/** Whether every user may mount for others: `user_allow_other` of fuse.conf(5). */
export async function allowsOthers(settings: string): Promise<boolean> {
  try {
    return /^\s*user_allow_other\s*(#.*)?$/m.test(await readFile(settings, 'utf8'));
  } catch {
    return false;
  }
}
