import type { HashName } from '../core/hash-names.ts';

/** Digits of each hash in hexadecimal. */
const DIGITS: Readonly<Record<HashName, number>> = {
  md5: 32,
  sha1: 40,
  sha256: 64,
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
