import type { JournalRecord } from './journal-record.ts';

/** How much the cache may hold, and for how long. */
export interface CacheLimits {
  /** In milliseconds since the last use; `undefined`: for ever. */
  readonly maxAgeMs: number | undefined;
  /** `undefined`: no limit. */
  readonly maxBytes: number | undefined;
  readonly nowMs: number;
}

/**
 * Which of the files that may go do go: all that were not used for too long, then those that were used longest ago
 * until the rest is small enough.
 *
 * @param total bytes of all cached files, those that may not go included.
 */
export function chooseVictims(
  mayGo: readonly JournalRecord[],
  total: number,
  { maxAgeMs, maxBytes, nowMs }: CacheLimits,
): JournalRecord[] {
  const victims: JournalRecord[] = [];
  let left = total;
  for (const record of mayGo.toSorted((a, b) => a.used - b.used)) {
    const isOld = maxAgeMs !== undefined && nowMs - record.used > maxAgeMs;
    const isTooMuch = maxBytes !== undefined && left > maxBytes;
    if (!isOld && !isTooMuch) break;
    victims.push(record);
    left -= bytesOf(record);
  }
  return victims;
}

/** What a cached file takes on the disk, in bytes. */
export function bytesOf({ edges }: Pick<JournalRecord, 'edges'>): number {
  let bytes = 0;
  for (let i = 0; i + 1 < edges.length; i += 2) bytes += (edges[i + 1] ?? 0) - (edges[i] ?? 0);
  return bytes;
}
