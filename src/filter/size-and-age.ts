import { SyncerError } from '../core/errors.ts';
import {
  asSeen,
  type ModTime,
  modTimeFromMs,
  modTimeToMs,
  splitModTime,
} from '../core/mod-time.ts';
import { formatSizeUnit } from '../go/byte-size.ts';
import { DURATION_OFF } from '../go/duration.ts';
import type { FilterSubject } from './filter.ts';

/** The sizes and times a file must have; each bound is inclusive and may be absent. */
export interface SizeAndAge {
  /** In bytes. */
  readonly minSize: number | undefined;
  readonly maxSize: number | undefined;
  /** From `--max-age`. */
  readonly oldest: ModTime | undefined;
  /** From `--min-age`. */
  readonly newest: ModTime | undefined;
  /** Times are those at which the store wrote the files, if it says them (`--use-server-modtime`). */
  readonly usesStoredTime: boolean;
}

/**
 * The bounds from the values of the flags.
 *
 * @param minAgeMs What `parseDuration` gave; Infinity for none. Throws `usage` where it is above `maxAgeMs`.
 */
export function sizeAndAge(
  sizes: { readonly min: number; readonly max: number },
  minAgeMs: number,
  maxAgeMs: number,
  nowMs: number,
  usesStoredTime = false,
): SizeAndAge {
  const timeAt = (age: number) => (age === DURATION_OFF ? undefined : modTimeFromMs(nowMs - age));
  const oldest = timeAt(maxAgeMs);
  const newest = timeAt(minAgeMs);
  if (oldest !== undefined && newest !== undefined && newest < oldest) {
    throw new SyncerError('usage', "--min-age can't be larger than --max-age");
  }
  const sizeOf = (size: number) => (size < 0 ? undefined : size);
  return { minSize: sizeOf(sizes.min), maxSize: sizeOf(sizes.max), oldest, newest, usesStoredTime };
}

/** Whether a file lies within the bounds. A size that is not known (-1) is below every `minSize`. */
export function isWithinSizeAndAge(bounds: SizeAndAge, file: FilterSubject): boolean {
  const { minSize, maxSize, oldest, newest } = bounds;
  const { size, modTime } = asSeen(file, bounds.usesStoredTime);
  if (minSize !== undefined && size < minSize) return false;
  if (maxSize !== undefined && size > maxSize) return false;
  if (modTime === undefined) return true;
  return !(oldest !== undefined && modTime < oldest) && !(newest !== undefined && modTime > newest);
}

/** The bound that a file does not meet; `undefined` if it meets all: `isWithinSizeAndAge`. */
export function explainSizeAndAge(
  bounds: SizeAndAge,
  file: FilterSubject,
): { readonly rule: string; readonly from: string } | undefined {
  if (isWithinSizeAndAge(bounds, file)) return undefined;
  const { minSize, maxSize, oldest } = bounds;
  const { size, modTime } = asSeen(file, bounds.usesStoredTime);
  if (minSize !== undefined && size < minSize) {
    const what = size < 0 ? 'an unknown size is' : `${size} bytes are`;
    return { rule: `${what} less than ${minSize}`, from: '--min-size' };
  }
  if (maxSize !== undefined && size > maxSize) {
    return { rule: `${size} bytes are more than ${maxSize}`, from: '--max-size' };
  }
  const isOld = oldest !== undefined && modTime !== undefined && modTime < oldest;
  const bound = (isOld ? oldest : bounds.newest) ?? 0n;
  const rule = `${formatTime(modTime ?? 0n)} is ${isOld ? 'before' : 'after'} ${formatTime(bound)}`;
  return { rule, from: isOld ? '--max-age' : '--min-age' };
}

/** The bounds as `--dump filters` prints them. */
export function describeBounds({ oldest, newest, minSize, maxSize }: SizeAndAge): string[] {
  const lines: string[] = [];
  const date = 'Last-modified date must be equal or';
  if (oldest !== undefined) lines.push(`${date} greater than: ${formatTime(oldest)}`);
  if (newest !== undefined) lines.push(`${date} less than: ${formatTime(newest)}`);
  if (minSize !== undefined) lines.push(`Minimum size is: ${formatSizeUnit(minSize)}`);
  if (maxSize !== undefined) lines.push(`Maximum size is: ${formatSizeUnit(maxSize)}`);
  return lines;
}

/** `2026-11-18 09:35:18.627456339 +0000 UTC`. */
function formatTime(time: ModTime): string {
  const date = new Date(modTimeToMs(time)).toISOString().replace('T', ' ').slice(0, -5);
  return `${date}.${String(splitModTime(time).nanoseconds).padStart(9, '0')} +0000 UTC`;
}
