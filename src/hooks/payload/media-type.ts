import { GoFault } from '../go/go-fault.ts';

/** A header such as `form-data; name="a"`: what stands first in lower case, and the parameters behind it. */
export interface MediaType {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\[\s\S])*)"|([^\s;"]+))\s*/y;

/** Reads a header with parameters. Throws `GoFault` where it makes no sense. */
export function parseMediaType(text: string): MediaType {
  const semicolon = text.indexOf(';');
  const type = (semicolon < 0 ? text : text.slice(0, semicolon)).trim().toLowerCase();
  if (type === '') throw new GoFault('mime: no media type');
  const parameters = new Map<string, string>();
  const names = new Set<string>();
  let at = semicolon < 0 ? text.length : semicolon;
  while (at < text.length && !/^;?\s*$/.test(text.slice(at))) {
    PARAMETER.lastIndex = at;
    const match = PARAMETER.exec(text);
    if (match === null) throw new GoFault('mime: invalid media parameter');
    at += match[0].length;
    const [, name = '', quoted, bare = ''] = match;
    // Browsers write Windows paths without escapes: only quotes and backslashes are taken for escaped.
    const value = quoted === undefined ? bare : quoted.replace(/\\(["\\])/g, '$1');
    const lowerCase = name.toLowerCase();
    if (names.has(lowerCase)) throw new GoFault('mime: duplicate parameter name');
    names.add(lowerCase);
    const [key, decoded] = extended(lowerCase, value);
    if (key === undefined || (key === lowerCase && parameters.has(key))) continue;
    parameters.set(key, decoded);
  }
  return { type, parameters };
}

/** `name*=utf-8''a%20b`, as RFC 5987 has it. */
function extended(name: string, value: string): [name: string | undefined, value: string] {
  if (!name.endsWith('*')) return [name, value];
  const match = /^(?:utf-8|us-ascii)'[^']*'(.*)$/i.exec(value);
  if (match === null) return [undefined, value];
  try {
    return [name.slice(0, -1), decodeURIComponent(match[1] ?? '')];
  } catch {
    return [undefined, value];
  }
}
