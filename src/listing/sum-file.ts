import { type ErrorCode, SyncerError } from '../core/errors.ts';
import { HASH_NAMES, type HashName } from '../core/hash-names.ts';
import { encodingOf, fromStandardPath, symbolOf } from '../names/name-encoding.ts';

/** How names on a disk differ from the standard form. */
const ON_DISK = encodingOf(['Slash', 'Dot']);

/** Digits of each hash in hexadecimal. */
const DIGITS: Readonly<Record<HashName, number>> = {
  md5: 32,
  sha1: 40,
  sha256: 64,
  sha512: 128,
  blake3: 64,
  xxh3: 16,
  xxh128: 32,
  crc32: 8,
  quickxor: 40,
};

/**
 * A line as `md5sum` prints it: the hash, two blanks, the path. An unknown hash is as many blanks as it would
 * have digits.
 */
export function hashLine(
  hash: string | undefined,
  name: HashName,
  path: string,
  base64: boolean,
): string {
  const digits = DIGITS[name];
  const width = base64 ? Math.ceil(digits / 6) * 4 : digits;
  const text = hash === undefined || !base64 ? (hash ?? '') : hexToBase64(hash);
  return `${text.padStart(width)}  ${path}\n`;
}

/** Hexadecimal as URL-safe base64 with padding, as rclone prints it. */
export function hexToBase64(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64').replaceAll('+', '-').replaceAll('/', '_');
}

/**
 * A line of a manifest as `sha256sum` of GNU coreutils writes and reads it, with the name that a disk has: a path with a newline, a carriage return or
 * a backslash is escaped, and the line begins with a backslash.
 */
export function manifestLine(hash: string, standardPath: string): string {
  const path = fromStandardPath(ON_DISK, standardPath);
  const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r' };
  const escaped = path.replace(/[\\\n\r]/g, (char) => escapes[char] ?? char);
  return `${escaped === path ? '' : '\\'}${hash}  ${escaped}\n`;
}

/** The content of a SUM file. */
export interface SumFile {
  /** Hash by path, in lower case. */
  readonly sums: ReadonlyMap<string, string>;
  /** Lines that were skipped, and why; the first line of the file is 0. */
  readonly faults: readonly string[];
}

/**
 * Reads a file as `md5sum` writes it: hash, blank, blank or `*`, path; escaped after a backslash. Blank lines are skipped; other lines and
 * a second line for one path are, too, with a fault.
 */
export function parseSumFile(text: string): SumFile {
  const sums = new Map<string, string>();
  const faults: string[] = [];
  const plain: Record<string, string> = { n: '\n', r: '\r' };
  for (const [number, line] of text.split(/\r?\n/).entries()) {
    if (line === '') continue;
    const [, mark, hash, name = ''] = /^(\\?)([^ ]+) [ *](.+)$/s.exec(line) ?? [];
    const whole = mark ? name.replace(/\\(.)/gs, (_, char: string) => plain[char] ?? char) : name;
    const path = whole.replace(/[\x01-\x1f\x7f]/g, symbolOf);
    if (hash === undefined) faults.push(`improperly formatted checksum line ${number}`);
    else if (sums.has(path)) faults.push(`duplicate file on checksum line ${number}`);
    else sums.set(path, hash.toLowerCase());
  }
  return { sums, faults };
}

/** The hash that `text` names: `md5`, `MD5`, `SHA-1`, `QuickXorHash`. Throws `code` for an unknown one. */
export function parseHashName(text: string, code: ErrorCode = 'command-line'): HashName {
  const plain = text.toLowerCase().replaceAll('-', '');
  const found = HASH_NAMES.find((name) => name === plain || `${name}hash` === plain);
  if (found !== undefined) return found;
  throw new SyncerError(code, `unknown hash type "${text}" (known are ${HASH_NAMES.join(', ')})`);
}
