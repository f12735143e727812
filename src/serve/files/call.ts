import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { decodeUri, encodeUriPath } from '../../backends/s3-protocol/uri-encoding.ts';
import { modTimeToMs } from '../../core/mod-time.ts';
import { once } from '../../core/once.ts';
import type { FileEntry, Op } from '../../core/remote.ts';
import { joinPath } from '../../core/remote-path.ts';
import type { Run } from '../../engine/run.ts';
import { systemMimeTypes } from '../../names/mime-types.ts';
import { HttpError } from '../http-error.ts';
import type { ServedTree, TreeOptions } from './served-tree.ts';

/** What the handlers of all requests share. */
export interface FileServices {
  readonly tree: ServedTree;
  readonly options: {
    /** `''` or `/pre`. */
    readonly base: string;
    readonly allowsListing: boolean;
    readonly allowsZip: boolean;
    /** Ranges are ignored (`--no-seek`). */
    readonly noSeek: boolean;
    /** Some metadata of files is sent as headers (`--metadata`). */
    readonly sendsMetadata: boolean;
    /** How often an interrupted read of the remote is continued. */
    readonly lowLevelRetries: number;
  };
  /** Of the whole server: its events, its bandwidth. */
  readonly run: Run;
}

export interface FileCall extends FileServices, RequestTarget {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Who logged in; `''` without logins. */
  readonly user: string;
  /** Aborted when the client leaves. */
  readonly op: Op;
  /** The body of the request; clients that wait for `100 Continue` get it. */
  body(): IncomingMessage;
  /** Sends the head of the response. */
  head(status: number, headers: OutgoingHttpHeaders): void;
}

/** Sends a whole response. */
export function respond(
  call: FileCall,
  status: number,
  headers: OutgoingHttpHeaders = {},
  body: string | Buffer = '',
): void {
  const hasBody = status !== 204 && status !== 304;
  const length = hasBody ? { 'content-length': Buffer.byteLength(body) } : {};
  call.head(status, { ...length, ...headers });
  call.response.end(call.request.method === 'HEAD' || !hasBody ? undefined : body);
}

/** A header that was sent once. */
export function header({ request }: Pick<FileCall, 'request'>, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** What the URL of a request names. */
interface RequestTarget {
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

/**
 * The ETag of a file with its quotes: the hash of `--etag-hash`, the server's own, or time and size as in rclone.
 * `undefined` if none is known.
 */
export function etagOf(
  file: FileEntry,
  { etagHash, noModTime }: Pick<TreeOptions, 'etagHash' | 'noModTime'>,
): string | undefined {
  const hash = etagHash === undefined ? undefined : file.hashes?.[etagHash];
  if (hash !== undefined) return `"${hash}"`;
  const own = file.etag?.replace(/^W\//, '').replaceAll('"', '');
  if (own !== undefined && /^[!-~]+$/.test(own)) return `"${own}"`;
  if (noModTime || file.modTime === undefined || file.size < 0) return undefined;
  return `"${BigInt.asUintN(64, file.modTime).toString(16)}${file.size.toString(16)}"`;
}

/** Milliseconds since the epoch, in whole seconds as HTTP has them; `undefined` if unknown. */
export function lastModified(
  { modTime }: { readonly modTime?: bigint },
  { noModTime }: Pick<TreeOptions, 'noModTime'>,
): number | undefined {
  if (modTime === undefined || noModTime) return undefined;
  const ms = modTimeToMs(modTime);
  // What a date of HTTP can express.
  const isDate = ms >= -62_135_596_800_000 && ms < 253_402_300_800_000;
  return isDate ? Math.floor(ms / 1000) * 1000 : undefined;
}

const types = once(() => systemMimeTypes());

/** The MIME type of a file, by the remote or by its name. */
export function contentTypeOf({ path, mimeType }: FileEntry): string {
  if (mimeType !== undefined && /^[\w.+-]+\/[ -~]+$/.test(mimeType)) return mimeType;
  return types()(path);
}
