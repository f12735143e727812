import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseToken, type TokenPlace } from '../backends/auth/oauth-token.ts';
import { hasCode, SyncerError } from '../core/errors.ts';
import type { Emit } from '../core/events.ts';
import { jsonObject } from '../core/json-object.ts';
import { followLinks, replaceFile } from '../state/replace-file.ts';
import { makeFolder } from '../system/make-folder.ts';
import { readRegularFile } from '../system/read-whole.ts';
import type { ConfigFile } from './config-file.ts';
import { stateDir } from './config-path.ts';
import { updateRemote } from './edit-remote.ts';
import { decryptByKey, encryptConfig } from './encrypted-config.ts';
import { withFileLock } from './file-lock.ts';
import { iniSections } from './ini-lines.ts';

/** A login that was renewed, with the one in the configuration that it comes from. */
interface StoredToken {
  /** As `formatToken` writes it; `''` after a logout. */
  readonly token: string;
  /** A hash of the login in the configuration, and when that ends, in milliseconds since the epoch. */
  readonly from: string;
  readonly fromExpiresMs?: number | undefined;
}

/** Renewed logins of a remote whose configuration cannot be written. */
export type TokenStore = NonNullable<ReturnType<typeof tokenStoreOf>>;

/** The store of a remote, in a file of the state directory; `undefined` for a user without a home. */
export function tokenStoreOf(
  owner: { readonly file: ConfigFile; readonly section: string; readonly clientId: string },
  env: NodeJS.ProcessEnv,
  emit: Emit,
) {
  const { file, section, clientId } = owner;
  const folder = stateDir(env);
  if (folder === undefined) return undefined;
  const mark = hashOf(JSON.stringify([file.path, section, clientId]));
  const path = join(folder, 'tokens', `${section.slice(0, 60)}-${mark}.json`);
  const read = async (): Promise<StoredToken | undefined> => {
    const bytes = await readRegularFile(path).catch(() => undefined);
    if (bytes === undefined) return undefined;
    const key = await file.key();
    const text = key === undefined ? bytes : ((await decryptByKey(bytes, key)) ?? []);
    // Otherwise it was encrypted with another password, or not by syncer: the configuration counts.
    const stored = jsonObject<StoredToken>(Buffer.from(text).toString());
    return typeof stored?.token === 'string' ? stored : undefined;
  };
  return {
    path,
    /** The newest of the login in the configuration and the stored one. Rejects as `ConfigFile.key`. */
    async newest(configured: string | undefined): Promise<string | undefined> {
      const stored = await read();
      if (stored === undefined) return configured;
      if (hashOf(configured ?? '') === stored.from) return stored.token;
      // An older version of the configuration, such as a backup, is no new login.
      const expiresMs = parseToken(configured ?? '')?.expiresMs;
      const isOlder =
        expiresMs !== undefined &&
        stored.fromExpiresMs !== undefined &&
        expiresMs < stored.fromExpiresMs;
      return isOlder ? stored.token : configured;
    },
    /** Stores a login that comes from the one in the configuration; encrypted if the configuration is. */
    async write(token: string, configured: string | undefined): Promise<void> {
      const fromExpiresMs = parseToken(configured ?? '')?.expiresMs;
      const from = hashOf(configured ?? '');
      const record = { remote: section, config: file.path, token, from, fromExpiresMs };
      const key = await file.key();
      const bytes = Buffer.from(`${JSON.stringify(record)}\n`);
      const content = key === undefined ? bytes : await encryptConfig(bytes, key);
      await makeFolder(dirname(path), 0o700);
      await withFileLock(path, (mayReplace) => replaceFile(path, content, { mayReplace }));
      const fields = { remote: section, path };
      emit({ type: 'log', level: 'info', code: 'login-stored-apart', fields });
    },
    /** Deletes the stored login. Never rejects: an older login than that in the configuration is not used. */
    delete: () => rm(path, { force: true }).catch(() => {}),
    /** Runs `work` while no other process does. Rejects with an error of the file system if that cannot be ensured. */
    async alone<T>(work: () => Promise<T>): Promise<T> {
      await makeFolder(dirname(path), 0o700);
      return withFileLock(`${path}.login`, work);
    },
  };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/** The key `token` of a section of the configuration; renewed ones go to `store` if the file cannot be written. */
export function tokenInConfig(file: ConfigFile, section: string, store?: TokenStore): TokenPlace {
  const inFile = async () =>
    iniSections(await file.read())
      .get(section)
      ?.get('token');
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
            ? updateRemote(lines, section, new Map([['token', text]]))
            : lines,
        );
      } catch (thrown) {
        if (store === undefined || !hasCode(thrown, 'config', 'locked')) throw thrown;
        await store.write(text, await inFile());
        return;
      }
      await store?.delete();
    },
    // Not under the lock of the file itself, which is needed for other sections: a renewal may take long.
    async alone(work) {
      if (file.path === undefined) return work();
      const path = `${await followLinks(file.path)}.${hashOf(section)}.login`;
      const aloneInStore = () =>
        store === undefined ? work() : ifLockable((locked) => store.alone(locked), work, work);
      return ifLockable((locked) => withFileLock(path, locked), work, aloneInStore);
    },
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
