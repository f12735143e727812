import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { nearestExisting } from '../../system/fs-path.ts';
import { mountsAt, readMounts } from '../../system/mounts.ts';

const BY_UUID = '/dev/disk/by-uuid';

/**
 * The file system that a directory is on, in words that stay the same after a restart: where it is mounted, its type,
 * and its UUID, or its source if that is no device. Device numbers (`st_dev`) change when disks are found in another
 * order, and count only where the system lists no mounts. A missing directory is where its parent is.
 */
export async function deviceOf(dir: string): Promise<string> {
  const real = await realpath(await nearestExisting(dir));
  const { around } = mountsAt(readMounts(), real);
  if (around === undefined) return `device ${(await stat(real)).dev}`;
  const { mountPoint, type, source } = around;
  const what = source.startsWith('/dev/') ? await uuidOf(source) : source;
  return `${mountPoint} (${[type, what].filter(Boolean).join(' ')})`;
}

/** `undefined` for a device without one: its own name may be another's after a restart. */
async function uuidOf(device: string): Promise<string | undefined> {
  const own = await realpath(device).catch(() => device);
  for (const uuid of await readdir(BY_UUID).catch(() => [])) {
    if ((await realpath(join(BY_UUID, uuid)).catch(() => '')) === own) return uuid;
  }
  return undefined;
}
