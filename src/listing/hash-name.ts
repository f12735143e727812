import { type ErrorCode, SyncerError } from '../core/errors.ts';
import type { HashName } from '../core/hash-names.ts';

/** The supported hashes, in the order of the help. */
export const HASH_NAMES: readonly HashName[] = [
  ...(['md5', 'sha1', 'crc32', 'sha256', 'sha512'] as const),
  ...(['blake3', 'xxh3', 'xxh128', 'quickxor'] as const),
];

/** The hash that `text` names: `md5`, `MD5`, `SHA-1`, `QuickXorHash`. Throws `code` for an unknown one. */
export function parseHashName(text: string, code: ErrorCode = 'command-line'): HashName {
  const plain = text.toLowerCase().replaceAll('-', '');
  const found = HASH_NAMES.find((name) => name === plain || `${name}hash` === plain);
  if (found !== undefined) return found;
  throw new SyncerError(code, `unknown hash type "${text}" (known are ${HASH_NAMES.join(', ')})`);
}
