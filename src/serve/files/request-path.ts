import { decodeUri, encodeUriPath } from '../../backends/s3-protocol/uri-encoding.ts';
import { joinPath } from '../../core/remote-path.ts';
import { HttpError } from '../http-error.ts';

/** What the URL of a request names. */
export interface RequestTarget {
  /** Relative to the served root; `''` is the root. */
  readonly path: string;
  /** The URL ends with a slash. */
  readonly isDir: boolean;
  readonly query: URLSearchParams;
}

/** `/pre` for `pre`, `/pre` or `/pre/` (`--baseurl`); `''` for none. */
export function cleanBase(base: string): string {
  const trimmed = base.replace(/^\/+|\/+$/g, '');
  return trimmed === '' ? '' : `/${trimmed}`;
}

/**
 * Reads the target of a request: a path, or a whole URL. Empty segments are dropped. Throws `HttpError`: 404 outside of
 * `base`, 400 for `.` and `..`, a slash or a NUL within a name, a fragment, and invalid
 * percent-encoding.
 */
export function readTarget(url: string, base: string): RequestTarget {
  const [, rawPath = '/', search = ''] =
    /^(?:https?:\/\/[^/?#]*)?([^?#]*)(?:\?([^#]*))?/i.exec(url) ?? [];
  // OPTIONS of the server as a whole.
  if (url === '*') return { path: '', isDir: true, query: new URLSearchParams() };
  if (url.includes('#')) throw new HttpError(400, 'Bad Request: a fragment in the URL');
  const rawBase = encodeUriPath(base);
  const isBase = rawPath === base || rawPath === rawBase;
  const prefix = [base, rawBase].find((one) => rawPath.startsWith(`${one}/`));
  if (prefix === undefined && !isBase) throw new HttpError(404, 'Not Found');
  const rest = prefix === undefined ? '' : rawPath.slice(prefix.length);
  let path = '';
  for (const raw of rest.split('/')) {
    if (raw === '') continue;
    const name = decodeUri(raw);
    const isBad = name === undefined || name === '.' || name === '..' || /[/\0]/.test(name);
    if (isBad) throw new HttpError(400, 'Bad Request: invalid path');
    path = joinPath(path, name);
  }
  return { path, isDir: rest.endsWith('/'), query: new URLSearchParams(search) };
}

/** The path of a URL for an entry; directories end with a slash. */
export function hrefOf(base: string, path: string, isDir: boolean): string {
  const slash = isDir && path !== '' ? '/' : '';
  return `${encodeUriPath(base)}/${encodeUriPath(path)}${slash}`;
}
