import { SyncerError, toSyncerError } from '../core/errors.ts';
import { nameFromBytes } from '../core/name-bytes.ts';
import { readInt } from '../go/read-number.ts';

/**
 * A character a store cannot hold, and where in a name: anywhere, or only as its first or last character. In the order
 * of rclone's bits.
 */
const RULES = {
  None: {},
  Raw: { raw: true },
  Slash: { anywhere: '/' },
  LtGt: { anywhere: '<>' },
  DoubleQuote: { anywhere: '"' },
  SingleQuote: { anywhere: "'" },
  BackQuote: { anywhere: '`' },
  Dollar: { anywhere: '$' },
  Colon: { anywhere: ':' },
  Question: { anywhere: '?' },
  Asterisk: { anywhere: '*' },
  Pipe: { anywhere: '|' },
  Hash: { anywhere: '#' },
  Percent: { anywhere: '%' },
  BackSlash: { anywhere: '\\' },
  CrLf: { anywhere: '\r\n' },
  Del: { anywhere: '\x7f' },
  Ctl: { anywhere: String.fromCharCode(...Array.from({ length: 31 }, (_, i) => i + 1)) },
  LeftSpace: { first: ' ' },
  LeftPeriod: { first: '.' },
  LeftTilde: { first: '~' },
  LeftCrLfHtVt: { first: '\r\n\t\v' },
  RightSpace: { last: ' ' },
  RightPeriod: { last: '.' },
  RightCrLfHtVt: { last: '\r\n\t\v' },
  InvalidUtf8: { invalidUtf8: true },
  Dot: { dot: true },
  SquareBracket: { anywhere: '[]' },
  Semicolon: { anywhere: ';' },
  Exclamation: { anywhere: '!' },
} as const satisfies Record<string, Rule>;

interface Rule {
  readonly anywhere?: string;
  readonly first?: string;
  readonly last?: string;
  readonly invalidUtf8?: true;
  readonly dot?: true;
  readonly raw?: true;
}

/** The name of a rule, as it stands in an `encoding` option. */
type EncodingRule = keyof typeof RULES;

/** Which characters a store cannot hold in a name. */
interface CharacterRules {
  /** Replaced wherever they stand. */
  readonly anywhere: ReadonlySet<string>;
  /** Replaced as the first character, besides those of `anywhere`. */
  readonly first: ReadonlySet<string>;
  /** Replaced as the last character, besides those of `anywhere`. */
  readonly last: ReadonlySet<string>;
  /** Bytes that are not UTF-8 become `‛FF`. */
  readonly invalidUtf8: boolean;
  /** The names `.` and `..` become full-width. */
  readonly dot: boolean;
  /** Nothing at all is replaced. */
  readonly raw: boolean;
}

/** What these rules ask for together. */
export function combineRules(names: readonly EncodingRule[]): CharacterRules {
  const rules: Rule[] = names.map((name) => RULES[name]);
  return {
    anywhere: new Set(rules.flatMap((rule) => [...(rule.anywhere ?? '')])),
    first: new Set(rules.flatMap((rule) => [...(rule.first ?? '')])),
    last: new Set(rules.flatMap((rule) => [...(rule.last ?? '')])),
    invalidUtf8: rules.some((rule) => rule.invalidUtf8),
    dot: rules.some((rule) => rule.dot),
    raw: names.includes('Raw') && names.every((name) => name === 'Raw' || name === 'None'),
  };
}

/**
 * Reads an `encoding` option (`Slash,InvalidUtf8,Dot`), with rclone's names of the rules or the number of their bits.
 * Throws `config` for other names.
 */
export function parseRules(text: string): CharacterRules {
  const all = Object.keys(RULES) as EncodingRule[];
  const names = text.split(',').flatMap((each) => {
    const part = each.trim();
    const named = all.filter((name) => name === part);
    if (named.length > 0) return named;
    try {
      const bits = BigInt(readInt(part));
      return all.slice(1).filter((_, bit) => ((bits >> BigInt(bit)) & 1n) === 1n);
    } catch {
      const known = all.sort().join(', ');
      throw new SyncerError('config', `bad encoding "${part}": possible values are: ${known}`);
    }
  });
  return combineRules(names);
}

