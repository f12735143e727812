import type { IncomingHttpHeaders } from 'node:http';

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
