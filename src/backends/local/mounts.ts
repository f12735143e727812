import fs from 'node:fs';
import { type MountedPlace, parseMountTable } from '../../kit/parse-mount-table.ts';

/**
 * All mounts that this process sees, oldest first: later ones hide earlier ones. None if the system does not list
 * them.
 */
export function readMounts(): readonly MountedPlace[] {
  try {
    return parseMountTable(fs.readFileSync('/proc/self/mountinfo'));
  } catch {
    return [];
  }
}

/** The mount of a path without links. */
export function mountOf(mounts: readonly MountedPlace[], path: string): MountedPlace | undefined {
  let found: MountedPlace | undefined;
  for (const mount of mounts) {
    if (!liesIn(mount.mountPoint, path)) continue;
    if (found === undefined || mount.mountPoint.length >= found.mountPoint.length) found = mount;
  }
  return found;
}

/** The mounts below a directory. */
export function mountsBelow(mounts: readonly MountedPlace[], dir: string): MountedPlace[] {
  return mounts.filter(({ mountPoint }) => mountPoint !== dir && liesIn(dir, mountPoint));
}

/** The path from a directory to an absolute path in it. */
export function pathBelow(dir: string, path: string): string {
  return path.slice(dir === '/' ? 1 : dir.length + 1);
}

function liesIn(dir: string, path: string): boolean {
  return path === dir || path.startsWith(dir === '/' ? '/' : `${dir}/`);
}
