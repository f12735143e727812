import { combineCrc32, crc32Text } from '../../hashes/crc32.ts';
import type { AnyOrderCheck, WrittenCheck } from './written-check.ts';

/** Parts start at multiples of this many bytes. */
export const ALIGNMENT = 1024 * 1024;

/** A range of the file. */
export interface FilePart {
  readonly offset: number;
  readonly length: number;
}

/** Cuts `size` bytes into at most `count` ranges of about the same length. */
export function partsOf(size: number, count: number): FilePart[] {
  const length = Math.ceil(size / count / ALIGNMENT) * ALIGNMENT;
  const parts: FilePart[] = [];
  for (let offset = 0; offset < size; offset += length) {
    parts.push({ offset, length: Math.min(length, size - offset) });
  }
  return parts;
}

/** The CRC-32 of a file from those of its parts. */
export function crcOf(parts: readonly FilePart[], sums: readonly number[]): string {
  let whole = 0;
  parts.forEach(({ length }, at) => {
    whole = combineCrc32(whole, sums[at] ?? 0, length);
  });
  return crc32Text(whole);
}

/** Reports to a check that reads in order how far the parts are written without a gap. */
export function checkInOrder(
  parts: readonly FilePart[],
  size: number,
  check: WrittenCheck,
): AnyOrderCheck {
  const written = parts.map(() => 0);
  const length = parts[0]?.length ?? 1;
  let first = 0;
  return {
    ...check,
    written(offset, bytes) {
      const at = Math.floor(offset / length);
      written[at] = offset - at * length + bytes;
      if (at !== first) return;
      while (first < parts.length && written[first] === parts[first]?.length) first++;
      check.written(Math.min(first * length + (written[first] ?? 0), size));
    },
  };
}
