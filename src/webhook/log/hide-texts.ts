import { nameFromBytes, nameToBytes } from '../../core/name-bytes.ts';
import { secretPlaces } from './secret-places.ts';
import { SearchTooLong, SecretSearch } from './secret-search.ts';

/** What the log shows instead of a secret. */
export const HIDDEN = '***';
const WHOLE_WORD_BELOW = 8;
/** Maximum work, in letters times secrets; beyond it whole texts are hidden. */
const MOST_WORK = 20_000_000;
/** A longer text is hidden as a whole. */
export const LONGEST_TEXT = 500_000;
/** Up to here, in letters of the text times letters of the secret, the engine's own search is safe. */
const MOST_PLAIN_WORK = 100_000;

const WORD_BEFORE = /[\p{L}\p{N}_]$/u;
const WORD_BEHIND = /^[\p{L}\p{N}_]/u;

/** An escape that may go on behind the end of a text, or bytes of a letter. */
const BEGUN_ESCAPE =
  /(?:\\(?:[uUx][0-9a-fA-F]{0,7})?|%[0-9a-fA-F]?|(?<![\ud800-\udbff])[\udc80-\udcff]{1,3})$/;

/** How secrets are looked for. */
export interface HideOptions {
  /** What stands under the name of a secret is hidden, too. */
  readonly byName?: boolean;
  /** The text goes on behind its end, where it may have been cut within a secret. */
  readonly isCut?: boolean;
  /** The work that is left, shared by all texts of a request; by default each text has its own. */
  readonly work?: HidingWork;
}

/** How much work is left, in letters times secrets. */
export interface HidingWork {
  left: number;
}

/** The work that all texts of a request may take. */
export function hidingWork(): HidingWork {
  return { left: MOST_WORK };
}

/**
 * Hides secrets in a text, also escaped ones. Takes time in proportion to the length of the text and the number of
 * secrets; beyond a limit it hides the whole text.
 */
export function hideTexts(
  text: string,
  secrets: readonly string[],
  options: HideOptions = {},
): string {
  try {
    return withoutSecrets(text, secrets, options);
  } catch (thrown) {
    if (thrown instanceof SearchTooLong) return HIDDEN;
    throw thrown;
  }
}

function withoutSecrets(
  text: string,
  secrets: readonly string[],
  { byName = false, isCut = false, work = hidingWork() }: HideOptions,
): string {
  const whole = isCut ? text.replace(BEGUN_ESCAPE, '') : text;
  const inReach = isCut ? secrets : secrets.filter(({ length }) => length <= whole.length);
  if (!byName && inReach.length === 0) return whole;
  if (whole.length > LONGEST_TEXT) return HIDDEN;
  const search = new SecretSearch();
  let ends: Int32Array | undefined;
  for (const { text: read, origin, mayHoldNames } of readings(whole)) {
    const hide = (start: number, end: number) => {
      const from = origin?.[start] ?? start;
      ends ??= new Int32Array(whole.length);
      ends[from] = Math.max(ends[from] ?? 0, origin?.[end] ?? end);
    };
    if (byName && mayHoldNames) {
      for (const { start, end } of secretPlaces(read, search)) hide(start, end);
    }
    work.left -= read.length * inReach.length;
    if (work.left < 0) throw new SearchTooLong();
    for (const secret of inReach) {
      forEachPlace(secret, read, (start) => {
        const end = start + secret.length;
        if (secret.length >= WHOLE_WORD_BELOW || standsAlone(read, start, end)) hide(start, end);
      });
      if (isCut) hideBegun(secret, read, hide);
    }
  }
  return ends === undefined ? whole : without(whole, ends);
}

/** Hides the beginning of a secret at the end of a text. */
function hideBegun(secret: string, text: string, hide: (start: number, end: number) => void): void {
  const last = text.slice(Math.max(0, text.length - secret.length + 1));
  const begun = forEachPlaceLinear(secret, last, () => {});
  if (begun > 0) hide(text.length - begun, text.length);
}

