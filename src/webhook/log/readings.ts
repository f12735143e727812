import { nameFromBytes, nameToBytes } from '../../core/name-bytes.ts';

/** A text as it is read, and where its letters stand in the text that was written. */
export interface Reading {
  readonly text: string;
  /** For each unit of `text`, and for its end, where it begins in what was written; absent where both are the same. */
  readonly origin?: Int32Array;
}

const BACKSLASH = /\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|U[0-9a-fA-F]{8}|.)/gs;
const PERCENT = /(?:%[0-9a-f]{2})+|\+/gi;
const LETTERS: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
};

/**
 * The ways to read a text in which others may stand escaped: as it is, as a text in quotes, as one in quotes that
 * itself stands in quotes, and as a form, in quotes or not.
 */
export function* readings(written: string): Generator<Reading> {
  const asItIs = { text: written };
  yield asItIs;
  const quoted = unescaped(asItIs, BACKSLASH, unquoted);
  const asForm = unescaped(asItIs, PERCENT, fromPercent);
  if (asForm !== undefined) yield asForm;
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
