/** What the log shows instead of a secret. */
export const HIDDEN = '***';
/** A longer text is hidden as a whole. */
export const LONGEST_TEXT = 500_000;
/** Maximum work, in letters of texts times secrets; beyond it whole texts are hidden. */
const MOST_WORK = 20_000_000;
/** A shorter secret is hidden only where it stands alone, or every letter of the log might go. */
const WHOLE_WORD_BELOW = 8;
/** Letters of a secret that are looked for; from where they stand as much is hidden as the secret is long. */
const SOUGHT = 100;

const WORD_BEFORE = /[\p{L}\p{N}_]$/u;
const WORD_BEHIND = /^[\p{L}\p{N}_]/u;
/** Bytes of a letter whose rest was cut off. */
const BEGUN_LETTER = /(?<![\ud800-\udbff])[\udc80-\udcff]{1,3}$/;

/** How much work is left, in letters times secrets. */
export interface HidingWork {
  left: number;
}

/** The work that all texts of a request may take. */
export function hidingWork(): HidingWork {
  return { left: MOST_WORK };
}

/**
 * Replaces known texts wherever they stand in another.
 *
 * @param isCut the text goes on behind its end, where a secret may have begun
 * @param work what is left; by default each text has its own
 */
export function hideTexts(
  text: string,
  secrets: readonly string[],
  isCut = false,
  work = hidingWork(),
): string {
  if (secrets.length === 0) return text;
  work.left -= text.length * secrets.length;
  if (text.length > LONGEST_TEXT || work.left < 0) return HIDDEN;
  const whole = isCut ? text.replace(BEGUN_LETTER, '') : text;
  let ends: Int32Array | undefined;
  const hide = (start: number, end: number) => {
    ends ??= new Int32Array(whole.length);
    ends[start] = Math.max(ends[start] ?? 0, end);
  };
  for (const secret of secrets) {
    const sought = secret.slice(0, SOUGHT);
    for (let at = whole.indexOf(sought); at >= 0; at = whole.indexOf(sought, at + 1)) {
      const end = at + secret.length;
      if (secret.length >= WHOLE_WORD_BELOW || standsAlone(whole, at, end)) hide(at, end);
    }
    const begun = isCut ? begunAtEnd(sought, whole) : 0;
    if (begun > 0) hide(whole.length - begun, whole.length);
  }
  return ends === undefined ? whole : without(whole, ends);
}

function standsAlone(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 2), start);
  return !WORD_BEFORE.test(before) && !WORD_BEHIND.test(text.slice(end, end + 2));
}

/** How much of a secret stands at the end of a text. */
function begunAtEnd(secret: string, text: string): number {
  let length = Math.min(secret.length - 1, text.length);
  while (length > 0 && !text.endsWith(secret.slice(0, length))) length--;
  return length;
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
