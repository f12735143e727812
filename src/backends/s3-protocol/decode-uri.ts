import { nameFromBytes } from '../../core/name-bytes.ts';

const NEEDS_DECODING = /[%\u0080-\u00ff]/;

/**
 * Decodes percent encoding in text from HTTP (one character a byte); bytes that are not UTF-8 survive. `undefined` for
 * `%` without two digits.
 */
export function decodeUri(text: string): string | undefined {
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
    if (high < 0 || low < 0) return undefined;
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
