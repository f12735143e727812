import { nameFromBytes } from '../../core/name-bytes.ts';

/** The last part of a URL's path; `undefined` if the path is empty. */
export function nameFromUrl(url: URL): string | undefined {
  return baseName(nameFromBytes(percentDecoded(url.pathname)));
}

/**
 * The file name in a `Content-Disposition` header (RFC 6266), without directories; `filename*` takes precedence.
 * `undefined` if there is none.
 */
export function nameFromDisposition(header: string | undefined): string | undefined {
  const params = parametersOf(header ?? '');
  const extended = /^([^']*)'[^']*'(.*)$/s.exec(params.get('filename*') ?? '');
  const name = extended === null ? params.get('filename') : decoded(extended[1], extended[2]);
  return name === undefined ? undefined : baseName(name.replaceAll('\\', '/'));
}

const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/gs;

function parametersOf(header: string): Map<string, string> {
  const params = new Map<string, string>();
  for (const [, name = '', quoted, plain] of header.matchAll(PARAMETER)) {
    // A backslash before a letter belongs to a Windows path, as in Go.
    const value = quoted?.replace(/\\(["\\])/g, '$1') ?? plain ?? '';
    params.set(name.toLowerCase(), value);
  }
  return params;
}

/** A value of RFC 8187 in UTF-8 or Latin-1; other character sets are not supported. */
function decoded(charset = '', text = ''): string | undefined {
  const bytes = percentDecoded(text);
  if (/^utf-8$/i.test(charset)) return nameFromBytes(bytes);
  return /^(iso-8859-1|us-ascii)$/i.test(charset) ? bytes.toString('latin1') : undefined;
}

function percentDecoded(text: string): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (const { index, 0: code } of text.matchAll(/%[\da-f]{2}/gi)) {
    parts.push(Buffer.from(text.slice(from, index)), Buffer.from(code.slice(1), 'hex'));
    from = index + code.length;
  }
  return Buffer.concat([...parts, Buffer.from(text.slice(from))]);
}

function baseName(path: string): string | undefined {
  const name = path.replace(/\/+$/, '').replace(/^.*\//s, '');
  return ['', '.', '..'].includes(name) || name.includes('\0') ? undefined : name;
}
