import { compareNames, isBetween } from '../core/name-order.ts';

/** Keys of object stores have at most 1,024 bytes of UTF-8; longer texts divide nothing. */
const LONGEST = 256;
/** So few characters are tried from the first on; of more the middle one. */
const FEW = 12;
/** One more than the last code point. */
const BEYOND = 0x110000;

/**
 * A text between two names in the order of bytes, about in the middle of the names that may lie between them: by code
 * points, so that names in any script can be divided, and the kind of `low` first (after a digit another digit is most
 * likely). `undefined` if there is none of reasonable length.
 *
 * @param high absent: no end
 * @param learned `seen`: an earlier name of the range: names like those between it and `low` probably follow, so that
 *   behind which of the characters they share others begin is searched before anything is divided; `alphabet`: code
 *   points that occur where names differ, in order: another one of these is most likely
 */
export function middleName(
  low: string,
  high: string | undefined,
  learned: { readonly seen?: string | undefined; readonly alphabet?: readonly number[] } = {},
): string | undefined {
  const { seen = '', alphabet = [] } = learned;
  const outer = behindShared(codes(low), high, codes(seen));
  if (outer !== undefined) return outer;
  const points = between(codes(low), high === undefined ? undefined : codes(high), alphabet);
  if (points.length > LONGEST) return undefined;
  const middle = String.fromCodePoint(...points);
  return isBetween(middle, low, high) ? middle : undefined;
}

/**
 * The next text behind all names that begin as `low` and `seen` do, by the middle one of the characters at which that
 * is in the range.
 */
function behindShared(
  low: readonly number[],
  high: string | undefined,
  seen: readonly number[],
): string | undefined {
  const points: string[] = [];
  for (let at = 0; at < low.length && low[at] === seen[at]; at++) {
    const next = (low[at] ?? 0) + 1;
    if (next === BEYOND || (next >= 0xd800 && next <= 0xdfff)) continue;
    const point = String.fromCodePoint(...low.slice(0, at), next);
    if (high === undefined || compareNames(point, high) < 0) points.push(point);
  }
  return points[points.length <= FEW ? 0 : points.length >> 1];
}

function between(
  low: readonly number[],
  high: readonly number[] | undefined,
  alphabet: readonly number[],
): number[] {
  let shared = 0;
  while (shared < low.length && low[shared] === high?.[shared]) shared++;
  const prefix = low.slice(0, shared);
  const from = low[shared] ?? 0x1f;
  const to = high?.[shared] ?? BEYOND;
  const middle = middleCode(from, to, alphabet);
  if (middle !== undefined) return [...prefix, middle];
  if (high !== undefined && high.length > shared + 1) return [...prefix, to];
  // Nothing lies between the two characters: further below the first.
  if (shared >= low.length) return [...prefix, from, ...between([], undefined, alphabet)];
  return [...prefix, from, ...between(low.slice(shared + 1), undefined, alphabet)];
}

/** A code point between two others: of the alphabet, or the end of the kind of the first, or any. */
function middleCode(from: number, to: number, alphabet: readonly number[]): number | undefined {
  const known = alphabet.filter((code) => code > from && code < to);
  if (known.length > 0) return known[known.length >> 1];
  // The first and the end of digits, capitals, small letters and other ASCII.
  for (const [first, end] of [
    [0x30, 0x3a],
    [0x41, 0x5b],
    [0x61, 0x7b],
    [0, 0x7f],
  ] as const) {
    if (from < end - 1 && to > end && from >= first) return end;
  }
  const middle = (from + to) >> 1;
  if (middle <= from) return undefined;
  const isSurrogate = middle >= 0xd800 && middle <= 0xdfff;
  if (!isSurrogate) return middle;
  if (to > 0xe000) return 0xe000;
  return from < 0xd7ff ? 0xd7ff : undefined;
}

const codes = (text: string) => [...text].map((character) => character.codePointAt(0) ?? 0);
