import { createHash } from 'node:crypto';
import { SyncerError } from '../core/errors.ts';
import { nameToBytes } from '../core/name-bytes.ts';

/**
 * Reads `--hash-filter K/N`: a test of paths that passes one part in N, the same files as rclone 1.75. K counts modulo
 * N; `@` is a random part. Throws `usage`.
 */
export function hashFilter(text: string): (path: string) => boolean {
  const slash = text.indexOf('/');
  if (slash < 0) throw new SyncerError('usage', `"${text}" has no "/": use K/N, e.g. 1/4, or @/N`);
  const [k, n] = [text.slice(0, slash), text.slice(slash + 1)];
  const parts = numberOf(n, 'N');
  if (parts === 0n) throw new SyncerError('usage', 'N must be greater than 0');
  const random = () => BigInt(Math.floor(Math.random() * Number.MAX_SAFE_INTEGER));
  const part = (k === '@' ? random() : numberOf(k, 'K')) % parts;
  return (path) => {
    // Names that a backend may take for one are in one part. The lower case of a character is one, as in Go.
    const folded = [...path.normalize('NFC')].map((one) => [...one.toLowerCase()][0]).join('');
    const digest = createHash('md5').update(nameToBytes(folded)).digest();
    return digest.readBigUInt64LE(0) % parts === part;
  };
}

function numberOf(text: string, name: 'K' | 'N'): bigint {
  const value = /^\d+$/.test(text) ? BigInt(text) : -1n;
  if (value >= 0n && value < 2n ** 64n) return value;
  throw new SyncerError('usage', `cannot parse ${name}="${text}": use a whole number`);
}
