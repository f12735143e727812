import { nameFromBytes } from '../../core/name-bytes.ts';
import type { Redact } from './redact.ts';

/** Bytes of a body or an output that the log shows: to make more of them fit for it would delay other requests. */
export const MAX_LOGGED = 128 << 10;

/**
 * The beginning of a body or an output without secrets, and how much is missing.
 *
 * @param size of the whole, which `bytes` may be the beginning of
 */
export function shownBytes(bytes: Uint8Array, size: number, redact: Redact): string {
  const shown = bytes.subarray(0, MAX_LOGGED);
  const missing = size - shown.length;
  const text = redact(nameFromBytes(shown), missing > 0);
  return `${text}${missing === 0 ? '' : `\n[and ${missing} more bytes]`}`;
}
