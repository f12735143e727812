import { compareNames } from '../core/name-order.ts';

/**
 * Names with their numbers by value: `file2` before `file10`. Digits come before other characters; of equal
 * numbers the one with fewer leading zeros comes first. Only ASCII digits count.
 */
export function compareNatural(a: string, b: string): number {
  const left = pieces(a);
  const right = pieces(b);
  for (let i = 0; i < left.length && i < right.length; i++) {
    const difference = comparePieces(left[i] ?? '', right[i] ?? '');
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** A number is one piece, every other character another. */
function pieces(text: string): string[] {
  return text.match(/\d+|./gsu) ?? [];
}

function comparePieces(a: string, b: string): number {
  const aIsNumber = /^\d/.test(a);
  if (aIsNumber !== /^\d/.test(b)) return aIsNumber ? -1 : 1;
  if (!aIsNumber) return compareNames(a, b);
  const [x, y] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')];
  return x.length - y.length || compareNames(x, y) || a.length - b.length;
}
