import type { IncomingHttpHeaders } from 'node:http';

/** A part of a file, in bytes. */
export interface RequestedRange {
  readonly offset: number;
  readonly length: number;
}

/**
 * The part in a `Range` header. `undefined` for the whole: no header, several ranges, or an invalid header, by RFC
 * 9110. `unsatisfiable` after the end.
 */
export function readRange(
  text: string | undefined,
  size: number,
): RequestedRange | 'unsatisfiable' | undefined {
  const match = /^bytes=[ \t]*(\d*)-(\d*)$/i.exec(text?.trim() ?? '');
  if (match === null) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { offset: size - length, length };
  }
  const offset = Number(first);
  if (last !== '' && Number(last) < offset) return undefined;
  if (offset >= size) return 'unsatisfiable';
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return { offset, length: end - offset + 1 };
}

/** Value of `Content-Range`. */
export function contentRange(range: RequestedRange, size: number): string {
  return `bytes ${range.offset}-${range.offset + range.length - 1}/${size}`;
}

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
