import { stat } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { SyncerError } from '../core/errors.ts';

/** Whether the lock is still held. */
export type StillHeld = () => Promise<boolean>;

/** Runs `work` with the lock `path.lock` of all writers. Rejects with `locked`, the signal's reason, or as `fs`. */
export async function withFileLock<T>(
  path: string,
  work: (stillHeld: StillHeld) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  let taken = false;
  const onCompromised = () => {
    taken = true;
  };
  // The whole export: a bundled CommonJS package may have no names.
  const { lock } = (await import('proper-lockfile')).default;
  // Long enough for one that a crash has left to become stale.
  const until = performance.now() + 30_000;
  let release: (() => Promise<void>) | undefined;
  while (release === undefined) {
    try {
      release = await lock(path, { stale: 5_000, realpath: false, onCompromised });
    } catch (error) {
      const { code, syscall } = error as NodeJS.ErrnoException;
      // ENOENT: another process took the lock while it was created; from mkdir: the directory
      // accepts none (/proc).
      if (code !== 'ELOCKED' && (code !== 'ENOENT' || syscall === 'mkdir')) throw error;
      if (performance.now() > until) {
        if (code === 'ENOENT') throw error;
        const advice = `try again, or delete "${path}.lock" if no other syncer is running`;
        throw new SyncerError('locked', `another process has locked "${path}": ${advice}`);
      }
      const ms = 50 * (0.2 + Math.random());
      await setTimeout(ms, undefined, signal && { signal }).catch(() => {
        throw signal?.reason;
      });
    }
  }
  const mine = await identity(path);
  const stillHeld = async () => !taken && mine !== undefined && mine === (await identity(path));
  try {
    return await work(stillHeld);
  } finally {
    // Releasing a lost lock would release the other process's.
    if (await stillHeld()) await release().catch(() => {});
  }
}

/** Distinguishes locks of one name: of two processes that delete a stale one, one may delete a new one. */
async function identity(path: string): Promise<string | undefined> {
  const found = await stat(`${path}.lock`, { bigint: true }).catch(() => undefined);
  return found && `${found.ino}:${found.birthtimeNs}`;
}
