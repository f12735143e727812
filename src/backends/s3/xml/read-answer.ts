import { SyncerError } from '../../../core/errors.ts';
import { nameFromBytes } from '../../../core/name-bytes.ts';
import { decodeEntities } from '../../s3-protocol/entities.ts';
import { bareEtag } from '../../s3-protocol/etag.ts';
import { childText, readXml, rootTag, type XmlElement } from '../../s3-protocol/read-xml.ts';

/** The keys are read from pieces of this size, in bytes: V8 makes strings of more than 128 KiB five times slower. */
const PIECE = 64 * 1024;

const FIRST_TAG = '<Contents>';
const LAST_TAG = '</Contents>';

/** Where the keys were in the rest of the document. XML has no such name. */
const MARK = '0';

/**
 * Reads a listing page in one pass, thirty times faster than an XML parser. Supports plain elements, text, entities
 * and a declaration; `undefined` for a document with anything else, which needs a parser.
 *
 * @param sizesOnly keys may lack everything but their sizes
 */
export function scanListPage(body: Buffer, sizesOnly = false): ListedPage | undefined {
  const begin = body.indexOf(FIRST_TAG);
  const end = body.lastIndexOf(LAST_TAG) + LAST_TAG.length;
  const whole = () => built(scanDocument(body.toString()));
  if (begin < 0 || end < begin) return whole();
  const keys: ListedKey[] = [];
  for (let at = begin, next: number; at < end; at = next) {
    const cut = at + PIECE < end ? body.lastIndexOf(LAST_TAG, at + PIECE) : -1;
    next = cut < at ? end : cut + LAST_TAG.length;
    // Between the keys is something else.
    if (!scanKeys(body.toString('utf8', at, next), keys, sizesOnly)) return whole();
  }
  const rest = `${body.toString('utf8', 0, begin)}<${MARK}/>${body.toString('utf8', end)}`;
  const page = scanDocument(rest);
  // Otherwise the keys are in another element.
  if (page?.fields.delete(MARK) !== true) return whole();
  return buildPage({ ...page, keys });
}

function built(page: PageBuilder | undefined): ListedPage | undefined {
  return page && buildPage(page);
}

/** Reads keys that follow one another; `false` if there is anything else. */
function scanKeys(text: string, keys: ListedKey[], sizesOnly: boolean): boolean {
  const scanner = new Scanner(text);
  const usualKey = sizesOnly ? () => scanner.usualSize() : () => scanner.usualKey();
  for (;;) {
    for (let key = usualKey(); key !== undefined; key = usualKey()) keys.push(key);
    const name = scanner.openElement();
    if (name === undefined) return scanner.isAtEnd();
    if (name !== 'Contents' || !scanKey(scanner, keys)) return false;
  }
}

function scanDocument(document: string): PageBuilder | undefined {
  const scanner = new Scanner(document);
  if (!scanner.openRoot('ListBucketResult')) return undefined;
  const page: PageBuilder = { keys: [], prefixes: [], fields: new Map() };
  for (;;) {
    const name = scanner.openElement();
    if (name === undefined) return scanner.closeRoot('ListBucketResult') ? page : undefined;
    if (name === 'Contents') {
      if (!scanKey(scanner, page.keys)) return undefined;
    } else if (name === 'CommonPrefixes') {
      if (!scanPrefixes(scanner, page)) return undefined;
    } else {
      const text = scanner.closeText(name);
      if (text === undefined) return undefined;
      page.fields.set(name, text);
    }
  }
}

function scanKey(scanner: Scanner, keys: ListedKey[]): boolean {
  let key = '';
  let size = '';
  let etag = '';
  let modified = '';
  let storageClass = '';
  for (;;) {
    const name = scanner.openElement();
    if (name === undefined) break;
    if (name === 'Owner' || name === 'RestoreStatus') {
      if (!scanner.skipTo(name)) return false;
      continue;
    }
    const text = scanner.closeText(name);
    if (text === undefined) return false;
    if (name === 'Key') key = text;
    else if (name === 'Size') size = text;
    else if (name === 'ETag') etag = text;
    else if (name === 'LastModified') modified = text;
    else if (name === 'StorageClass') storageClass = text;
  }
  keys.push(buildKey(key, size, etag, modified, storageClass));
  return scanner.closeElement('Contents');
}

function scanPrefixes(scanner: Scanner, page: PageBuilder): boolean {
  for (;;) {
    const name = scanner.openElement();
    if (name === undefined) return scanner.closeElement('CommonPrefixes');
    const text = scanner.closeText(name);
    if (text === undefined) return false;
    if (name === 'Prefix') page.prefixes.push(text);
  }
}

