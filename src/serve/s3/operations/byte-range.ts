import { type RequestedRange, readRange } from '../../byte-range.ts';
import type { PartSizes } from '../store/object-record.ts';
import { S3Error } from '../wire/s3-error.ts';

/** The part in a `Range` header, see `readRange`. Throws `InvalidRange` after the end. */
export function byteRange(text: string | undefined, size: number): RequestedRange | undefined {
  const range = readRange(text, size);
  if (range === 'unsatisfiable') throw unsatisfiable(size);
  return range;
}

function unsatisfiable(size: number): S3Error {
  return new S3Error('InvalidRange', { headers: { 'content-range': `bytes */${size}` } });
}

/** The number of parts in which an object was uploaded. */
export function partCount(parts: PartSizes): number {
  return parts.reduce((sum, [count]) => sum + count, 0);
}

/** The bytes of part `number`, counted from 1. An object uploaded whole is its own only part. */
export function partRange(
  parts: PartSizes | undefined,
  number: number,
  size: number,
): RequestedRange {
  let offset = 0;
  let before = 0;
  for (const [count, length] of parts ?? [[1, size]]) {
    if (Number.isInteger(number) && number > before && number <= before + count) {
      return { offset: offset + (number - before - 1) * length, length };
    }
    before += count;
    offset += count * length;
  }
  throw new S3Error('InvalidPartNumber');
}
