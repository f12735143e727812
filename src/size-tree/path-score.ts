const MATCH = 16;
const AT_WORD = 8;
const NEXT_TO_LAST = 6;
const IN_NAME = 10;
const AT_NAME = 12;
const GAP = 3;
const WIDER_GAP = 1;

/**
 * Scores a path as fzf does: letters at the start of words and next to one another count more, gaps less; and letters
 * in the name more than those in the directories above. `words` all match. Gives the UTF-16 units that do, too.
 */
export function pathScore(path: string, words: readonly string[]) {
  const places = new Set<number>();
  let score = 0;
  for (const word of words) {
    const shown = /[A-Z]/.test(word) ? path : path.replace(/[A-Z]/g, (one) => one.toLowerCase());
    const best = bestPlaces(shown, word);
    score += scoreOf(path, best);
    for (const place of best) places.add(place);
  }
  return { score, places };
}

/** In one piece, best at the start of a name; else from the end of the path, closed up. */
function bestPlaces(path: string, word: string): readonly number[] {
  const name = path.lastIndexOf('/') + 1;
  let piece = -1;
  for (let at = path.indexOf(word); at >= 0; at = path.indexOf(word, at + 1)) {
    if (piece < 0 || at <= name || (isStart(path, at) && !isStart(path, piece))) piece = at;
    if (at >= name && isStart(path, at)) break;
  }
  if (piece >= 0) return Array.from(word, (_, at) => piece + at);
  const backwards = (text: string) => text.split('').reverse().join('');
  const closedUp = () => forward(backwards(path), backwards(word), 0)?.reverse() ?? [];
  return forward(path, word, name) ?? closedUp().map((at) => path.length - 1 - at);
}

function forward(path: string, word: string, from: number): number[] | undefined {
  const places: number[] = [];
  let at = from - 1;
  for (const unit of word.split('')) {
    at = path.indexOf(unit, at + 1);
    if (at < 0) return undefined;
    places.push(at);
  }
  return places;
}

function scoreOf(path: string, places: readonly number[]): number {
  const name = path.lastIndexOf('/') + 1;
  let score = places[0] === name ? AT_NAME : 0;
  let last = -1;
  for (const at of places) {
    score += MATCH + (isStart(path, at) ? AT_WORD : 0) + (at >= name ? IN_NAME : 0);
    if (last >= 0 && at === last + 1) score += NEXT_TO_LAST;
    else if (last >= 0) score -= GAP + Math.min(10, WIDER_GAP * (at - last - 2));
    last = at;
  }
  return score;
}

/** Whether a word starts there: after a separator, or a capital after a small letter. */
function isStart(path: string, at: number): boolean {
  if (at === 0) return true;
  const [before = '', own = ''] = [path[at - 1], path[at]];
  return /[^\p{L}\p{N}]/u.test(before) || (/\p{Ll}/u.test(before) && /\p{Lu}/u.test(own));
}

/** The best of `nameRank`. */
export const MOST_RANK = 6;

/** How well a name matches that has all letters: 2 in places, 3 in one piece, 4 at a word, 5 at its start, 6 whole. */
export function nameRank(
  bytes: Buffer,
  start: number,
  end: number,
  wanted: Buffer,
  fold: Uint8Array,
): number {
  let rank = 2;
  const [first, { length }] = [wanted[0], wanted];
  for (let from = start; from <= end - length; from++) {
    if (fold[bytes[from] as number] !== first) continue;
    let same = 1;
    while (same < length && fold[bytes[from + same] as number] === wanted[same]) same++;
    if (same < length) continue;
    if (from === start) return from + same === end || bytes[from + same] === DOT ? 6 : 5;
    if (BETWEEN[bytes[from - 1] as number] === 1) return 4;
    rank = 3;
  }
  return rank;
}

/** Bytes as they are. */
export const AS_IS = Uint8Array.from({ length: 256 }, (_, byte) => byte);
/** Bytes with capitals as small letters. */
export const FOLDED = AS_IS.map((byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte));

/** 1 for bytes between words: neither letters nor digits, nor parts of other characters. */
const BETWEEN = AS_IS.map((byte) =>
  byte >= 0x80 || /[A-Za-z0-9]/.test(String.fromCharCode(byte)) ? 0 : 1,
);

const DOT = 0x2e;
