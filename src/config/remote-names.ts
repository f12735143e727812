import { compareNames } from '../core/name-order.ts';
import type { ConfigSections } from './ini-lines.ts';
import { remoteKeyInEnvironment, remotesInEnvironment } from './remotes-in-environment.ts';

/** A remote as listed by `listremotes`. */
export interface NamedRemote {
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
