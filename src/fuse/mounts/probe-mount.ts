import { statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { nameToBytes } from '../../core/name-bytes.ts';

/** How long a mount has to answer, in milliseconds. */
const ANSWER_MS = 5_000;

/**
 * How a mounted place answers: `live`; `stale`: the process that served it is gone; `hung`: it is there and does not
 * answer.
 */
export type MountHealth = 'live' | 'stale' | 'hung';

/** Asks a mounted place for its space, which the kernel does not remember: only its process can tell. */
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
