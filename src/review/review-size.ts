import { formatSizeUnit } from '../go/byte-size.ts';

/** A size with at most one decimal; nothing where it is not known. */
export function reviewSize(bytes: number): string {
  if (bytes < 0) return '';
  return formatSizeUnit(bytes).replace(/(\.\d)\d*/, '$1');
}
