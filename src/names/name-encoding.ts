import { convertName, QUOTE } from './convert-name.ts';
import {
  type CharacterRules,
  combineRules,
  type EncodingRule,
  parseRules,
  symbolOf,
} from './encoding-rules.ts';

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
export function parseEncoding(text: string): NameEncoding {
  return fromRules(parseRules(text));
}

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
