import { open } from 'node:fs/promises';
import { SyncerError } from '../../core/errors.ts';
import { loadLibc } from '../../native/libc.ts';

/** `LOCK_EX | LOCK_NB` */
const EXCLUSIVE_AT_ONCE = 6;

/**
 * Takes the lock of a cache folder, for this process alone; the system gives it back when the process ends, however it
 * does. Resolves to what releases it. Rejects with `locked` where another mount has it.
 */
export async function lockCache(path: string, remote: string): Promise<() => Promise<void>> {
  const file = await open(path, 'a', 0o600);
  try {
    const flock = (await loadLibc()).func('flock', 'int', ['int', 'int']);
    if (flock(file.fd, EXCLUSIVE_AT_ONCE) !== 0) throw lockedError(remote);
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
  return () => file.close();
}

function lockedError(remote: string): SyncerError {
  return new SyncerError('locked', `another mount of ${remote} uses the same cache`, {
    advice: 'give this one a cache of its own with --cache-dir, or unmount the other',
  });
}
