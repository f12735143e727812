import { nameFromBytes, nameToBytes } from '../../../core/name-bytes.ts';

/** The directory inside a bucket's directory for everything except objects. */
export const HIDDEN = '.syncer-s3';
/** Below it: objects whose keys cannot be file names. */
export const ESCAPED = `${HIDDEN}/keys`;

/** Longest name of a file on Linux, in bytes. */
const MAX_NAME = 255;
/** Longest piece of an escaped key, in characters. */
const PIECE = 200;

/**
 * The natural file of a key: the key itself as a path below the bucket's directory. `undefined` for keys that are no
 * such path: empty segments (`//`, a slash at either end), `.` and `..`, segments over 255 bytes, NUL, and everything
 * below `.syncer-s3`.
 */
export function plainFile(key: string): string | undefined {
  if (key.includes('\0')) return undefined;
  const segments = key.split('/');
  if (segments[0] === HIDDEN) return undefined;
  for (const segment of segments) {
    if (segment === '' || segment === '.' || segment === '..') return undefined;
    if (segment.length * 3 > MAX_NAME && nameToBytes(segment).length > MAX_NAME) return undefined;
  }
  return key;
}

/**
 * The file that any key can have: `.syncer-s3/keys/` and the key with every byte but `A-Z a-z 0-9 - _ ~` as `%XX`,
 * cut into pieces of 200 characters. Each piece but the last is a directory and ends in `+`, which the encoding never
 * produces, so that no key's file is another key's directory, and no two keys share a file.
 *
 * Also used for a plain key whose path is taken: `a` if `a/b` is a file, or the reverse.
 */
export function escapedFile(key: string): string {
  let encoded = '';
  for (const byte of nameToBytes(key)) {
    const char = String.fromCharCode(byte);
    encoded += /[A-Za-z0-9\-_~]/.test(char)
      ? char
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  const pieces: string[] = [];
  for (let at = 0; at < encoded.length; at += PIECE) pieces.push(encoded.slice(at, at + PIECE));
  return `${ESCAPED}/${pieces.join('+/')}`;
}

/** Undoes `escapedFile`, without its leading `.syncer-s3/keys/`; `undefined` for other files. */
export function keyOfEscapedFile(path: string): string | undefined {
  const encoded = path.replaceAll('+/', '');
  if (!/^(?:[A-Za-z0-9\-_~]|%[0-9A-F]{2})+$/.test(encoded)) return undefined;
  const bytes: number[] = [];
  for (let i = 0; i < encoded.length; i++) {
    const percent = encoded[i] === '%';
    bytes.push(percent ? Number.parseInt(encoded.slice(i + 1, i + 3), 16) : encoded.charCodeAt(i));
    if (percent) i += 2;
  }
  const key = nameFromBytes(Uint8Array.from(bytes));
  return escapedFile(key) === `${ESCAPED}/${path}` ? key : undefined;
}
