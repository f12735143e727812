import { decodePercent, nameFromBytes, nameToBytes } from '../../core/name-bytes.ts';
import { GoFault, goQuote } from '../../go/go-texts.ts';
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
