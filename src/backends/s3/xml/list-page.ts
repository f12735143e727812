import { SyncerError } from '../../../core/errors.ts';

/** A key as a listing tells it. */
export interface ListedKey {
  /** As it stands in the document: perhaps URL-encoded. */
  readonly key: string;
  readonly size: number;
  /** Without quotes; `''` where the listing does not tell it. */
  readonly etag: string;
  /** Milliseconds since the epoch; `undefined` where the listing does not tell it. */
  readonly modifiedMs: number | undefined;
  readonly storageClass: string;
}

/** One page of ListObjects, version 1 or 2. */
export interface ListedPage {
  readonly keys: readonly ListedKey[];
  readonly prefixes: readonly string[];
  readonly truncated: boolean;
  /** Of version 2. */
  readonly nextToken: string | undefined;
  /** Of version 1. */
  readonly nextMarker: string | undefined;
  /** Keys and prefixes are URL-encoded. */
  readonly urlEncoded: boolean;
  /** The store counted the keys, as only version 2 does. */
  readonly isVersion2: boolean;
  /** What else the page tells of itself, by the names of its elements, as it stands in the document. */
  readonly told: ReadonlyMap<string, string>;
}

/** A page while it is read. */
export interface PageBuilder {
  keys: ListedKey[];
  prefixes: string[];
  /** Of the elements that stand once. */
  fields: Map<string, string>;
}

/** The page from what was found in the document. Throws `bad-answer` where that does not tell whether it is all. */
export function buildPage({ keys, prefixes, fields }: PageBuilder): ListedPage {
  const truncated = fields.get('IsTruncated')?.trim().toLowerCase();
  if (truncated !== 'true' && truncated !== 'false') {
    throw new SyncerError('bad-answer', 'a listing does not say whether it is complete');
  }
  return {
    keys,
    prefixes,
    truncated: truncated === 'true',
    nextToken: fields.get('NextContinuationToken') || undefined,
    nextMarker: fields.get('NextMarker') || undefined,
    urlEncoded: fields.get('EncodingType')?.trim() === 'url',
    isVersion2: fields.has('KeyCount') || fields.has('NextContinuationToken'),
    told: fields,
  };
}

/** A key from the texts of its elements. */
export function buildKey(
  key: string,
  size: string,
  etag: string,
  modified: string,
  storageClass: string,
): ListedKey {
  const ms = Date.parse(modified);
  return {
    key,
    size: readSize(size),
    etag: stripQuotes(etag),
    modifiedMs: Number.isNaN(ms) ? undefined : ms,
    storageClass,
  };
}

/** An ETag without the quotes that most stores put around it, and without the mark of a weak one. */
export function stripQuotes(given: string): string {
  const etag = given.startsWith('W/') ? given.slice(2) : given;
  const last = etag.length - 1;
  const isQuoted = last > 0 && etag.charCodeAt(0) === QUOTE && etag.charCodeAt(last) === QUOTE;
  return isQuoted ? etag.slice(1, -1) : etag;
}

const QUOTE = 0x22;

/** A number of bytes in decimal digits; -1 for other text. */
function readSize(text: string): number {
  let size = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    size = size * 10 + digit;
  }
  return text === '' ? -1 : size;
}
