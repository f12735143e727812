import { decodePercent, nameToBytes } from '../../core/name-bytes.ts';

const PLAIN_SEGMENT = /^[A-Za-z0-9\-._~]*$/;
const PLAIN_PATH = /^[A-Za-z0-9\-._~/]*$/;

/** Percent-encodes text as signature version 4 does (RFC 3986). Lone surrogates stand for bytes that are not UTF-8. */
export function encodeUri(text: string): string {
  return PLAIN_SEGMENT.test(text) ? text : encodeBytes(nameToBytes(text), false);
}

/** As `encodeUri`, for a key in a path: slashes stay. */
export function encodeUriPath(key: string): string {
  return PLAIN_PATH.test(key) ? key : encodeBytes(nameToBytes(key), true);
}

/** A query string in the canonical form of signature version 4: sorted by name, `=` also after empty values. */
export function canonicalQuery(query: readonly (readonly [string, string])[]): string {
  return query
    .map(([name, value]): [string, string] => [encodeUri(name), encodeUri(value)])
    .sort(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1))
    .map((pair) => pair.join('='))
    .join('&');
}

/** Each byte as it stands in a URI; made when it is first needed. */
let encoded: readonly string[] | undefined;

function encodeBytes(bytes: Uint8Array, keepSlash: boolean): string {
  encoded ??= Array.from({ length: 256 }, (_, byte) => {
    const character = String.fromCharCode(byte);
    const hex = byte.toString(16).toUpperCase().padStart(2, '0');
    return PLAIN_SEGMENT.test(character) ? character : `%${hex}`;
  });
  let text = '';
  for (const byte of bytes) text += keepSlash && byte === 0x2f ? '/' : encoded[byte];
  return text;
}

const NEEDS_DECODING = /[%\u0080-\u00ff]/;

/** Decodes percent encoding in latin1 text; bytes that are not UTF-8 survive. `undefined` for `%` without two digits. */
export function decodeUri(text: string): string | undefined {
  return NEEDS_DECODING.test(text) ? decodePercent(Buffer.from(text, 'latin1')) : text;
}
