import { nameFromBytes, nameToBytes } from '../core/name-bytes.ts';

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
