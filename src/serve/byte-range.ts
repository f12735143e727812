/** A part of a file, in bytes. */
export interface RequestedRange {
  readonly offset: number;
  readonly length: number;
}

/**
 * The part in a `Range` header. `undefined` for the whole: no header, several ranges, or an invalid header, by RFC
 * 9110. `unsatisfiable` after the end.
 */
export function readRange(
  text: string | undefined,
  size: number,
): RequestedRange | 'unsatisfiable' | undefined {
  const match = /^bytes=[ \t]*(\d*)-(\d*)$/i.exec(text?.trim() ?? '');
  if (match === null) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { offset: size - length, length };
  }
  const offset = Number(first);
  if (last !== '' && Number(last) < offset) return undefined;
  if (offset >= size) return 'unsatisfiable';
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return { offset, length: end - offset + 1 };
}

/** Value of `Content-Range`. */
export function contentRange(range: RequestedRange, size: number): string {
  return `bytes ${range.offset}-${range.offset + range.length - 1}/${size}`;
}