/** A short secret is hidden only where it stands alone, or every letter of the log might go. */
function standsAlone(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 2), start);
  return !WORD_BEFORE.test(before) && !WORD_BEHIND.test(text.slice(end, end + 2));
}

/** All places of a text in another, also those that overlap. */
function forEachPlace(sought: string, text: string, found: (at: number) => void): void {
  if (sought.length * text.length > MOST_PLAIN_WORK) forEachPlaceLinear(sought, text, found);
  else for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + 1)) found(at);
}

/** By Knuth, Morris and Pratt. Gives how much of `sought` the text ends with. */
function forEachPlaceLinear(sought: string, text: string, found: (at: number) => void): number {
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
  return matched;
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

/** A text as it is read, and where its letters stand in the text that was written. */
export interface Reading {
  readonly text: string;
  /** For each unit of `text`, and for its end, where it begins in what was written; absent where both are the same. */
  readonly origin?: Int32Array;
  /** Whether the names of secrets are looked for in it. */
  readonly mayHoldNames?: boolean;
}

const BACKSLASH = /\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|U[0-9a-fA-F]{8}|.)/gs;
const PERCENT = /(?:%[0-9a-f]{2})+|\+/gi;
const LETTERS: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/**
 * The ways to read a text in which others may stand escaped: as it is, as a text in quotes, as one in quotes that
 * itself stands in quotes, and as a form, in quotes or not.
 */
function* readings(written: string): Generator<Reading> {
  const asItIs = { text: written };
  yield { ...asItIs, mayHoldNames: true };
  const quoted = unescaped(asItIs, BACKSLASH, unquoted);
  const asForm = unescaped(asItIs, PERCENT, fromPercent);
  if (asForm !== undefined) yield { ...asForm, mayHoldNames: true };
  if (quoted === undefined) return;
  yield quoted;
  const twice = unescaped(quoted, BACKSLASH, unquoted);
  if (twice !== undefined) yield twice;
  const quotedForm = unescaped(quoted, PERCENT, fromPercent);
  if (quotedForm !== undefined) yield quotedForm;
}

/** `undefined` where nothing is escaped. */
function unescaped(
  { text, origin }: Reading,
  escapes: RegExp,
  decode: (escaped: string) => [letter: string, width: number][],
): Reading | undefined {
  if (text.search(escapes) < 0) return undefined;
  const parts: string[] = [];
  const from = new Int32Array(text.length + 1);
  let length = 0;
  let at = 0;
  const place = (index: number) => {
    from[length++] = origin?.[index] ?? index;
  };
  const plainUpTo = (end: number) => {
    parts.push(text.slice(at, end));
    while (at < end) place(at++);
  };
  for (const { 0: escaped, index } of text.matchAll(escapes)) {
    plainUpTo(index);
    for (const [letter, width] of decode(escaped)) {
      parts.push(letter);
      for (let unit = 0; unit < letter.length; unit++) place(at);
      at += width;
    }
  }
  plainUpTo(text.length);
  place(text.length);
  return { text: parts.join(''), origin: from };
}

function unquoted(escaped: string): [letter: string, width: number][] {
  const letter = escaped.charAt(1);
  const code = Number.parseInt(escaped.slice(2), 16);
  if (escaped.length === 2) return [[LETTERS[letter] ?? letter, 2]];
  if (letter.toLowerCase() === 'x') return [[nameFromBytes(Buffer.of(code)), escaped.length]];
  return [[code > 0x10ffff ? escaped : String.fromCodePoint(code), escaped.length]];
}

function fromPercent(escaped: string): [letter: string, width: number][] {
  if (escaped === '+') return [[' ', 1]];
  const decoded = nameFromBytes(Buffer.from(escaped.replaceAll('%', ''), 'hex'));
  return Array.from(decoded, (letter) => [letter, 3 * nameToBytes(letter).length]);
}
