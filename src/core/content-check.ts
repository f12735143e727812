import { contentHasher } from './content-hash.ts';
import { SyncerError } from './errors.ts';
import type { Hashes, HashName } from './hash-names.ts';
import type { WriteSource } from './remote.ts';

/** Watches the content of one write pass, and tells at the end whether it is what was promised. */
export interface ContentCheck {
  /** Throws `corrupted` as soon as more bytes pass than were promised. */
  update(chunk: Uint8Array): void;
  /** How many bytes passed, with their hashes. Throws `corrupted` where size or a hash is not as promised. */
  finish(): { readonly size: number; readonly hashes: Hashes };
}

/**
 * The check for the size and the hashes a source promises.
 *
 * @param also hashes that the writer wants to know besides.
 */
export function contentCheck(source: WriteSource, also: readonly HashName[] = []): ContentCheck {
  const promised = Object.entries(source.hashes ?? {}) as [HashName, string][];
  const hasher = contentHasher([...new Set([...promised.map(([name]) => name), ...also])]);
  let size = 0;
  const corrupted = (what: string) =>
    new SyncerError('corrupted', `corrupted on transfer: ${what}`, {
      path: source.path,
    });
  return {
    update(chunk) {
      size += chunk.length;
      if (source.size !== undefined && size > source.size) {
        throw corrupted(`got more than the expected ${source.size} bytes`);
      }
      hasher.update(chunk);
    },
    finish() {
      if (source.size !== undefined && size !== source.size) {
        throw corrupted(`sizes differ ${source.size} vs ${size}`);
      }
      const hashes = hasher.digest();
      for (const [name, expected] of promised) {
        const found = hashes[name];
        if (found !== undefined && found !== expected.toLowerCase()) {
          throw corrupted(`${name} hash differ "${expected}" vs "${found}"`);
        }
      }
      return { size, hashes };
    },
  };
}
