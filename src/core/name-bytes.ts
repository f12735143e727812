/**
 * Names as bytes. Linux allows any byte but NUL and `/` in a name; a JavaScript string cannot hold bytes
 * that are not UTF-8. Such a byte 0x80 to 0xFF becomes the lone surrogate U+DC80 to U+DCFF (as in Python's
 * PEP 383), so that every name goes to a string and back unchanged.
 */

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Which second bytes may follow: no forms that are too long, no surrogates, nothing beyond U+10FFFF. */
const SECOND_BYTES: Readonly<Record<number, readonly [least: number, most: number]>> = {
  224: [0xa0, 0xbf],
  237: [0x80, 0x9f],
  240: [0x90, 0xbf],
  244: [0x80, 0x8f],
};

/** The string for a name of any bytes. */
export function nameFromBytes(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    return decodeEscaping(bytes);
  }
}

/** The bytes of a name; undoes `nameFromBytes`. */
export function nameToBytes(name: string): Buffer {
  if (name.isWellFormed()) return Buffer.from(name, 'utf8');
  const bytes = Buffer.allocUnsafe(3 * name.length);
  let length = 0;
  let from = 0;
  for (let i = 0; i < name.length; i++) {
    const unit = name.charCodeAt(i);
    if (unit < 0xd800 || unit > 0xdfff) continue;
    if (unit < 0xdc00 && (name.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      i++;
      continue;
    }
    if (from < i) length += bytes.write(name.slice(from, i), length, 'utf8');
    if (unit >= 0xdc80 && unit <= 0xdcff) bytes[length++] = unit & 0xff;
    else length += bytes.write('\ufffd', length, 'utf8');
    from = i + 1;
  }
  length += bytes.write(name.slice(from), length, 'utf8');
  return Buffer.from(bytes.subarray(0, length));
}

/** The string for bytes with percent codes, which are decoded in place; `undefined` for `%` without two digits. */
export function decodePercent(bytes: Buffer): string | undefined {
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    let byte = bytes[i] ?? 0;
    if (byte === 0x25) {
      const [high, low] = [hexDigit(bytes[++i]), hexDigit(bytes[++i])];
      if (high < 0 || low < 0) return undefined;
      byte = high * 16 + low;
    }
    bytes[length++] = byte;
  }
  return nameFromBytes(bytes.subarray(0, length));
}

function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : -1;
}

/** In linear time and without exceptions: the bytes may be megabytes that are no text at all. */
function decodeEscaping(bytes: Uint8Array): string {
  const units = Buffer.allocUnsafe(2 * bytes.length);
  let end = 0;
  const put = (unit: number) => {
    units[end++] = unit & 0xff;
    units[end++] = unit >> 8;
  };
  let i = 0;
  while (i < bytes.length) {
    const length = sequenceLength(bytes, i);
    const first = bytes[i] ?? 0;
    let point = length < 2 ? first : first & (0xff >> (length + 1));
    for (let k = 1; k < length; k++) point = (point << 6) | ((bytes[i + k] ?? 0) & 0x3f);
    if (length === 0) put(0xdc00 | first);
    else if (point < 0x10000) put(point);
    else {
      put(0xd7c0 + (point >> 10));
      put(0xdc00 | (point & 0x3ff));
    }
    i += Math.max(1, length);
  }
  return units.toString('utf16le', 0, end);
}

/** Length of the well-formed UTF-8 sequence at `i`, 0 if there is none. */
function sequenceLength(bytes: Uint8Array, i: number): number {
  const first = bytes[i] ?? 0;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  for (let k = 1; k < length; k++) if (((bytes[i + k] ?? 0) & 0xc0) !== 0x80) return 0;
  const [least, most] = SECOND_BYTES[first] ?? [0x80, 0xbf];
  const second = bytes[i + 1] ?? 0;
  return second >= least && second <= most ? length : 0;
}

/**
 * The text of a file that a user wrote, perhaps with an editor on Windows: a byte order mark at the beginning is no
 * part of it, and UTF-16 with such a mark is read. Bytes that are not UTF-8 become as by `nameFromBytes`. Throws an
 * `Error` that says what to do for UTF-16 that is broken, and for NUL, which only lists of names that end with it
 * (`allowsNul`) and keys of any bytes have.
 */
export function userText(bytes: Uint8Array, { allowsNul = false } = {}): string {
  const wide = utf16Text(bytes);
  if (wide !== undefined && (bytes.length % 2 === 1 || !wide.isWellFormed())) {
    throw new Error('it is not valid UTF-16; save it as UTF-8');
  }
  if (!allowsNul && (wide?.includes('\0') ?? bytes.includes(0))) {
    throw new Error('it contains NUL bytes; if it is UTF-16, save it as UTF-8');
  }
  return wide ?? withoutMark(nameFromBytes(bytes));
}

/** A text without the byte order mark that it may begin with. */
export function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** The text of UTF-16 with a byte order mark, without the mark; `undefined` if the bytes begin with none. */
export function utf16Text(bytes: Uint8Array): string | undefined {
  const isBig = bytes[0] === 0xfe && bytes[1] === 0xff;
  if (!isBig && !(bytes[0] === 0xff && bytes[1] === 0xfe)) return undefined;
  const units = Buffer.from(bytes.subarray(2, bytes.length - (bytes.length % 2)));
  return (isBig ? units.swap16() : units).toString('utf16le');
}
