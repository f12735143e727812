import { readFile } from 'node:fs/promises';
import { type MountedPlace, parseMountTable } from '../../kit/parse-mount-table.ts';

/** All that is mounted, in the order in which it was: of several at one place the last one is seen. */
export async function readMountTable(): Promise<readonly MountedPlace[]> {
  return parseMountTable(await readFile('/proc/self/mountinfo'));
}

/** What is seen at this place, if something is mounted there. */
export async function mountedAt(mountPoint: string): Promise<MountedPlace | undefined> {
  return (await readMountTable()).findLast((place) => place.mountPoint === mountPoint);
}
