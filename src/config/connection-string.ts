import { SyncerError } from '../core/errors.ts';
import { compareNames } from '../core/name-order.ts';

/** `:type,key=value,flag:path`, keys in order, as rclone prints it; reads back to the same. */
export function formatConnectionString(
  type: string,
  values: readonly (readonly [key: string, value: string])[],
  path: string,
): string {
  const options = values
    .toSorted(([a], [b]) => compareNames(a, b))
    .map(([key, value]) => {
      return value === 'true' ? `,${key}` : `,${key}=${quoted(value)}`;
    });
  return `:${type}${options.join('')}:${path}`;
}

function quoted(value: string): string {
  return /[:,='"]/.test(value) ? `'${value.replaceAll("'", "''")}'` : value;
}

/** The `key=value` list that starts at `from`; `next` is after the colon that ends it. */
export function parseOverrides(
  spec: string,
  from: number,
): { overrides: Map<string, string>; next: number } {
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
export function broken(spec: string, why: string): SyncerError {
  const head = /^:?[^,:]*/.exec(spec)?.[0] ?? '';
  const shown = spec.includes('=', head.length) ? `${head},…` : spec;
  return new SyncerError(
    'usage',
    `"${shown}" cannot be read as a remote path: ${why} (a local file with ":" in its name is written ./name)`,
  );
}
