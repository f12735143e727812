import { spawn } from 'node:child_process';
import { readFile, statfs, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { nameToBytes } from '../../core/name-bytes.ts';
import { exactCommand } from '../../system/exact-command.ts';
import { type MountedPlace, parseMountTable } from '../../system/mounts.ts';

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
/** How long to wait for the end of a program that was killed, in milliseconds. */
const GONE_MS = 500;

/** `stale`: the process of the mount is gone; `hung`: it runs and does not respond. */
export type MountHealth = 'live' | 'stale' | 'hung';

/**
 * Requests the space of a mount, which the kernel does not cache: only its process can respond. Another program does
 * it: a thread that waits for a hung mount would keep this process from ending, and the mount in use.
 */
export async function probeMount(mountPoint: string, limitMs = ANSWER_MS): Promise<MountHealth> {
  const timer = new AbortController();
  const late = sleep(limitMs, 'hung' as const, { signal: timer.signal }).catch(
    () => 'hung' as const,
  );
  const answered = askByProgram(mountPoint, timer.signal);
  const health = await Promise.race([answered, late]);
  timer.abort();
  // Until the program has ended, the mount is in use.
  if (health === 'hung') await Promise.race([answered, sleep(GONE_MS)]);
  return health;
}

/** Asks by stat(1), which is killed when it is no longer needed. */
function askByProgram(mountPoint: string, signal: AbortSignal): Promise<MountHealth> {
  const { file, args } = exactCommand({ file: 'stat', args: ['-f', '--', mountPoint] });
  const env = { LC_ALL: 'C' };
  const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'pipe'], env });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  signal.addEventListener('abort', () => {
    child.kill('SIGKILL');
    // It cannot be killed once a process that does not respond has its request.
    child.stderr.destroy();
    child.unref();
  });
  return new Promise((resolve) => {
    child.on('error', () => {
      // Asks without another program; `close` follows, and is too late.
      const asked = statfs(nameToBytes(mountPoint)).then(
        () => 'live' as const,
        ({ code }) => (code === 'ENOTCONN' || code === 'ECONNABORTED' ? 'stale' : 'live'),
      );
      resolve(asked);
    });
    child.on('close', () => {
      resolve(/(not connected|connection abort(ed)?)\s*$/i.test(said) ? 'stale' : 'live');
    });
  });
}
