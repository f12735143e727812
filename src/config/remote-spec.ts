import { normalize } from 'node:path/posix';
import { SyncerError } from '../core/errors.ts';
import { cleanPath } from '../core/remote-path.ts';
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

/** Parses a path as it is typed; `a/b:c` and `./a:b` are local. Throws `usage` if it is invalid. */
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
  const overrides = [...spec.overrides].map(([key, value]) => {
    const isPlain = !/[:,]|^['"]/.test(value);
    return `,${key}=${isPlain ? value : `"${value.replaceAll('"', '""')}"`}`;
  });
  return `${spec.name}${overrides.join('')}:${spec.path}`;
}

/** The path of an opened directory for people and programs: without options and superfluous slashes, as in rclone. */
export function plainRemoteSpec(spec: string): string {
  const { name, path } = parseRemoteSpec(spec);
  const isTop = path.startsWith('/');
  if (name !== '') return `${name}:${isTop ? '/' : ''}${cleanPath(path)}`;
  return normalize(path).replace(/(?<=.)\/+$/, '');
}

/** The `key=value` list that starts at `from`; `next` is after the colon that ends it. */
function parseOverrides(spec: string, from: number) {
  const overrides = new Map<string, string>();
  let at = from;
  for (;;) {
    const key = take(spec, at, /(?:(?:global|override)\.)?\w*/y);
    if (key === '') throw broken(spec, 'an option name after "," is empty or not a word');
    at += key.length;
    let value = 'true';
    if (spec[at] === '=') {
      const read = parseValue(spec, at + 1);
      value = read.value;
      at = read.next;
    }
    overrides.set(key, value);
    const stop = spec[at];
    if (stop === ':') return { overrides, next: at + 1 };
    if (stop === undefined)
      throw broken(spec, `the option "${key}" must be followed by "," or ":"`);
    if (stop !== ',') {
      throw broken(spec, 'option names are letters, digits and "_", and values follow after "="');
    }
    at++;
  }
}

function parseValue(spec: string, from: number): { value: string; next: number } {
  const quote = spec[from];
  if (quote !== '"' && quote !== "'") {
    const value = take(spec, from, /[^:,]*/y);
    return { value, next: from + value.length };
  }
  const quoted = take(spec, from, quote === '"' ? /"(?:[^"]|"")*"/y : /'(?:[^']|'')*'/y);
  if (quoted === '') throw broken(spec, `a value that begins with ${quote} must end with ${quote}`);
  const next = from + quoted.length;
  if (!/[:,]/.test(spec[next] ?? '')) {
    throw broken(spec, `":" or "," must follow after a closing ${quote}`);
  }
  return { value: quoted.slice(1, -1).replaceAll(quote + quote, quote), next };
}

function take(text: string, from: number, pattern: RegExp): string {
  pattern.lastIndex = from;
  return pattern.exec(text)?.[0] ?? '';
}

/** Values of a connection string may be secrets and are not shown. */
function broken(spec: string, why: string): SyncerError {
  const head = /^:?[^,:]*/.exec(spec)?.[0] ?? '';
  const shown = spec.includes('=', head.length) ? `${head},…` : spec;
  const text = `"${shown}" cannot be read as a remote path: ${why} (a local file with ":" in its name is written ./name)`;
  return new SyncerError('usage', text);
}
