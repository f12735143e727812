import { compareNames } from '../core/name-order.ts';

/** Keys of object stores have at most 1,024 bytes of UTF-8; longer texts divide nothing. */
const LONGEST = 256;

/** One more than the last code point. */
const BEYOND = 0x110000;

/**
 * A text between two names in the order of bytes, about in the middle of the names that may lie between them: by code
 * points, so that names in any script can be divided, and the kind of `low` first (after a digit another digit is most
 * likely). `undefined` if there is none of reasonable length.
 *
 * @param high absent: no end
 * @param seen an earlier name of the range: names like those between it and `low` probably follow, so that each
 *   character which they share is tried once, from the first on, before anything is divided
 */
export function middleName(low: string, high: string | undefined, seen = ''): string | undefined {
  const outer = behindShared(codes(low), high, codes(seen));
  if (outer !== undefined) return outer;
  const points = between(codes(low), high === undefined ? undefined : codes(high));
  if (points.length > LONGEST) return undefined;
  const middle = String.fromCodePoint(...points);
  const isBetween = compareNames(low, middle) < 0;
  return isBetween && (high === undefined || compareNames(middle, high) < 0) ? middle : undefined;
}

/** The next text behind all names that begin as `low` and `seen` do, by the first character at which that is in the range. */
function behindShared(
  low: readonly number[],
  high: string | undefined,
  seen: readonly number[],
): string | undefined {
  for (let at = 0; at < low.length && low[at] === seen[at]; at++) {
    const next = (low[at] ?? 0) + 1;
    if (next === BEYOND || (next >= 0xd800 && next <= 0xdfff)) continue;
    const point = String.fromCodePoint(...low.slice(0, at), next);
    if (high === undefined || compareNames(point, high) < 0) return point;
  }
  return undefined;
}

function between(low: readonly number[], high: readonly number[] | undefined): number[] {
  let shared = 0;
  while (shared < low.length && low[shared] === high?.[shared]) shared++;
  const prefix = low.slice(0, shared);
  const from = low[shared] ?? 0x1f;
  const to = high?.[shared] ?? BEYOND;
  const middle = middleCode(from, to);
  if (middle !== undefined) return [...prefix, middle];
  if (high !== undefined && high.length > shared + 1) return [...prefix, to];
  // Nothing lies between the two characters: further below the first.
  if (shared >= low.length) return [...prefix, from, ...between([], undefined)];
  return [...prefix, from, ...between(low.slice(shared + 1), undefined)];
}

/** A code point between two others; the end of the kind of the first if that is before the second. */
function middleCode(from: number, to: number): number | undefined {
  for (const end of [0x3a, 0x5b, 0x7b, 0x7f]) {
    if (from < end - 1 && to > end && isKind(from, end)) return end;
  }
  const middle = (from + to) >> 1;
  if (middle <= from) return undefined;
  const isSurrogate = middle >= 0xd800 && middle <= 0xdfff;
  if (!isSurrogate) return middle;
  if (to > 0xe000) return 0xe000;
  return from < 0xd7ff ? 0xd7ff : undefined;
}

/** Whether a character belongs to the digits, capitals, small letters or other ASCII that end at `end`. */
function isKind(code: number, end: number): boolean {
  if (end === 0x3a) return code >= 0x30;
  if (end === 0x5b) return code >= 0x41;
  return end === 0x7f || code >= 0x61;
}

const codes = (text: string) => [...text].map((character) => character.codePointAt(0) ?? 0);
