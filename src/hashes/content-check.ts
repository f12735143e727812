import { SyncerError } from '../core/errors.ts';
import type { Hashes, HashName } from '../core/hash-names.ts';
import type { WriteSource } from '../core/remote.ts';
import { contentHasher, hashesOf } from './content-hasher.ts';

/** Watches the content of one write pass, and returns at the end whether it is the expected one. */
export interface ContentCheck {
  /** Throws `corrupted` as soon as more bytes pass than were promised. */
  update(chunk: Uint8Array): void;
  /** How many bytes passed, with their hashes. Throws `corrupted` where size or a hash is not as promised. */
  finish(): { readonly size: number; readonly hashes: Hashes };
}

/** What is promised of a content. */
type Promised = Pick<WriteSource, 'path' | 'size' | 'hashes'>;

/** Checks the size and the hashes that a source promises, and computes those of `also`, too. */
export function contentCheck(source: Promised, also: readonly HashName[] = []): ContentCheck {
  const hasher = contentHasher(wantedHashes(source, also));
  let size = 0;
  return {
    update(chunk) {
      size += chunk.length;
      if (source.size !== undefined && size > source.size) {
        throw corrupted(source, `got more than the expected ${source.size} bytes`);
      }
      hasher.update(chunk);
    },
    finish() {
      checkSize(source, size);
      return { size, hashes: checkedHashes(source, hasher.digest()) };
    },
  };
}

/** As `contentCheck` for a whole content: its hashes. Throws `corrupted` if size or a hash is not as promised. */
export function checkWhole(
  source: Promised,
  content: Uint8Array,
  also: readonly HashName[] = [],
): { readonly hashes: Hashes } {
  checkSize(source, content.length);
  return { hashes: checkedHashes(source, hashesOf(wantedHashes(source, also), content)) };
}

function wantedHashes({ hashes }: Promised, also: readonly HashName[]): readonly HashName[] {
  return [...new Set([...(Object.keys(hashes ?? {}) as HashName[]), ...also])];
}

function checkSize(source: Promised, size: number): void {
  if (source.size === undefined || size === source.size) return;
  throw corrupted(source, `sizes differ ${source.size} vs ${size}`);
}

function checkedHashes(source: Promised, found: Hashes): Hashes {
  for (const [name, expected] of Object.entries(source.hashes ?? {}) as [HashName, string][]) {
    const hash = found[name];
    if (hash !== undefined && hash !== expected.toLowerCase()) throw wrongHash(source, name, hash);
  }
  return found;
}

/** A hash is not the one the source promises (`corrupted`). */
export function wrongHash(source: Promised, name: HashName, found: string): SyncerError {
  return corrupted(source, `${name} hash differ "${source.hashes?.[name]}" vs "${found}"`);
}

function corrupted({ path }: Promised, what: string): SyncerError {
  return new SyncerError('corrupted', `corrupted on transfer: ${what}`, { path });
}
