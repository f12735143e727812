import { nameFromBytes } from '../../../core/name-bytes.ts';
import { S3Error } from './s3-error.ts';

const NEEDS_DECODING = /[%\u0080-\u00ff]/;

/**
 * Decodes percent encoding in text from HTTP (one character a byte); bytes that are not UTF-8 survive. Throws
 * `InvalidURI` for `%` without two digits.
 */
export function uriDecode(text: string): string {
  if (!NEEDS_DECODING.test(text)) return text;
  const raw = Buffer.from(text, 'latin1');
  const bytes = Buffer.allocUnsafe(raw.length);
  let length = 0;
  for (let i = 0; i < raw.length; i++) {
    const byte = raw[i] ?? 0;
    if (byte !== 0x25) {
      bytes[length++] = byte;
      continue;
    }
    const high = hexDigit(raw[i + 1]);
    const low = hexDigit(raw[i + 2]);
    if (high < 0 || low < 0) throw new S3Error('InvalidURI');
    bytes[length++] = high * 16 + low;
    i += 2;
  }
  return nameFromBytes(bytes.subarray(0, length));
}

function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : -1;
}

/** The parameters of a URL, decoded; a repeated name keeps its first value. */
export type Query = ReadonlyMap<string, string>;

/** Name and value of every parameter of the part of a URL after `?`, decoded, in order. */
export function parseQuery(text: string): [name: string, value: string][] {
  if (text === '') return [];
  const pairs: [string, string][] = [];
  for (const part of text.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = equals < 0 ? part : part.slice(0, equals);
    const value = equals < 0 ? '' : part.slice(equals + 1);
    pairs.push([uriDecode(name.replaceAll('+', ' ')), uriDecode(value.replaceAll('+', ' '))]);
  }
  return pairs;
}

/** The parameters by name. */
export function queryFromPairs(pairs: readonly (readonly [string, string])[]): Query {
  const query = new Map<string, string>();
  for (const [name, value] of pairs) if (!query.has(name)) query.set(name, value);
  return query;
}

/** A parameter's value as the text of a header, one character a byte. Throws if no header can have it. */
export function headerValue(text: string): string {
  const latin1 = Buffer.from(text, 'utf8').toString('latin1');
  if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(latin1)) throw new S3Error('InvalidArgument');
  return latin1;
}
