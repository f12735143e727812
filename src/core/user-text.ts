import { nameFromBytes } from './name-bytes.ts';

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
