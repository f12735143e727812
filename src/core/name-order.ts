import { nameToBytes } from './name-bytes.ts';

/**
 * The order of names everywhere: by bytes (UTF-8), as in S3, rclone and `LC_ALL=C sort`. JavaScript's `<` puts
 * U+1F600 before U+FF00.
 */
export function compareNames(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    // From the surrogates on, which also stand for single bytes, the order of units is not that of bytes.
    if ((x < 0xd800 && y < 0xd800) || x < 0x80 || y < 0x80) return x - y;
    return Buffer.compare(nameToBytes(a), nameToBytes(b));
  }
  return a.length - b.length;
}

/** The fields that `compareEntries` compares. */
interface Ordered {
  readonly kind: 'file' | 'dir';
  readonly path: string;
}

/**
 * The order of a sorted listing: names by bytes, a directory as if its name ended in `/`, as in S3 (`a-b` before
 * `a/`) and git trees.
 */
export function compareEntries(a: Ordered, b: Ordered): number {
  return compareNames(
    a.kind === 'dir' ? `${a.path}/` : a.path,
    b.kind === 'dir' ? `${b.path}/` : b.path,
  );
}

/**
 * Equal for names that differ only in case: each letter in lower case by itself, as in rclone. `toLowerCase` of a
 * whole word changes a final Σ.
 */
export function foldName(name: string): string {
  return name.replaceAll('\u03a3', '\u03c3').toLowerCase();
}
