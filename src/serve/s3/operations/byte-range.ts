import type { PartSizes } from '../store/object-record.ts';
import { S3Error } from '../wire/s3-error.ts';

/** A part of an object, in bytes. */
export interface RequestedRange {
  readonly offset: number;
  readonly length: number;
}

/**
 * The part in a `Range` header. `undefined` for the whole: no header, several ranges, or an invalid header, by RFC
 * 9110. Throws `InvalidRange` after the end.
 */
export function byteRange(text: string | undefined, size: number): RequestedRange | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(text?.trim() ?? '');
  if (match === null) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    if (length === 0) throw unsatisfiable(size);
    return { offset: size - length, length };
  }
  const offset = Number(first);
  if (last !== '' && Number(last) < offset) return undefined;
  if (offset >= size) throw unsatisfiable(size);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return { offset, length: end - offset + 1 };
}

/** Value of `Content-Range`. */
export function contentRange(range: RequestedRange, size: number): string {
  return `bytes ${range.offset}-${range.offset + range.length - 1}/${size}`;
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
