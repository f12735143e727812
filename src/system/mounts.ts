import { readFileSync } from 'node:fs';
import { nameFromBytes, nameToBytes } from '../core/name-bytes.ts';
import { realPath } from './fs-path.ts';

/** One line of `/proc/self/mountinfo`. */
export interface MountedPlace {
  /** `major:minor` of the file system; of FUSE the minor number names the connection in `/sys/fs/fuse/connections`. */
  readonly device: string;
  /** The directory of the file system that is mounted, from its top. */
  readonly root: string;
  readonly mountPoint: string;
  readonly type: string;
  readonly source: string;
}

/** The mounts that this process sees, oldest first: later ones hide earlier ones. None if they are not listed. */
export function readMounts(): readonly MountedPlace[] {
  try {
    return parseMountTable(readFileSync('/proc/self/mountinfo'));
  } catch {
    return [];
  }
}

/** Whether something is mounted exactly at a path, which may lead through links. */
export function isMountPoint(path: string): boolean {
  const real = realPath(path);
  return readMounts().some(({ mountPoint }) => mountPoint === real);
}

/** Of a path without links: the mount that it is in, and those below it. */
export function mountsAt(mounts: readonly MountedPlace[], path: string) {
  const inside = path === '/' ? path : `${path}/`;
  let around: MountedPlace | undefined;
  const below: MountedPlace[] = [];
  for (const mount of mounts) {
    const { mountPoint } = mount;
    if (mountPoint !== path && mountPoint.startsWith(inside)) {
      below.push(mount);
      continue;
    }
    const isAround = inside.startsWith(mountPoint === '/' ? mountPoint : `${mountPoint}/`);
    if (isAround && mountPoint.length >= (around?.mountPoint.length ?? 0)) around = mount;
  }
  return { around, below };
}

/** Reads the lines of `/proc/self/mountinfo` (proc(5)); names may hold any byte. */
export function parseMountTable(bytes: Uint8Array): readonly MountedPlace[] {
  const places: MountedPlace[] = [];
  for (const line of nameFromBytes(bytes).split('\n')) {
    const [place = '', system = ''] = line.split(' - ');
    const [, , device, root, mountPoint] = place.split(' ');
    const [type, source] = system.split(' ');
    if (root === undefined || mountPoint === undefined || type === undefined) continue;
    places.push({
      device: device ?? '',
      root: root.includes('\\') ? unescapeField(root) : root,
      mountPoint: mountPoint.includes('\\') ? unescapeField(mountPoint) : mountPoint,
      type,
      source: source?.includes('\\') ? unescapeField(source) : (source ?? ''),
    });
  }
  return places;
}

/** Spaces, tabs, line ends and backslashes stand as three octal digits. */
function unescapeField(field: string): string {
  const bytes = nameToBytes(field).toString('latin1');
  const raw = bytes.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
  return nameFromBytes(Buffer.from(raw, 'latin1'));
}
