import { convertName, QUOTE } from './convert-name.ts';
import {
  type CharacterRules,
  combineRules,
  type EncodingRule,
  parseRules,
  symbolOf,
} from './encoding-rules.ts';

/**
 * Names inside syncer, and names in a store.
 *
 * Paths of a `Remote` are in rclone's "standard" form: a slash in a name, control characters, DEL and the names
 * `.` and `..` are shown by look-alikes (`／`, `␊`, `␡`, `．．`), and a name that literally holds such a
 * look-alike has it quoted by `‛`. Bytes that are not UTF-8 are lone surrogates (see `name-bytes.ts`).
 * Each store has an encoding of its own for what it cannot hold. Backends call `toStandardPath` on what they
 * list, `fromStandardPath` on what they are asked for. The rules are those of rclone's lib/encoder.
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

/** A path of a store as syncer knows it; segments are parted by `/` in both. */
export function toStandardPath(encoding: NameEncoding, path: string): string {
  return encoding.suspicious.test(path) ? convertPath(encoding.rules, STANDARD, path) : path;
}

/** A path of syncer as the store knows it. */
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
