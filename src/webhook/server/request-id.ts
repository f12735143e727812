import { randomInt } from 'node:crypto';
import { nameFromBytes, nameToBytes } from '../../core/name-bytes.ts';
import type { ServerOptions } from './server-options.ts';

/** The id of a request for the log: what the client says where that is wanted, else random. */
export function requestId(
  header: string | undefined,
  { useRequestId, requestIdLimit }: ServerOptions,
): string {
  if (!useRequestId || !header) return randomRequestId();
  if (requestIdLimit <= 0) return header;
  return nameFromBytes(nameToBytes(header).subarray(0, requestIdLimit));
}

/** Six random hexadecimal digits. */
export function randomRequestId(): string {
  return randomInt(1 << 24)
    .toString(16)
    .padStart(6, '0');
}