const LESS = 0x3c;
const GREATER = 0x3e;
const SLASH = 0x2f;

/** Names that occur a thousand times on a page; known ones need not be copied from the text. */
const USUAL_NAMES = ['Key', 'LastModified', 'ETag', 'Size', 'StorageClass', 'Contents', 'Owner'];

/** A key as nearly all servers write it. The compiled expression takes a third of the time of reading the elements. */
const USUAL_KEY = usualKey('([^<&]*)', '(\\w*)');

/** The same without what only its size needs: half the time. */
const USUAL_SIZE = usualKey('[^<&]*', '\\w*');

/** `text`, `word`: the expressions of what a key has beside its name and size. */
function usualKey(text: string, word: string): RegExp {
  return new RegExp(
    `<Contents><Key>([^<&]*)</Key><LastModified>${text}</LastModified><ETag>&quot;${text}&quot;</ETag>` +
      '(?:<Checksum(?:Algorithm|Type)>\\w*</Checksum(?:Algorithm|Type)>)*' +
      `<Size>(\\d+)</Size>(?:<StorageClass>${word}</StorageClass>)?</Contents>`,
    'y',
  );
}

/** A cursor over the document. A step that finds something unknown fails, and ends the scan. */
class Scanner {
  readonly #text: string;
  #at = 0;
  /** The last tag opened had no content: `<Prefix/>`. */
  #wasEmpty = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** Moves past the start tag of the root, which may have attributes. */
  openRoot(name: string): boolean {
    const root = rootTag(this.#text);
    if (root?.name !== name) return false;
    this.#at = root.end;
    return true;
  }

  /** Reads the next key if it is written in the usual way. */
  usualKey(): ListedKey | undefined {
    const found = this.#next(USUAL_KEY);
    if (found === null) return undefined;
    return buildKey(found[1] ?? '', found[4] ?? '', found[3] ?? '', found[2] ?? '', found[5] ?? '');
  }

  /** The same with nothing but its size. */
  usualSize(): ListedKey | undefined {
    const found = this.#next(USUAL_SIZE);
    if (found === null) return undefined;
    const size = readSize(found[2] ?? '');
    return { key: found[1] ?? '', size, etag: '', modifiedMs: undefined, storageClass: '' };
  }

  #next(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#text);
    if (found !== null) this.#at = expression.lastIndex;
    return found;
  }

  closeRoot(name: string): boolean {
    return this.closeElement(name) && this.isAtEnd();
  }

  isAtEnd(): boolean {
    return this.#text.slice(this.#at).trim() === '';
  }

