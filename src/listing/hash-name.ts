import { type ErrorCode, SyncerError } from '../core/errors.ts';
import { HASH_NAMES, type HashName } from '../core/hash-names.ts';

/** The hash that `text` names: `md5`, `MD5`, `SHA-1`, `QuickXorHash`. Throws `code` for an unknown one. */
export function parseHashName(text: string, code: ErrorCode = 'command-line'): HashName {
  const plain = text.toLowerCase().replaceAll('-', '');
  const found = HASH_NAMES.find((name) => name === plain || `${name}hash` === plain);
  if (found !== undefined) return found;
  throw new SyncerError(code, `unknown hash type "${text}" (known are ${HASH_NAMES.join(', ')})`);
}
