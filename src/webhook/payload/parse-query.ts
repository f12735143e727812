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
    try {
      const key = unescapePercent(equals < 0 ? pair : pair.slice(0, equals), true);
      const value = equals < 0 ? '' : unescapePercent(pair.slice(equals + 1), true);
      if (!values.has(key)) values.set(key, value);
    } catch (thrown) {
      if (!(thrown instanceof GoFault)) throw thrown;
      fault ??= thrown.message;
    }
  }
  return fault === undefined ? { values } : { values, fault };
}

/**
 * Undoes percent codes, byte by byte. Throws `GoFault` for a bad one.
 * @param plusIsBlank as in queries and forms
 */
export function unescapePercent(text: string, plusIsBlank: boolean): string {
  const spaced = plusIsBlank ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  const bytes = nameToBytes(spaced);
  const out = Buffer.alloc(bytes.length);
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    if (byte !== 0x25) {
      out[length++] = byte;
      continue;
    }
    const code = bytes.toString('latin1', i + 1, i + 3);
    if (!/^[0-9a-fA-F]{2}$/.test(code)) {
      const wrong = nameFromBytes(bytes.subarray(i, i + 3));
      throw new GoFault(`invalid URL escape ${goQuote(wrong)}`);
    }
    out[length++] = Number.parseInt(code, 16);
    i += 2;
  }
  return nameFromBytes(out.subarray(0, length));
}
