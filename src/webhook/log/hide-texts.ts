import { readings } from './readings.ts';

/** What the log shows instead of a secret. */
export const HIDDEN = '***';
const WHOLE_WORD_BELOW = 8;
/** Maximum work, in letters times secrets; beyond it the whole text is hidden. */
const MOST_WORK = 20_000_000;
/** Up to here, in letters of the text times letters of the secret, the engine's own search is safe. */
const MOST_PLAIN_WORK = 100_000;

const WORD_BEFORE = /[\p{L}\p{N}_]$/u;
const WORD_BEHIND = /^[\p{L}\p{N}_]/u;

/**
 * Hides secrets in a text, also escaped ones. Takes time in proportion to the length of the text and the number of
 * secrets; beyond a limit it hides the whole text.
 */
export function hideTexts(text: string, secrets: readonly string[]): string {
  const inReach = secrets.filter(({ length }) => length <= text.length);
  if (inReach.length === 0) return text;
  if (text.length * inReach.length > MOST_WORK) return HIDDEN;
  let ends: Int32Array | undefined;
  for (const { text: read, origin } of readings(text)) {
    const place = (at: number) => origin?.[at] ?? at;
    for (const secret of inReach) {
      forEachPlace(secret, read, (start) => {
        const end = start + secret.length;
        if (secret.length < WHOLE_WORD_BELOW && !standsAlone(read, start, end)) return;
        ends ??= new Int32Array(text.length);
        const from = place(start);
        ends[from] = Math.max(ends[from] ?? 0, place(end));
      });
    }
  }
  return ends === undefined ? text : without(text, ends);
}

/** A short secret is hidden only where it stands alone, or every letter of the log might go. */
function standsAlone(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 2), start);
  return !WORD_BEFORE.test(before) && !WORD_BEHIND.test(text.slice(end, end + 2));
}

/** All places of a text in another, also those that overlap. */
function forEachPlace(sought: string, text: string, found: (at: number) => void): void {
  if (sought.length * text.length > MOST_PLAIN_WORK) {
    forEachPlaceLinear(sought, text, found);
    return;
  }
  for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + 1)) found(at);
}

/** By Knuth, Morris and Pratt. */
function forEachPlaceLinear(sought: string, text: string, found: (at: number) => void): void {
  const border = new Int32Array(sought.length + 1);
  border[0] = -1;
  const extended = (matched: number, unit: number) => {
    let length = matched;
    while (length >= 0 && (length === sought.length || sought.charCodeAt(length) !== unit)) {
      length = border[length] ?? -1;
    }
    return length + 1;
  };
  for (let at = 0; at < sought.length; at++) {
    border[at + 1] = extended(border[at] ?? -1, sought.charCodeAt(at));
  }
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    matched = extended(matched, text.charCodeAt(at));
    if (matched === sought.length) found(at + 1 - matched);
  }
}

/** A text whose stretches are hidden, given by the end of each at its start; those that overlap as one. */
function without(text: string, ends: Int32Array): string {
  const shown: string[] = [];
  let hiddenTo = 0;
  for (const [start, end] of ends.entries()) {
    if (end === 0) continue;
    if (start >= hiddenTo) shown.push(text.slice(hiddenTo, start), HIDDEN);
    hiddenTo = Math.max(hiddenTo, end);
  }
  shown.push(text.slice(hiddenTo));
  return shown.join('');
}
