import { normalize } from 'node:path/posix';
import { SyncerError } from '../core/errors.ts';
import { cleanPath } from '../core/remote-path.ts';
import { broken, parseOverrides } from './connection-string.ts';
import { isRemoteName, remoteNameRule } from './remote-names.ts';

/** A parsed `remote:path`, `:backend,key=value:path` or local path, in rclone's grammar. */
export interface RemoteSpec {
  /** `''`: a local path; `:s3`: a backend without a section; otherwise the name of a remote. */
  readonly name: string;
  /** Options from the connection string, in order; a key without value is `true`. */
  readonly overrides: ReadonlyMap<string, string>;
  /** The text after the colon; for a local path, all of it. */
  readonly path: string;
}

const LOCAL: ReadonlyMap<string, string> = new Map();

/**
 * Parses a path as the user types it. `a/b:c` and `./a:b` are local, because a slash precedes the colon. Throws `usage`
 * if it is empty or its connection string is invalid.
 */
export function parseRemoteSpec(spec: string): RemoteSpec {
  if (spec === '')
    throw new SyncerError('usage', 'a path is empty; write "." for the current directory');
  const end = /[:,/\\]/.exec(spec.startsWith(':') ? `.${spec.slice(1)}` : spec);
  const isLocal = { name: '', overrides: LOCAL, path: spec };
  if (!spec.includes(':')) return isLocal;
  if (end === null) throw broken(spec, `"${spec}" needs a ":" after the name of the backend`);
  if (end[0] === '/' || end[0] === '\\') {
    if (!spec.startsWith(':')) return isLocal;
    throw broken(spec, remoteNameRule);
  }
  const name = spec.slice(0, end.index);
  if (name === '' || name === ':') throw broken(spec, 'the name before the ":" is empty');
  if (!isRemoteName(name.startsWith(':') ? name.slice(1) : name))
    throw broken(spec, remoteNameRule);
  if (end[0] === ':') return { name, overrides: LOCAL, path: spec.slice(end.index + 1) };
  const { overrides, next } = parseOverrides(spec, end.index + 1);
  return { name, overrides, path: spec.slice(next) };
}

/** The reverse of `parseRemoteSpec`; quotes values if necessary. */
export function formatRemoteSpec(spec: RemoteSpec): string {
  if (spec.name === '') return spec.path;
  const overrides = [...spec.overrides].map(([key, value]) => `,${key}=${quoteValue(value)}`);
  return `${spec.name}${overrides.join('')}:${spec.path}`;
}

/** The path of an opened directory for people and programs: without options and superfluous slashes, as in rclone. */
export function plainRemoteSpec(spec: string): string {
  const { name, path } = parseRemoteSpec(spec);
  const isTop = path.startsWith('/');
  if (name !== '') return `${name}:${isTop ? '/' : ''}${cleanPath(path)}`;
  return normalize(path).replace(/(?<=.)\/+$/, '');
}

function quoteValue(value: string): string {
  if (!/[:,]/.test(value) && !/^['"]/.test(value)) return value;
  return `"${value.replaceAll('"', '""')}"`;
}
