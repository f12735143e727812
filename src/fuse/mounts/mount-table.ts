import { readFile, statfs, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { nameToBytes } from '../../core/name-bytes.ts';
import { type MountedPlace, parseMountTable } from '../../kit/parse-mount-table.ts';

/** All mounts, oldest first: of several at one place the last one is visible. */
export async function readMountTable(): Promise<readonly MountedPlace[]> {
  return parseMountTable(await readFile('/proc/self/mountinfo'));
}

/** The visible mount at this place, if any. */
export async function mountedAt(mountPoint: string): Promise<MountedPlace | undefined> {
  return (await readMountTable()).findLast((place) => place.mountPoint === mountPoint);
}

/** The kernel's default read-ahead, in bytes. */
const USUAL = 128 * 1024;

/** Raises the kernel's read-ahead of a mount. Only root may: without it, reads come in smaller pieces. */
export async function raiseReadAhead(mountPoint: string, bytes: number): Promise<void> {
  if (bytes <= USUAL) return;
  const place = await mountedAt(mountPoint);
  if (place === undefined) return;
  try {
    const setting = `/sys/class/bdi/${place.device}/read_ahead_kb`;
    await writeFile(setting, String(Math.floor(bytes / 1024)));
  } catch {
    // Not root, or no /sys.
  }
}

/** Time limit for a mount's response, in milliseconds. */
const ANSWER_MS = 5_000;

/** `stale`: the process of the mount is gone; `hung`: it runs and does not respond. */
export type MountHealth = 'live' | 'stale' | 'hung';

/** Requests the space of a mount, which the kernel does not cache: only its process can respond. */
export async function probeMount(mountPoint: string, limitMs = ANSWER_MS): Promise<MountHealth> {
  const answered = statfs(nameToBytes(mountPoint)).then(
    () => 'live' as const,
    ({ code }: NodeJS.ErrnoException) =>
      code === 'ENOTCONN' || code === 'ECONNABORTED' ? ('stale' as const) : ('live' as const),
  );
  const timer = new AbortController();
  const late = sleep(limitMs, 'hung' as const, { signal: timer.signal }).catch(
    () => 'hung' as const,
  );
  const health = await Promise.race([answered, late]);
  timer.abort();
  return health;
}
