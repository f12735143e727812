import type { IncomingHttpHeaders } from 'node:http';
import { modTimeToMs } from '../../core/mod-time.ts';
import type { FileEntry } from '../../core/remote.ts';
import { once } from '../../core/used-again.ts';
import { systemMimeTypes } from '../../names/mime-types.ts';
import type { TreeOptions } from './served-tree.ts';

/** What conditions are about: the ETag with its quotes, and the time in milliseconds, as far as they are known. */
export interface Validators {
  readonly exists: boolean;
  readonly etag: string | undefined;
  readonly modified: number | undefined;
}

/** The result of the conditions of a request, by RFC 9110, section 13.2.2: `304` only for reading. */
export function checkConditions(
  headers: IncomingHttpHeaders,
  { exists, etag, modified }: Validators,
  isReading: boolean,
): 'proceed' | 'not-modified' | 'failed' {
  const match = headers['if-match'];
  const unmodified = dateOf(headers['if-unmodified-since']);
  if (match !== undefined) {
    if (!(match.trim() === '*' ? exists : hasEtag(match, etag, true))) return 'failed';
  } else if (unmodified !== undefined && modified !== undefined && modified > unmodified) {
    return 'failed';
  }
  const noneMatch = headers['if-none-match'];
  const since = dateOf(headers['if-modified-since']);
  if (noneMatch !== undefined) {
    const isThere = noneMatch.trim() === '*' ? exists : hasEtag(noneMatch, etag, false);
    if (isThere) return isReading ? 'not-modified' : 'failed';
  } else if (isReading && since !== undefined && modified !== undefined && modified <= since) {
    return 'not-modified';
  }
  return 'proceed';
}

/** Whether a range of the current version is wanted: there is no `If-Range`, or it names that version. */
export function isRangeCurrent(
  ifRange: string | undefined,
  { etag, modified }: Pick<Validators, 'etag' | 'modified'>,
): boolean {
  if (ifRange === undefined) return true;
  const text = ifRange.trim();
  if (text.startsWith('"') || text.startsWith('W/')) return text === etag;
  return modified !== undefined && dateOf(text) === modified;
}

function hasEtag(list: string, etag: string | undefined, isStrong: boolean): boolean {
  if (etag === undefined) return false;
  for (const [whole] of list.matchAll(/(?:W\/)?"[^"]*"/g)) {
    if (whole === etag || (!isStrong && whole.replace(/^W\//, '') === etag)) return true;
  }
  return false;
}

function dateOf(text: string | undefined): number | undefined {
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
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
