import type { HashName } from '../../core/hash-names.ts';
import type { FileEntry } from '../../core/remote.ts';

/**
 * Whether two entries of one path have the same bytes, so that cached bytes of one are valid for the other. An equal
 * size alone is not enough.
 *
 * @param isFast ignore slow properties (`--vfs-fast-fingerprint` with a remote whose listings have no times): an
 * equal size is enough
 */
export function sameContent(a: FileEntry, b: FileEntry, isFast = false): boolean {
  if (a.size !== b.size || a.size < 0) return false;
  if (a.etag !== undefined && a.etag === b.etag) return true;
  const hashes = sameHashes(a, b);
  if (hashes !== undefined) return hashes;
  if (a.etag !== undefined && b.etag !== undefined) return false;
  if (isFast) return true;
  if (a.modTime !== undefined && b.modTime !== undefined) return a.modTime === b.modTime;
  return a.storedTime !== undefined && a.storedTime === b.storedTime;
}

/** `undefined` if they have no hash in common. */
function sameHashes(a: FileEntry, b: FileEntry): boolean | undefined {
  let known: boolean | undefined;
  for (const [name, hash] of Object.entries(a.hashes ?? {})) {
    const other = b.hashes?.[name as HashName];
    if (other === undefined) continue;
    if (other !== hash) return false;
    known = true;
  }
  return known;
}
