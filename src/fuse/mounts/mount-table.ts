import { readFile } from 'node:fs/promises';
import { nameFromBytes } from '../../core/name-bytes.ts';

/** One line of `/proc/self/mountinfo`. */
export interface MountedPlace {
  /** `major:minor`; the minor number names the connection in `/sys/fs/fuse/connections`. */
  readonly device: string;
  readonly mountPoint: string;
  readonly type: string;
  readonly source: string;
}

/** All that is mounted, in the order in which it was: of several at one place the last one is seen. */
export async function readMountTable(): Promise<readonly MountedPlace[]> {
  return parseMountTable(await readFile('/proc/self/mountinfo'));
}

/** What is seen at this place, if something is mounted there. */
export async function mountedAt(mountPoint: string): Promise<MountedPlace | undefined> {
  return (await readMountTable()).findLast((place) => place.mountPoint === mountPoint);
}

/** Reads the lines of `/proc/self/mountinfo` (proc(5)); names may hold any byte. */
export function parseMountTable(bytes: Uint8Array): readonly MountedPlace[] {
  const places: MountedPlace[] = [];
  for (const line of Buffer.from(bytes).toString('latin1').split('\n')) {
    const [place = '', system = ''] = line.split(' - ');
    const [, , device, , mountPoint] = place.split(' ');
    const [type, source] = system.split(' ');
    if (device === undefined || mountPoint === undefined || type === undefined) continue;
    const name = { mountPoint: unescapeField(mountPoint), source: unescapeField(source ?? '') };
    places.push({ device, type, ...name });
  }
  return places;
}

/** Spaces, tabs, line ends and backslashes stand as three octal digits. */
function unescapeField(field: string): string {
  const raw = field.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
  return nameFromBytes(Buffer.from(raw, 'latin1'));
}
