/**
 * FNV-1a of the UTF-16 code units of a text, 32 bits: it differs if any one of them does. For sums and tables; loading
 * a cryptographic hash, or CRC-32 of zlib, costs each run milliseconds.
 */
export function fnv1a(text: string, seed = 0): number {
  let sum = 0x811c9dc5 ^ seed;
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  return sum >>> 0;
}
