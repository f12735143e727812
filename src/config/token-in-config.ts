import { createHash } from 'node:crypto';
import type { TokenPlace } from '../backends/auth/oauth-token.ts';
import { hasCode, SyncerError } from '../core/errors.ts';
import { followLinks } from '../state/replace-file.ts';
import type { ConfigFile } from './config-file.ts';
import { updateRemote } from './edit-remote.ts';
import { withFileLock } from './file-lock.ts';
import { iniSections } from './ini-lines.ts';
import type { TokenStore } from './token-store.ts';

const KEY = 'token';

/** The key `token` of a section of the configuration; renewed ones go to `store` if the file cannot be written. */
export function tokenInConfig(file: ConfigFile, section: string, store?: TokenStore): TokenPlace {
  const inFile = async () =>
    iniSections(await file.read())
      .get(section)
      ?.get(KEY);
  return {
    read: async () => {
      const text = await inFile();
      return store === undefined ? text : store.newest(text);
    },
    write: async (text) => {
      try {
        await file.update((lines) =>
          // A section that was deleted stays deleted.
          iniSections(lines).has(section)
            ? updateRemote(lines, section, new Map([[KEY, text]]))
            : lines,
        );
      } catch (thrown) {
        if (store === undefined || !hasCode(thrown, 'config', 'locked')) throw thrown;
        await store.write(text, await inFile());
        return;
      }
      await store?.delete();
    },
    alone: (work) => aloneOf(file, section, store, work),
  };
}

/** A login that the configuration has by reference (`read`): renewed ones go to `store`. */
export function tokenByReference(
  read: () => Promise<string | undefined>,
  store: TokenStore,
): TokenPlace {
  return {
    read: async () => store.newest(await read()),
    write: async (text) => store.write(text, await read()),
    alone: (work) => ifLockable((locked) => store.alone(locked), work, work),
  };
}

/** Not under the lock of the file itself, which is needed for other sections: a renewal may take long. */
async function aloneOf<T>(
  file: ConfigFile,
  section: string,
  store: TokenStore | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (file.path === undefined) return work();
  const mark = createHash('sha256').update(section).digest('hex').slice(0, 12);
  const path = `${await followLinks(file.path)}.${mark}.login`;
  const aloneInStore = () =>
    store === undefined ? work() : ifLockable((locked) => store.alone(locked), work, work);
  return ifLockable((locked) => withFileLock(path, locked), work, aloneInStore);
}

/** Runs `work` under a lock; `otherwise` if the file system refuses the lock. */
async function ifLockable<T>(
  lock: (work: () => Promise<T>) => Promise<T>,
  work: () => Promise<T>,
  otherwise: () => Promise<T>,
): Promise<T> {
  let hasBegun = false;
  try {
    return await lock(() => {
      hasBegun = true;
      return work();
    });
  } catch (error) {
    // Only the file system may refuse the lock; what `work` throws is its own.
    if (hasBegun || error instanceof SyncerError) throw error;
    return otherwise();
  }
}
