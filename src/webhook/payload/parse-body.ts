import { setImmediate as letOthersRun } from 'node:timers/promises';
import type * as Saxes from 'saxes';
import { decodePercent, nameFromBytes, nameToBytes } from '../../core/name-bytes.ts';
import { GoFault, goQuote } from '../../go/go-texts.ts';
import { type GoMap, TooManyValues, ValueRoom } from '../../go/go-value.ts';
import { parseGoJson, parseGoJsonObject } from '../../go/parse-go-json.ts';

/** The parser that a content type stands for: plain searches, in this order, as in webhook 2.8.0. */
export function bodyKind(contentType: string): 'json' | 'form' | 'xml' | 'multipart' | 'none' {
  if (contentType.includes('json')) return 'json';
  if (contentType.includes('x-www-form-urlencoded')) return 'form';
  if (contentType.includes('xml')) return 'xml';
  return contentType.startsWith('multipart/form-data;') ? 'multipart' : 'none';
}

const AND = '&'.charCodeAt(0);
const BLANKS = new Set(Buffer.from(' \t\n\v\f\r'));
const LIST = '['.charCodeAt(0);
const PREFIXES = { json: 'JSON payload', form: 'form payload', xml: 'XML payload:' } as const;

/** A body that cannot be parsed. */
export class BodyFault extends GoFault {
  readonly kind: string;
  /** May quote the body. */
  readonly why: string;

  constructor(kind: string, why: string) {
    super(`error parsing ${kind} ${why}`);
    this.kind = kind;
    this.why = why;
  }
}

/**
 * The payload in a body that is read whole; a JSON list becomes `root`. Rejects with `BodyFault` and `TooManyValues`.
 */
export async function parseBody(kind: 'json' | 'form' | 'xml', body: Uint8Array): Promise<GoMap> {
  const isList = kind === 'json' && body.find((byte) => !BLANKS.has(byte)) === LIST;
  try {
    if (kind === 'xml') return await parseXml(body);
    if (kind === 'form') {
      const room = new ValueRoom();
      for (let at = body.indexOf(AND); at >= 0; at = body.indexOf(AND, at + 1)) room.take();
      const { values, fault } = parseQuery(nameFromBytes(body));
      if (fault === undefined) return values;
      throw new GoFault(fault);
    }
    return isList ? new Map([['root', parseGoJson(body)]]) : parseGoJsonObject(body);
  } catch (thrown) {
    if (!(thrown instanceof GoFault) || thrown instanceof TooManyValues) throw thrown;
    throw new BodyFault(isList ? 'JSON array payload' : PREFIXES[kind], thrown.message);
  }
}

interface OpenElement {
  readonly name: string;
  readonly members: GoMap;
  text: string;
}

const XML_BLANKS = '\t\r\n ';
/** Thrown to stop the parser: what follows the root does not matter. */
const ROOT_CLOSED = new Error('the root is closed');
/** Characters parsed at a time; other requests are served between two pieces. */
const PIECE = 1 << 20;

/**
 * An XML document as an object: elements by name, attributes with `-` before it, the text beside them as `#text`; an
 * element with nothing but text is that text, a repeated one a list. What follows the root is not looked at.
 * Rejects with `GoFault` and `TooManyValues`.
 */
