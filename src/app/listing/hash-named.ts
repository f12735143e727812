import type { HashName } from '../../core/hash-names.ts';
import { HASH_NAMES, parseHashName } from '../../listing/hash-name.ts';
import type { Output } from '../command.ts';

/** The supported hashes, as `hashsum` without arguments prints them. */
export function supportedHashes(): string {
  return `Supported hashes are:\n${HASH_NAMES.map((name) => `  * ${name}\n`).join('')}`;
}

/** The hash of this name. For an unknown one, prints the supported hashes, as in rclone, and rejects with `usage`. */
export async function hashNamed(text: string, out: Output): Promise<HashName> {
  try {
    return parseHashName(text);
  } catch (thrown) {
    await out.write(`${supportedHashes()}\n`);
    throw thrown;
  }
}
