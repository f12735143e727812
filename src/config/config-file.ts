import { rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SyncerError } from '../core/errors.ts';
import type { Emit } from '../core/events.ts';
import { nameToBytes, userText } from '../core/name-bytes.ts';
import { once } from '../core/once.ts';
import { followLinks, replaceFile } from '../state/replace-file.ts';
import { makeFolder } from '../system/make-folder.ts';
import { readWhole } from '../system/read-whole.ts';
import { type AskPassword, passwordSource } from './config-password.ts';
import { configPath, MOST_CONFIG_BYTES } from './config-path.ts';
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
   * @param keeps whether what was there before is kept at `formerPath`, also if that is not always so
   */
  update(
    change: (lines: readonly IniLine[]) => readonly IniLine[],
    rekey?: (key: ConfigKey) => ConfigKey,
    keeps?: (before: readonly IniLine[], after: readonly IniLine[]) => boolean,
  ): Promise<readonly IniLine[]>;
}

/** The key of an encrypted configuration (`keyOfPassword`); `undefined`: plain text. */
export type ConfigKey = Uint8Array | undefined;

/** The configuration at `path` (`configPath`), read on the first call; `signal` ends waits for a lock or a pipe. */
export function openConfigFile(
  path: string | undefined,
  emit: Emit,
  password: PasswordSource,
  signal?: AbortSignal,
  how: {
    /** Each change keeps what was there before at `formerPath`; a new password deletes that always. */
    readonly keepsFormer?: boolean;
    /** What the first `read` gives, which was read a moment ago. Changes read the file. */
    readonly first?: Uint8Array | undefined;
    /** In memory, it is so for a user without a home: a notice says so before it is first used. */
    readonly isHomeless?: boolean;
  } = {},
): ConfigFile {
  const { keepsFormer = false, first, isHomeless = false } = how;
  if (path === undefined) {
    let lines: readonly IniLine[] = [];
    const onUse = once(
      () => isHomeless && emit({ type: 'log', level: 'notice', code: 'config-homeless' }),
    );
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
  const title = `config file "${path}"`;
  let noticed = false;
  let given = first;

  const load = async (stop = signal) => {
    let bytes: Uint8Array;
    try {
      bytes = await readWhole(path, { mostBytes: MOST_CONFIG_BYTES, signal: stop });
    } catch (thrown) {
      if (stop?.aborted && thrown === stop.reason) throw thrown;
      if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw failure(title, 'read', thrown);
      if (!noticed) {
        emit({ type: 'log', level: 'notice', code: 'config-missing', fields: { path } });
      }
      noticed = true;
      return { lines: [], key: undefined, bytes: new Uint8Array() };
    }
    return parsed(bytes);
  };
  const parsed = async (bytes: Uint8Array) => {
    const { text, key } = await decryptConfig(bytes, title, password);
    let shown: string;
    try {
      shown = userText(text);
    } catch (thrown) {
      throw failure(title, 'read', thrown);
    }
    return { lines: parseIni(shown, title), key, bytes };
  };
  return {
    path,
    async read(stop) {
      const bytes = given;
      given = undefined;
      return (await (bytes === undefined ? load(stop) : parsed(bytes))).lines;
    },
    key: async () => (await load()).key,
    password: async () => ((await load()).key === undefined ? undefined : password()),
    async update(change, rekey = (key) => key, keeps = () => false) {
      given = undefined;
      try {
        const found = await stat(path).catch(() => undefined);
        // Pipes, sockets and devices can be read, but a file must not replace them.
        if (found !== undefined && !found.isFile() && !found.isDirectory()) {
          const why = 'it is a pipe, socket or device; use --config with a regular file';
          throw new SyncerError('config', `${title} cannot be written: ${why}`);
        }
        const target = await followLinks(path);
        await makeFolder(dirname(target), 0o700);
        // Another process may take the lock.
        for (let tries = 0; tries < 5; tries++) {
          const replace = async (mayReplace: StillHeld) => {
            const { lines, key: oldKey, bytes: former } = await load();
            const changed = change(lines);
            const key = rekey(oldKey);
            const text = nameToBytes(iniText(changed));
            const bytes = key === undefined ? text : await encryptConfig(text, key);
            const isKept = keeps(lines, changed) || keepsFormer;
            if (key !== oldKey || isKept) await rm(formerPath(target), { force: true });
            if (key === oldKey && isKept) {
              await replaceFile(formerPath(target), former, { mayReplace });
            }
            return (await replaceFile(target, bytes, { mayReplace })) ? changed : undefined;
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

/** Where the content of a configuration before its last change is kept, readable only by its owner. */
export const formerPath = (path: string): string => `${path}.undo`;

/** Where the configuration before a change is, in words. */
export const keptIn = (path: string): string =>
  `the former configuration is kept as ${formerPath(path)}`;

/** The configuration selected by flags and environment, first as it was `readBefore`; read at the first call. */
export function openUserConfig(
  flags: { readonly config: string | undefined; readonly 'password-command': string | undefined },
  env: NodeJS.ProcessEnv,
  emit: Emit,
  ask?: AskPassword,
  signal?: AbortSignal,
  readBefore?: ReadConfig,
): ConfigFile {
  const password = passwordSource(flags['password-command'], env, ask);
  const path = configPath(flags.config, env);
  const isAsked = (flags.config ?? env['SYNCER_CONFIG']) !== undefined;
  const first = readBefore?.path === path ? readBefore?.take() : undefined;
  return openConfigFile(path, emit, password, signal, { first, isHomeless: !isAsked });
}

/** A configuration that was read when the command line was. */
export interface ReadConfig {
  readonly path: string;
  /** The bytes; `undefined` after the first call: they may have changed since. */
  take(): Buffer | undefined;
}

/** The error of a file that cannot be read or written. */
export function failure(title: string, done: 'read' | 'written', error: unknown): SyncerError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const why = REASONS[code] ?? message;
  return new SyncerError('config', `${title} cannot be ${done}: ${why}`, { cause: error });
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'its directory does not accept files',
  EACCES: 'permission denied for it or its directory',
  EPERM: 'the system does not permit it',
  EROFS: 'it is on a read-only file system',
  EBUSY: 'it is a mount point and cannot be replaced; mount its directory instead',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of its path is not a directory',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ELOOP: 'too many levels of symbolic links',
  ENAMETOOLONG: 'its name is too long',
};
