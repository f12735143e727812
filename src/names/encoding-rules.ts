import { SyncerError, toSyncerError } from '../core/errors.ts';
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
export type EncodingRule = keyof typeof RULES;

/** Which characters a store cannot hold in a name; see `name-encoding.ts` for what is put in their place. */
export interface CharacterRules {
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
export function characterOf(symbol: string): string | undefined {
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
