import { type CharacterRules, characterOf, symbolOf } from './encoding-rules.ts';
import { nameFromBytes } from './name-bytes.ts';

/** Stands before a symbol that is meant literally, and before the hexadecimal digits of a byte. */
export const QUOTE = '\u201b';

/**
 * In a decoded name: a quote that quoted nothing. It is kept apart from a quoted quote, so that `‛x` and `‛‛x`
 * stay two names. A lone surrogate that no name from bytes contains.
 */
const STRAY = '\udfff';

/**
 * One name from one encoding to another. Where rclone gives two names the same result (`‛x` and `‛‛x`), they
 * stay apart here as long as the target can tell them apart.
 */
export function convertName(from: CharacterRules, to: CharacterRules, name: string): string {
  const plain = decodeName(from, name);
  const encoded = encodeName(to, plain);
  if (!plain.includes(STRAY) || decodeName(to, encoded) === plain) return encoded;
  return encodeName(to, plain.replaceAll(STRAY, QUOTE));
}

function encodeName(rules: CharacterRules, plain: string): string {
  if (rules.raw) return plain.replaceAll(STRAY, QUOTE);
  if (rules.dot && /^(?:\.{1,2}|．{1,2})$/.test(plain)) return encodeDots(plain);
  let name = '';
  for (let i = 0; i < plain.length; i++) {
    const character = plain.charAt(i);
    const isLast = i === plain.length - 1;
    if (character === STRAY) name += QUOTE;
    else if (character === QUOTE) name += QUOTE + QUOTE;
    else if (isReplaced(rules, character, i === 0, isLast)) name += symbolOf(character);
    else if (isSymbol(rules, character, i === 0, isLast)) name += QUOTE + character;
    else if (isHigh(character)) name += character + plain.charAt(++i);
    else name += rules.invalidUtf8 ? encodeByte(character) : character;
  }
  return name;
}

function decodeName(rules: CharacterRules, name: string): string {
  if (rules.raw) return name;
  if (rules.dot && /^‛?[．]$|^(‛?)．\1．$/.test(name)) return decodeDots(name);
  let plain = '';
  let i = 0;
  while (i < name.length) {
    const quoted = name.charAt(i) === QUOTE;
    const at = quoted ? i + 1 : i;
    const character = name.charAt(at);
    const symbol = isSymbol(rules, character, i === 0, at === name.length - 1);
    if (quoted && character !== QUOTE && !symbol) {
      const run = rules.invalidUtf8 ? quotedBytes(name, i) : '';
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

const encodeDots = (plain: string) =>
  plain.startsWith('.') ? plain.replaceAll('.', '．') : plain.replaceAll('．', `${QUOTE}．`);

const decodeDots = (name: string) =>
  name.startsWith(QUOTE) ? name.replaceAll(QUOTE, '') : name.replaceAll('．', '.');

function isHigh(character: string): boolean {
  return character >= '\ud800' && character <= '\udbff';
}

function encodeByte(character: string): string {
  if (character < '\udc80' || character > '\udcff') return character;
  return QUOTE + (character.charCodeAt(0) & 0xff).toString(16).toUpperCase();
}

/** The quoted bytes that stand at `at`, all that follow each other. */
function quotedBytes(name: string, at: number): string {
  const run = /(?:‛[89A-F][0-9A-F])+/y;
  run.lastIndex = at;
  return run.exec(name)?.[0] ?? '';
}

/** One lone surrogate a byte; the text itself where the bytes are UTF-8, which nobody would have quoted. */
function decodeBytes(run: string): string {
  const bytes = Buffer.from(run.replaceAll(QUOTE, ''), 'hex');
  const plain = nameFromBytes(bytes);
  return plain.length === bytes.length ? plain : run.replaceAll(QUOTE, STRAY);
}
