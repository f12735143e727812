import { SyncerError } from '../core/errors.ts';
import { compareNames } from '../core/name-order.ts';
import type { ConfigSections } from './ini-lines.ts';
import { remoteKeyInEnvironment, remotesInEnvironment } from './remotes-in-environment.ts';

/** The rule for names of remotes, for messages: that of newer rclone versions, so that their files work. */
export const remoteNameRule =
  'names may contain letters, digits, spaces and _ - . + @, but cannot start with "-" or a space, or end with a space';

/** Whether a remote may have this name. */
export function isRemoteName(name: string): boolean {
  return /^[\w\p{L}\p{N}.+@ -]+$/u.test(name) && !/^[ -]| $/.test(name);
}

/** Throws `usage` with the rule for an invalid name. */
export function checkRemoteName(name: string): void {
  if (!isRemoteName(name)) {
    throw new SyncerError('usage', `invalid remote name "${name}": ${remoteNameRule}`);
  }
}

/** A remote as listed by `listremotes`. */
interface NamedRemote {
  readonly name: string;
  /** `''` if its section has none. */
  readonly type: string;
}

/**
 * All remotes of the file and the environment, sorted by name. A remote that both define is listed once, under its name
 * in the file.
 */
export function namedRemotes(
  config: ConfigSections,
  env: NodeJS.ProcessEnv,
  isType: (type: string) => boolean,
): readonly NamedRemote[] {
  const inFile = new Set([...config.keys()].map((name) => name.toUpperCase()));
  const onlyInEnv = remotesInEnvironment(env, config.keys(), isType).filter(
    (name) => !inFile.has(name.toUpperCase()),
  );
  return [...config.keys(), ...onlyInEnv].sort(compareNames).map((name) => ({
    name,
    type: remoteKeyInEnvironment(env, name, 'type')?.value ?? config.get(name)?.get('type') ?? '',
  }));
}

/** The lines of `listremotes`; with `long`, the types in a column. */
export function remoteLines(remotes: readonly NamedRemote[], long: boolean): readonly string[] {
  if (!long) return remotes.map(({ name }) => `${name}:`);
  const width = Math.max(1, ...remotes.map(({ name }) => Buffer.byteLength(name))) + 1;
  return remotes.map(({ name, type }) => {
    const padding = ' '.repeat(Math.max(0, width - [...name].length - 1));
    return `${name}:${padding} ${type}`;
  });
}
