import type { Inode } from '../mount-ops.ts';

/**
 * The number of a name in a directory, always the same, so that a forgotten file gets its number again: 52 bits of a
 * hash (cyrb53 by bryc, public domain), at least 1,024.
 */
export function inodeNumber(parent: Inode, name: string): Inode {
  let a = 0xdeadbeef ^ (parent | 0);
  let b = 0x41c6ce57 ^ ((parent / 0x1_0000_0000) | 0);
  for (let i = 0; i < name.length; i++) {
    const unit = name.charCodeAt(i);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return 1024 + (b & 0xfffff) * 0x1_0000_0000 + (a >>> 0);
}
