import { stat } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { SyncerError } from '../core/errors.ts';

/** A lock whose holder gave no sign of life for so long was left behind by a crash. */
const STALE_MS = 5_000;
/** How long to wait for another holder: long enough for a lock left behind to become stale. */
const PATIENCE_MS = 30_000;
const POLL_MS = 50;

/** Says whether the lock is still held by the one who asks. */
export type StillHeld = () => Promise<boolean>;

/**
 * Runs `work` while holding the lock `path.lock`, which all programs that write `path` take. The folder must
 * exist. Rejects with `locked` where another process keeps the lock, with the signal's reason where that ends the wait
 * for it; errors of the file system pass as they are.
 */
export async function withFileLock<T>(
  path: string,
  work: (stillHeld: StillHeld) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  let taken = false;
  const onTaken = () => {
    taken = true;
  };
  const release = await acquire(path, onTaken, signal);
  const mine = await identity(path);
  const stillHeld = async () => !taken && mine !== undefined && mine === (await identity(path));
  try {
    return await work(stillHeld);
  } finally {
    // Releasing a lock that is no longer ours would release the other process's.
    if (await stillHeld()) await release().catch(() => {});
  }
}

/** Resolves to what releases the lock; `onTaken` is called where another process takes it away. */
async function acquire(
  path: string,
  onTaken: () => void,
  signal: AbortSignal | undefined,
): Promise<() => Promise<void>> {
  // Its exports as a whole: a bundle of a CommonJS package may have no names.
  const { lock } = (await import('proper-lockfile')).default;
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await lock(path, { stale: STALE_MS, realpath: false, onCompromised: onTaken });
    } catch (error) {
      const { code, syscall } = error as NodeJS.ErrnoException;
      // ENOENT: another process took the lock away while it was being made; of mkdir: the folder takes none (/proc).
      if (code !== 'ELOCKED' && (code !== 'ENOENT' || syscall === 'mkdir')) throw error;
      if (performance.now() > until) throw code === 'ENOENT' ? error : lockedError(path);
    }
    await setTimeout(POLL_MS * (0.2 + Math.random()), undefined, signal && { signal }).catch(() => {
      throw signal?.reason;
    });
  }
}

function lockedError(path: string): SyncerError {
  const advice = `try again, or delete "${path}.lock" if no other syncer is running`;
  return new SyncerError('locked', `another process has locked "${path}": ${advice}`);
}

/**
 * Tells one lock from the next of the same name: two processes that find a stale lock at the same moment can
 * both remove it, the second one the lock that the first has just made.
 */
async function identity(path: string): Promise<string | undefined> {
  const found = await stat(`${path}.lock`, { bigint: true }).catch(() => undefined);
  return found && `${found.ino}:${found.birthtimeNs}`;
}
