import { timingSafeEqual } from 'node:crypto';
import { xsalsa20Stream } from './salsa20.ts';

/**
 * NaCl's secretbox (XSalsa20 and Poly1305), in which rclone keeps an encrypted configuration.
 * Good for a file of some kilobytes, too slow for content.
 */

/** Bytes that a box is longer than its message. */
export const BOX_OVERHEAD = 16;

const POLY_PRIME = (1n << 130n) - 5n;
const POLY_CLAMP = 0x0ffffffc0ffffffc0ffffffc0fffffffn;

/** Encrypts and authenticates; `key` has 32 bytes, `nonce` 24 that must never come again with this key. */
export function sealBox(message: Uint8Array, nonce: Uint8Array, key: Uint8Array): Uint8Array {
  const stream = xsalsa20Stream(key, nonce, message.length + 32);
  const cipher = xor(message, stream.subarray(32));
  return Buffer.concat([poly1305(cipher, stream.subarray(0, 32)), cipher]);
}

/** The message of a box; `undefined` where the key is wrong or a byte was changed. */
export function openBox(
  box: Uint8Array,
  nonce: Uint8Array,
  key: Uint8Array,
): Uint8Array | undefined {
  if (box.length < BOX_OVERHEAD) return undefined;
  const cipher = box.subarray(BOX_OVERHEAD);
  const stream = xsalsa20Stream(key, nonce, cipher.length + 32);
  const tag = poly1305(cipher, stream.subarray(0, 32));
  if (!timingSafeEqual(tag, box.subarray(0, BOX_OVERHEAD))) return undefined;
  return xor(cipher, stream.subarray(32));
}

function xor(a: Uint8Array, b: Uint8Array): Uint8Array {
  return a.map((byte, i) => byte ^ (b[i] ?? 0));
}

/** RFC 8439, section 2.5. */
function poly1305(message: Uint8Array, key: Uint8Array): Uint8Array {
  const r = fromLittleEndian(key.subarray(0, 16)) & POLY_CLAMP;
  const s = fromLittleEndian(key.subarray(16, 32));
  let sum = 0n;
  for (let at = 0; at < message.length; at += 16) {
    const block = message.subarray(at, at + 16);
    sum = ((sum + fromLittleEndian(block) + (1n << BigInt(8 * block.length))) * r) % POLY_PRIME;
  }
  const hex = ((sum + s) & ((1n << 128n) - 1n)).toString(16).padStart(32, '0');
  return Buffer.from(hex, 'hex').reverse();
}

function fromLittleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex') || '0'}`);
}
