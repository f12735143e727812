import { nameFromBytes, nameToBytes } from '../../core/name-bytes.ts';
import { GoFault } from '../../go/go-errno.ts';
import { goQuote } from '../../go/go-texts.ts';
import type { GoMap } from '../../go/go-value.ts';

/** What a query or a form holds: the first value of each key, and what was wrong with a part of it. */
export interface ParsedQuery {
  readonly values: GoMap;
  /** In Go's words; the parts that it is about are not among the values. */
  readonly fault?: string;
}

/** Reads `a=1&b=2` as Go's `url.ParseQuery` does. */
export function parseQuery(text: string): ParsedQuery {
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
    const key = decodePercent(name, true);
    const value = decodePercent(written, true);
    if (key === undefined) fault ??= badEscape(name);
    else if (value === undefined) fault ??= badEscape(written);
    else if (!values.has(key)) values.set(key, value);
  }
  return fault === undefined ? { values } : { values, fault };
}

const PERCENT = '%'.charCodeAt(0);
const PLUS = '+'.charCodeAt(0);
const BLANK = ' '.charCodeAt(0);
/** What each byte stands for as a digit of a percent code; -1: it is none. */
const DIGITS = Int8Array.from({ length: 256 }, (_, byte) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(byte).toLowerCase()),
);

/**
 * Undoes percent codes, byte by byte. Throws `GoFault` for a bad one.
 * @param plusIsBlank as in queries and forms
 */
export function unescapePercent(text: string, plusIsBlank: boolean): string {
  const decoded = decodePercent(text, plusIsBlank);
  if (decoded === undefined) throw new GoFault(badEscape(text));
  return decoded;
}

/** Undoes percent codes, byte by byte; `undefined` where one is bad: there may be too many of them for exceptions. */
export function decodePercent(text: string, plusIsBlank: boolean): string | undefined {
  const hasPlus = plusIsBlank && text.includes('+');
  if (!hasPlus && !text.includes('%')) return text;
  const bytes = nameToBytes(text);
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    if (byte !== PERCENT) {
      bytes[length++] = hasPlus && byte === PLUS ? BLANK : byte;
      continue;
    }
    const high = DIGITS[bytes[i + 1] ?? PERCENT] ?? -1;
    const low = DIGITS[bytes[i + 2] ?? PERCENT] ?? -1;
    if (high < 0 || low < 0) return undefined;
    bytes[length++] = (high << 4) | low;
    i += 2;
  }
  return nameFromBytes(bytes.subarray(0, length));
}

/** What is wrong with the first bad percent code of a text, in Go's words. */
function badEscape(text: string): string {
  const bytes = nameToBytes(text);
  const at = bytes.toString('latin1').search(/%(?![0-9a-fA-F]{2})/);
  return `invalid URL escape ${goQuote(nameFromBytes(bytes.subarray(at, at + 3)))}`;
}
