import type { HashName } from '../../core/hash-names.ts';
import { HASH_NAMES, parseHashName } from '../../listing/hash-name.ts';
import type { Output } from '../command.ts';

/** The hashes there are, as `hashsum` without arguments prints them. */
export function supportedHashes(): string {
  return `Supported hashes are:\n${HASH_NAMES.map((name) => `  * ${name}\n`).join('')}`;
}

/**
 * The hash of this name. Rejects with `usage` where there is none; those that there are go to standard output before,
 * as in rclone.
 */
export async function hashNamed(text: string, out: Output): Promise<HashName> {
  try {
    return parseHashName(text);
  } catch (thrown) {
    await out.write(`${supportedHashes()}\n`);
    throw thrown;
  }
}
