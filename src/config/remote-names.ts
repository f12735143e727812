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

/** Throws `command-line` with the rule for an invalid name. */
export function checkRemoteName(name: string): void {
  if (!isRemoteName(name)) {
    throw new SyncerError('command-line', `invalid remote name "${name}": ${remoteNameRule}`);
  }
}

/** A remote as listed by `listremotes`; its fields in the order of `--json`. */
export interface NamedRemote {
  readonly name: string;
  /** `''` if its section has none. */
  readonly type: string;
  /** Where its type is set. */
  readonly source: 'file' | 'environment';
  /** `''` if it has none. */
  readonly description: string;
}

/** All remotes, those of the environment first, then the others of the file in its order; each listed once. */
export function namedRemotes(
  config: ConfigSections,
  env: NodeJS.ProcessEnv,
  isType: (type: string) => boolean,
): readonly NamedRemote[] {
  const inFile = new Map([...config.keys()].map((name) => [name.toUpperCase(), name]));
  const inEnv = remotesInEnvironment(env, config.keys(), isType).map(
    (name) => inFile.get(name.toUpperCase()) ?? name,
  );
  const textOf = (name: string, key: string) =>
    remoteKeyInEnvironment(env, name, key)?.value ?? config.get(name)?.get(key) ?? '';
  const remoteOf = (name: string, source: NamedRemote['source']) => {
    return { name, type: textOf(name, 'type'), source, description: textOf(name, 'description') };
  };
  const ofFile = [...config.keys()].filter((name) => !inEnv.includes(name));
  return [
    ...inEnv.map((name) => remoteOf(name, 'environment')),
    ...ofFile.map((name) => remoteOf(name, 'file')),
  ];
}

/** Sorts remotes by `--order-by`, such as `type,name=descending`, stably. Throws `command-line` if it is invalid. */
export function orderRemotes(
  remotes: readonly NamedRemote[],
  orderBy: string,
): readonly NamedRemote[] {
  if (orderBy === '') return remotes;
  const rules = orderBy.split(',').map((part) => {
    const [field = '', direction = 'ascending'] = part.split('=');
    const key = FIELDS.find((one) => one === field);
    if (key === undefined) {
      const known = FIELDS.join(', ');
      const text = `unknown --order-by field "${field}" (known are ${known})`;
      throw new SyncerError('command-line', text);
    }
    const [, rest] = /^(a|de)sc(?:ending)?$/.exec(direction) ?? [];
    if (rest === undefined) {
      throw new SyncerError('command-line', `unknown --order-by direction "${direction}"`);
    }
    return { key, sign: rest === 'a' ? 1 : -1 };
  });
  return remotes.toSorted((a, b) => {
    const differing = rules.find(({ key }) => a[key] !== b[key]);
    return differing === undefined
      ? 0
      : differing.sign * compareNames(a[differing.key], b[differing.key]);
  });
}

const FIELDS: readonly (keyof NamedRemote)[] = ['name', 'type', 'source', 'description'];

/** The lines of `listremotes`; with `long`, types and descriptions in columns. */
export function remoteLines(remotes: readonly NamedRemote[], long: boolean): readonly string[] {
  if (!long) return remotes.map(({ name }) => `${name}:`);
  const width = Math.max(0, ...remotes.map(({ name }) => Buffer.byteLength(name)));
  const typeWidth = Math.max(0, ...remotes.map(({ type }) => Buffer.byteLength(type)));
  return remotes.map(({ name, type, description }) => {
    return `${padded(`${name}:`, width + 1)} ${padded(type, typeWidth)} ${description}`;
  });
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - [...text].length));
}