export async function parseXml(bytes: Uint8Array): Promise<GoMap> {
  // The package is CommonJS: in the bundle it has only a default export.
  const { default: saxes } = (await import('saxes')) as unknown as { default: typeof Saxes };
  const parser = new saxes.SaxesParser();
  const root: OpenElement = { name: '', members: new Map(), text: '' };
  const open = [root];
  const room = new ValueRoom();
  const take = (text: string) => {
    const current = open.at(-1) ?? root;
    current.text = trimmed(text) || current.text;
  };
  let rootEnd = Number.POSITIVE_INFINITY;
  parser.on('error', ({ message }) => {
    throw parser.position > rootEnd ? ROOT_CLOSED : new GoFault(message);
  });
  parser.on('xmldecl', ({ encoding = 'utf-8' }) => {
    if (encoding.toLowerCase() !== 'utf-8')
      throw new GoFault(`the encoding is not UTF-8: ${encoding}`);
  });
  let members: GoMap = new Map();
  parser.on('attribute', ({ name, value }) => {
    room.take();
    members.set(`-${localName(name)}`, value);
  });
  parser.on('opentag', ({ name }) => {
    room.take();
    open.push({ name: localName(name), members, text: '' });
    members = new Map();
  });
  parser.on('text', take);
  parser.on('cdata', take);
  parser.on('closetag', () => {
    const { name, members, text } = open.pop() ?? root;
    if (members.size > 0 && text !== '') members.set('#text', text);
    const value = members.size === 0 ? text : members;
    const parent = (open.at(-1) ?? root).members;
    const before = parent.get(name);
    if (before === undefined) parent.set(name, value);
    else if (Array.isArray(before)) before.push(value);
    else parent.set(name, [before, value]);
    if (open.length === 1) rootEnd = parser.position;
  });
  const text = nameFromBytes(bytes);
  try {
    for (let at = 0; at < text.length; at += PIECE) {
      if (at > 0) await letOthersRun();
      parser.write(text.slice(at, at + PIECE));
    }
    parser.close();
  } catch (thrown) {
    if (thrown !== ROOT_CLOSED) throw thrown;
  }
  return root.members;
}

/** A name without the prefix of its namespace. */
function localName(name: string): string {
  const colon = name.indexOf(':');
  const isPrefixed = colon > 0 && colon < name.length - 1 && colon === name.lastIndexOf(':');
  return isPrefixed ? name.slice(colon + 1) : name;
}

/** Without blanks around it, in linear time. */
function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && XML_BLANKS.includes(text.charAt(start))) start++;
  while (end > start && XML_BLANKS.includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/**
 * Reads `a=1&b=2` as Go's `url.ParseQuery` does: the first value of each key, and what was wrong with a part of it, in
 * Go's words; that part is not among the values.
 */
export function parseQuery(text: string): { readonly values: GoMap; readonly fault?: string } {
  const values: GoMap = new Map();
  let fault: string | undefined;
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    if (pair.includes(';')) {
      fault = 'invalid semicolon separator in query';
      continue;
    }
    const equals = pair.indexOf('=');
    const name = equals < 0 ? pair : pair.slice(0, equals);
    const written = equals < 0 ? '' : pair.slice(equals + 1);
    const key = decodeCodes(name, true);
    const value = decodeCodes(written, true);
    if (key === undefined) fault ??= badEscape(name);
    else if (value === undefined) fault ??= badEscape(written);
    else if (!values.has(key)) values.set(key, value);
  }
  return fault === undefined ? { values } : { values, fault };
}

/**
 * Undoes percent codes, byte by byte. Throws `GoFault` for a bad one.
 * @param plusIsBlank as in queries and forms
 */
export function unescapePercent(text: string, plusIsBlank: boolean): string {
  const decoded = decodeCodes(text, plusIsBlank);
  if (decoded === undefined) throw new GoFault(badEscape(text));
  return decoded;
}

/** Undoes percent codes, byte by byte; `undefined` where one is bad: there may be too many of them for exceptions. */
export function decodeCodes(text: string, plusIsBlank: boolean): string | undefined {
  const spaced = plusIsBlank ? text.replaceAll('+', ' ') : text;
  return spaced.includes('%') ? decodePercent(nameToBytes(spaced)) : spaced;
}

/** What is wrong with the first bad percent code of a text, in Go's words. */
function badEscape(text: string): string {
  const bytes = nameToBytes(text);
  const at = bytes.toString('latin1').search(/%(?![0-9a-fA-F]{2})/);
  return `invalid URL escape ${goQuote(nameFromBytes(bytes.subarray(at, at + 3)))}`;
}
