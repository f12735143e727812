import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SyncerError } from '../core/errors.ts';
import type { Emit } from '../core/events.ts';
import { nameToBytes, userText } from '../core/name-bytes.ts';
import { once } from '../core/used-again.ts';
import { followLinks, replaceFile } from '../state/replace-file.ts';
import { makeFolder } from '../system/make-folder.ts';
import { failure, readIfThere, refuseSpecial } from './config-file-access.ts';
import { decryptConfig, encryptConfig, type PasswordSource } from './encrypted-config.ts';
import { type StillHeld, withFileLock } from './file-lock.ts';
import { type IniLine, iniText, parseIni } from './ini-lines.ts';

/** The configuration of remotes: a file, or lines in memory. */
export interface ConfigFile {
  /** `undefined`: in memory only. */
  readonly path: string | undefined;
  /**
   * The current lines; empty if the file does not exist, which the first call logs as a notice. Rejects with `config`
   * if the file cannot be read or parsed, with `config-password` if its password is wrong or missing.
   *
   * @param signal ends the wait for a pipe; by default the signal given when the file was opened
   */
  read(signal?: AbortSignal): Promise<readonly IniLine[]>;
  /** The key of the file; `undefined` if it is not encrypted. Rejects as `read` does. */
  key(): Promise<ConfigKey>;
  /** The password of the file; `undefined` if it is not encrypted. Rejects as `read` does. */
  password(): Promise<string | undefined>;
  /**
   * Replaces the lines by the result of `change`, under a lock. `change` gets the lines at that moment, and may be
   * called again. An encrypted file stays encrypted. Resolves to the new lines. Rejects with `config` if the file
   * cannot be written, with `locked` if another process holds the lock, and with the reason of the signal that ends the
   * wait for it.
   *
   * @param rekey returns the key to write with, from the current one
   */
  update(
    change: (lines: readonly IniLine[]) => readonly IniLine[],
    rekey?: (key: ConfigKey) => ConfigKey,
  ): Promise<readonly IniLine[]>;
}

/** The key of an encrypted configuration (`keyOfPassword`); `undefined`: plain text. */
export type ConfigKey = Uint8Array | undefined;

/** How a configuration is read and written. */
export interface ConfigFileOptions {
  /** Each change keeps what was there before at `formerPath`; a new password deletes that always. */
  readonly keepsFormer?: boolean;
  /** What the first `read` gives, which was read a moment ago. Changes read the file. */
  readonly first?: Uint8Array | undefined;
  /** In memory, it is so for a user without a home: a notice says so before it is first used. */
  readonly isHomeless?: boolean;
}

/** How often a change is tried again because another process took the lock. */
const LOST_LOCK_TRIES = 5;

/**
 * The configuration at `path` (see `configPath`), read on the first call; `signal` ends waits for a lock or a pipe.
 */
export function openConfigFile(
  path: string | undefined,
  emit: Emit,
  password: PasswordSource,
  signal?: AbortSignal,
  how: ConfigFileOptions = {},
): ConfigFile {
  if (path === undefined) {
    return memoryConfig(once(() => how.isHomeless && emit(HOMELESS)));
  }
  return diskConfig(path, emit, password, signal, how);
}

function configText(bytes: Uint8Array, title: string): string {
  try {
    return userText(bytes);
  } catch (thrown) {
    throw failure(title, 'read', thrown);
  }
}

const HOMELESS = { type: 'log', level: 'notice', code: 'config-homeless' } as const;

/** @param onUse called before the lines are read or changed */
function memoryConfig(onUse: () => unknown): ConfigFile {
  let lines: readonly IniLine[] = [];
  return {
    path: undefined,
    read: async () => {
      onUse();
      return lines;
    },
    key: async () => undefined,
    password: async () => undefined,
    update: async (change) => {
      onUse();
      lines = change(lines);
      return lines;
    },
  };
}

function diskConfig(
  path: string,
  emit: Emit,
  password: PasswordSource,
  signal: AbortSignal | undefined,
  { keepsFormer = false, first }: ConfigFileOptions,
): ConfigFile {
  const title = `config file "${path}"`;
  let noticed = false;
  let given = first;

  async function load(stop = signal) {
    const bytes = await readIfThere(path, title, stop);
    if (bytes === undefined) {
      if (!noticed) {
        emit({ type: 'log', level: 'notice', code: 'config-missing', fields: { path } });
      }
      noticed = true;
      return { lines: [], key: undefined, bytes: new Uint8Array() };
    }
    return parsed(bytes);
  }

  async function parsed(bytes: Uint8Array) {
    const { text, key } = await decryptConfig(bytes, title, password);
    return { lines: parseIni(configText(text, title), title), key, bytes };
  }

  return {
    path,
    async read(stop) {
      const bytes = given;
      given = undefined;
      return (await (bytes === undefined ? load(stop) : parsed(bytes))).lines;
    },
    key: async () => (await load()).key,
    password: async () => ((await load()).key === undefined ? undefined : password()),
    async update(change, rekey = (key) => key) {
      given = undefined;
      try {
        await refuseSpecial(path, title);
        const target = await followLinks(path);
        await makeFolder(dirname(target), 0o700);
        for (let tries = 0; tries < LOST_LOCK_TRIES; tries++) {
          const replace = async (stillHeld: StillHeld) => {
            const { lines, key: oldKey, bytes: former } = await load();
            const changed = change(lines);
            const key = rekey(oldKey);
            const text = nameToBytes(iniText(changed));
            const bytes = key === undefined ? text : await encryptConfig(text, key);
            if (key !== oldKey) await keepFormer(target, undefined, stillHeld);
            else if (keepsFormer) await keepFormer(target, former, stillHeld);
            return (await replaceFile(target, bytes, { mayReplace: stillHeld }))
              ? changed
              : undefined;
          };
          const done = await withFileLock(target, replace, signal);
          if (done !== undefined) return done;
        }
      } catch (error) {
        const isTold = error instanceof SyncerError || (signal?.aborted && error === signal.reason);
        throw isTold ? error : failure(title, 'written', error);
      }
      throw new SyncerError('locked', `${title}: other processes keep taking its lock; try again`);
    },
  };
}

/** Where the content of a configuration before its last change is kept. */
export function formerPath(path: string): string {
  return `${path}.undo`;
}

/** Keeps a content beside its file, readable only by its owner; `undefined`: nothing is kept. Requires the lock. */
async function keepFormer(
  path: string,
  content: Uint8Array | undefined,
  mayReplace: () => Promise<boolean>,
): Promise<void> {
  const former = formerPath(path);
  await rm(former, { force: true });
  if (content !== undefined) await replaceFile(former, content, { mayReplace });
}