  /** The name of the next child; `undefined` before an end tag, and before anything unknown. */
  openElement(): string | undefined {
    const text = this.#text;
    let at = this.#at;
    while (isSpace(text.charCodeAt(at))) at++;
    this.#at = at;
    if (text.charCodeAt(at) !== LESS || text.charCodeAt(at + 1) === SLASH) return undefined;
    for (const name of USUAL_NAMES) {
      if (!text.startsWith(name, at + 1) || text.charCodeAt(at + 1 + name.length) !== GREATER)
        continue;
      this.#wasEmpty = false;
      this.#at = at + name.length + 2;
      return name;
    }
    const end = text.indexOf('>', at);
    this.#wasEmpty = text.charCodeAt(end - 1) === SLASH;
    this.#at = end + 1;
    return text.slice(at + 1, this.#wasEmpty ? end - 1 : end);
  }

  /** The text of the element just opened, and its end tag; `undefined` if it has child elements. */
  closeText(name: string): string | undefined {
    if (this.#wasEmpty) return isName(name) ? '' : undefined;
    const start = this.#at;
    const end = this.#text.indexOf('<', start);
    if (end < 0) return undefined;
    this.#at = end;
    if (!this.closeElement(name)) return undefined;
    const text = this.#text.slice(start, end);
    return text.includes('&') ? decodeEntities(text) : text;
  }

  closeElement(name: string): boolean {
    const text = this.#text;
    const at = this.#at;
    if (!text.startsWith('</', at) || !text.startsWith(name, at + 2)) return false;
    const end = at + 2 + name.length;
    if (text.charCodeAt(end) !== GREATER) return false;
    this.#at = end + 1;
    return true;
  }

  /** Skips the content of an element that cannot hold another of its name. */
  skipTo(name: string): boolean {
    if (this.#wasEmpty) return true;
    const end = this.#text.indexOf(`</${name}>`, this.#at);
    if (end < 0 || /<[!?]/.test(this.#text.slice(this.#at, end))) return false;
    this.#at = end + name.length + 3;
    return true;
  }
}

function isName(text: string): boolean {
  return /^\w+$/.test(text);
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** A key of a listing. */
export interface ListedKey {
  /** As in the document: perhaps URL-encoded. */
  readonly key: string;
  readonly size: number;
  /** Without quotes; `''` if the listing has none. */
  readonly etag: string;
  /** Milliseconds since the epoch; `undefined` if the listing has none. */
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
  /** Other elements of the page, by name, with their text in the document. */
  readonly told: ReadonlyMap<string, string>;
}

/** A page while it is read. */
export interface PageBuilder {
  keys: ListedKey[];
  prefixes: string[];
  /** Elements that occur once. */
  fields: Map<string, string>;
}

/** The page from the content of the document. Throws `bad-answer` if that does not show whether it is complete. */
function buildPage({ keys, prefixes, fields }: PageBuilder): ListedPage {
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
  return {
    key,
    size: readSize(size),
    etag: bareEtag(etag),
    modifiedMs: listedTime(modified),
    storageClass,
  };
}

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

const USUAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The day of the last time: most keys of a page are of few days. */
let day = { text: '', ms: Number.NaN };

/**
 * A time of a listing in milliseconds since the epoch; `undefined` for other text. As `Date.parse`, in less time for
 * what nearly all servers write: `2024-01-31T10:20:30.000Z`.
 */
function listedTime(text: string): number | undefined {
  if (USUAL_TIME.test(text)) {
    if (!text.startsWith(day.text) || day.text === '') {
      const date = text.slice(0, 10);
      day = { text: date, ms: Date.parse(date) };
    }
    const hour = digits(text, 11, 2);
    const minute = digits(text, 14, 2);
    const second = digits(text, 17, 2);
    if (hour < 24 && minute < 60 && second < 60 && !Number.isNaN(day.ms)) {
      return day.ms + ((hour * 60 + minute) * 60 + second) * 1000 + digits(text, 20, 3);
    }
  }
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** The number that the digits at a place are. */
function digits(text: string, at: number, count: number): number {
  let number = 0;
  for (let i = at; i < at + count; i++) number = number * 10 + text.charCodeAt(i) - 0x30;
  return number;
}

/** The root of a document in a response. Rejects with `bad-answer` if it is not XML. */
export async function readAnswerXml(document: string): Promise<XmlElement> {
  return readXml(document).catch((cause) => {
    const text = 'the response is not XML; is the endpoint an S3 server?';
    throw new SyncerError('bad-answer', text, { cause });
  });
}

/**
 * Reads the response to a list request. Rejects with `bad-answer` for anything else.
 *
 * @param sizesOnly keys may lack everything but their sizes
 */
export async function readListPage(body: Buffer, sizesOnly = false): Promise<ListedPage> {
  return scanListPage(body, sizesOnly) ?? pageFromXml(await readAnswerXml(body.toString()));
}

/** The page from a fully parsed document: slow, and right for every document. */
export function pageFromXml(root: XmlElement): ListedPage {
  if (root.name !== 'ListBucketResult') {
    throw new SyncerError('bad-answer', `the server returned <${root.name}> instead of a listing`);
  }
  const fields = new Map<string, string>();
  const keys = [];
  const prefixes = [];
  for (const child of root.children) {
    if (child.name === 'Contents') {
      const text = (name: string) => childText(child, name) ?? '';
      keys.push(
        buildKey(
          text('Key'),
          text('Size'),
          text('ETag'),
          text('LastModified'),
          text('StorageClass'),
        ),
      );
    } else if (child.name === 'CommonPrefixes') {
      for (const prefix of child.children) if (prefix.name === 'Prefix') prefixes.push(prefix.text);
    } else fields.set(child.name, child.text);
  }
  return buildPage({ keys, prefixes, fields });
}

/** A key of a listing with `encoding-type=url`; a space is `+` or `%20`, depending on the server. */
export function decodeKey(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return nameFromBytes(decodeBytes(spaced));
  }
}

/** The bytes of percent escapes; anything else stays. */
function decodeBytes(text: string): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (const match of text.matchAll(/%([0-9a-f]{2})/gi)) {
    parts.push(Buffer.from(text.slice(from, match.index)));
    parts.push(Buffer.of(Number.parseInt(match[1] ?? '', 16)));
    from = match.index + 3;
  }
  parts.push(Buffer.from(text.slice(from)));
  return Buffer.concat(parts);
}
