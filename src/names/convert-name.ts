import { nameFromBytes } from '../core/name-bytes.ts';
import { type CharacterRules, characterOf, symbolOf } from './encoding-rules.ts';

/** Stands before a symbol that is meant literally, and before the hexadecimal digits of a byte. */
export const QUOTE = '\u201b';

/**
 * In a decoded name: a quote that quoted nothing, distinct from a quoted quote, so that `‛x` and `‛‛x` stay two
 * names. No name from bytes has it.
 */
const STRAY = '\udfff';
/** By itself: it also ends U+10FFFF. */
const EACH_STRAY = /\udfff/gu;
/** What stands after a quote when it is a byte that is no UTF-8. */
const BYTE = '[89A-F][0-9A-F]';
/** The quote as quoted bytes: a stray quote before what it would quote (`‛BE`, `‛␊`). rclone reads it as a quote. */
const QUOTED_REST = `E2${QUOTE}80${QUOTE}9B`;
const QUOTED_QUOTE = QUOTE + QUOTED_REST;

/** Converts a name between encodings. Where rclone gives two names one result (`‛x` and `‛‛x`), they stay distinct. */
export function convertName(from: CharacterRules, to: CharacterRules, name: string): string {
  const plain = decodeName(from, name);
  const encoded = encodeName(to, plain);
  const asItIs = encoded.replace(EACH_STRAY, QUOTE);
  if (asItIs === encoded) return encoded;
  if (to.raw || decodeName(to, asItIs) === plain) return asItIs;
  return quoteStrays(to, encoded);
}

/** Stray quotes stay as they are in a decoded name. */
function encodeName(rules: CharacterRules, plain: string): string {
  if (rules.raw) return plain;
  if (rules.dot && /^(?:\.{1,2}|．{1,2})$/.test(plain))
    return plain.startsWith('.')
      ? plain.replaceAll('.', '．')
      : plain.replaceAll('．', `${QUOTE}．`);
  let name = '';
  for (let i = 0; i < plain.length; i++) {
    const character = plain.charAt(i);
    const isLast = i === plain.length - 1;
    if (character === QUOTE) name += QUOTE + QUOTE;
    else if (isReplaced(rules, character, i === 0, isLast)) name += symbolOf(character);
    else if (isSymbol(rules, character, i === 0, isLast)) name += QUOTE + character;
    else if (character >= '\ud800' && character <= '\udbff') name += character + plain.charAt(++i);
    else if (rules.invalidUtf8 && character >= '\udc80' && character <= '\udcff')
      name += QUOTE + (character.charCodeAt(0) & 0xff).toString(16).toUpperCase();
    else name += character;
  }
  return name;
}

function decodeName(rules: CharacterRules, name: string): string {
  if (rules.raw) return name;
  if (rules.dot && /^‛?[．]$|^(‛?)．\1．$/.test(name))
    return name.startsWith(QUOTE) ? name.replaceAll(QUOTE, '') : name.replaceAll('．', '.');
  let plain = '';
  let i = 0;
  while (i < name.length) {
    const quoted = name.charAt(i) === QUOTE;
    const at = quoted ? i + 1 : i;
    const character = name.charAt(at);
    const symbol = isSymbol(rules, character, i === 0, at === name.length - 1);
    if (quoted && isQuotedQuote(rules, name, i)) {
      plain += STRAY;
      i += QUOTED_QUOTE.length;
    } else if (quoted && character !== QUOTE && !symbol) {
      const run = rules.invalidUtf8 ? quotedBytes(rules, name, i) : '';
      plain += run === '' ? STRAY : decodeBytes(run);
      i += run.length || 1;
    } else {
      plain += symbol && !quoted ? characterOf(character) : character;
      i = at + 1;
    }
  }
  return plain;
}

function isReplaced(rules: CharacterRules, character: string, first: boolean, last: boolean) {
  return (
    character === '\0' ||
    rules.anywhere.has(character) ||
    (first && rules.first.has(character)) ||
    (last && rules.last.has(character))
  );
}

function isSymbol(rules: CharacterRules, character: string, first: boolean, last: boolean) {
  const meant = characterOf(character);
  return meant !== undefined && isReplaced(rules, meant, first, last);
}

/**
 * Quotes the stray quotes of an encoded name that would be read as quoting what follows: from the end, because that
 * depends on how the later ones are written.
 */
function quoteStrays(rules: CharacterRules, encoded: string): string {
  let end = encoded.length;
  let name = '';
  for (const { index } of [...encoded.matchAll(EACH_STRAY)].reverse()) {
    name = encoded.slice(index + 1, end) + name;
    name = (canBeQuoted(rules, name, 0, index === 0) ? QUOTED_QUOTE : QUOTE) + name;
    end = index;
  }
  return encoded.slice(0, end) + name;
}

/** Whether what stands at `at` means something else behind a quote: also as the rest of a quoted quote. */
function canBeQuoted(rules: CharacterRules, name: string, at: number, first: boolean): boolean {
  const character = name.charAt(at);
  return (
    character === QUOTE ||
    isSymbol(rules, character, first, at === name.length - 1) ||
    (rules.invalidUtf8 && matchAt(new RegExp(BYTE, 'y'), name, at) !== '') ||
    (name.startsWith(QUOTED_REST, at) && canBeQuoted(rules, name, at + QUOTED_REST.length, first))
  );
}

function isQuotedQuote(rules: CharacterRules, name: string, at: number): boolean {
  const isThere = name.startsWith(QUOTED_QUOTE, at);
  return isThere && canBeQuoted(rules, name, at + QUOTED_QUOTE.length, at === 0);
}

/** The quoted bytes that stand at `at`, all that follow each other. */
function quotedBytes(rules: CharacterRules, name: string, at: number): string {
  let end = at;
  const byte = new RegExp(QUOTE + BYTE, 'y');
  while (matchAt(byte, name, end) !== '' && !isQuotedQuote(rules, name, end)) end += 3;
  return name.slice(at, end);
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

/** One lone surrogate a byte; the text itself if the bytes are UTF-8, which would not have been quoted. */
function decodeBytes(run: string): string {
  const bytes = Buffer.from(run.replaceAll(QUOTE, ''), 'hex');
  const plain = nameFromBytes(bytes);
  return plain.length === bytes.length ? plain : run.replaceAll(QUOTE, STRAY);
}