/** Stands for a replaced character: U+2400 symbols for control characters, DEL and space, full-width forms for other ASCII. */
export function symbolOf(character: string): string {
  const code = character.charCodeAt(0);
  if (code <= 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return String.fromCharCode(0xfee0 + code);
}

/** The character that `symbol` stands for; undoes `symbolOf`. `undefined` for any other character. */
function characterOf(symbol: string): string | undefined {
  const code = symbol.charCodeAt(0);
  if (code >= 0x2400 && code <= 0x2420) return String.fromCharCode(code - 0x2400);
  if (code === 0x2421) return '\x7f';
  if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0);
  return undefined;
}

/** What is wrong with the text of an `encoding` option; `undefined` for a valid one. */
export function wrongEncoding(text: string): string | undefined {
  try {
    parseRules(text);
    return undefined;
  } catch (thrown) {
    return toSyncerError(thrown).message;
  }
}

/** Stands before a symbol that is meant literally, and before the hexadecimal digits of a byte. */
const QUOTE = '\u201b';

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

/**
 * Paths of a `Remote` are in rclone's "standard" form: a slash in a name, control characters, DEL and the names `.` and
 * `..` are shown by look-alikes (`／`, `␊`, `␡`, `．．`), and a look-alike in a name itself is quoted by `‛`. Bytes that
 * are not UTF-8 are lone surrogates (see `name-bytes.ts`). Each backend has its own encoding of unsupported characters:
 * it calls `toStandardPath` on listed paths and `fromStandardPath` on requested ones. The rules are those of rclone's
 * lib/encoder.
 */
export interface NameEncoding {
  readonly rules: CharacterRules;
  /** Matches every path that may differ between this encoding and the standard form. */
  readonly suspicious: RegExp;
}

const STANDARD = combineRules(['Slash', 'Ctl', 'Del', 'Dot']);

/** The encoding that these rules make together. */
export function encodingOf(rules: readonly EncodingRule[]): NameEncoding {
  return fromRules(combineRules(rules));
}

/** Reads the text of an `encoding` option (`Slash,InvalidUtf8,Dot`). Throws `config` for an unknown rule. */
export const parseEncoding = (text: string): NameEncoding => fromRules(parseRules(text));

/** What identifies an encoding, for JSON. */
export function encodingId({ rules }: NameEncoding): readonly unknown[] {
  const { anywhere, first, last, ...flags } = rules;
  return [[...anywhere], [...first], [...last], flags];
}

/** A path of a remote in the standard form; `/` separates segments in both. */
export function toStandardPath(encoding: NameEncoding, path: string): string {
  return encoding.suspicious.test(path) ? convertPath(encoding.rules, STANDARD, path) : path;
}

/** A path in the standard form as the remote spells it. */
export function fromStandardPath(encoding: NameEncoding, path: string): string {
  return encoding.suspicious.test(path) ? convertPath(STANDARD, encoding.rules, path) : path;
}

function convertPath(from: CharacterRules, to: CharacterRules, path: string): string {
  return path
    .split('/')
    .map((name) => convertName(from, to, name))
    .join('/');
}

function fromRules(rules: CharacterRules): NameEncoding {
  const anywhere = new Set(['\0', ...STANDARD.anywhere, ...rules.anywhere]);
  // A slash itself only parts segments; its look-alike is what makes a path suspicious.
  const characters = withSymbols(anywhere).filter((character) => character !== '/');
  const bytes = rules.invalidUtf8 ? '\\udc80-\\udcff' : '';
  const parts = [`[${escapeClass([QUOTE, ...characters])}${bytes}]`, '(?:^|/)[.．]{1,2}(?:/|$)'];
  if (rules.first.size > 0) parts.push(`(?:^|/)[${escapeClass(withSymbols(rules.first))}]`);
  if (rules.last.size > 0) parts.push(`[${escapeClass(withSymbols(rules.last))}](?:/|$)`);
  return { rules, suspicious: new RegExp(parts.join('|')) };
}

function withSymbols(characters: Iterable<string>): string[] {
  return [...characters].flatMap((character) => [character, symbolOf(character)]);
}

function escapeClass(characters: readonly string[]): string {
  return characters.map((character) => character.replace(/[\\\]^-]/, '\\$&')).join('');
}
