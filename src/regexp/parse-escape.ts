import { type ClassSource, perlClass, unicodeClass } from './code-point-set.ts';
import { SyntaxFault } from './syntax-tree.ts';
import type { TextReader } from './text-reader.ts';

const CONTROL: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };
const PERL_ESCAPE = /\\([dswDSW])/y;
const UNICODE_ESCAPE = /\\([pP])(?:\{([^}]*)\}|([^{]))/uy;
const OCTAL = /0[0-7]{0,2}|[1-7][0-7]{1,2}/y;
const HEX = /x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))/y;

/** `\d`, `\pL`, `\p{Greek}` and the like; `undefined` where none of them comes next. */
export function parseClassEscape(reader: TextReader): ClassSource | undefined {
  const perl = reader.takeMatch(PERL_ESCAPE);
  if (perl !== undefined) return perlClass(perl[1] ?? '');
  if (!reader.startsWith('\\p') && !reader.startsWith('\\P')) return undefined;
  const unicode = reader.takeMatch(UNICODE_ESCAPE);
  if (unicode === undefined) {
    if (reader.rest.length > 2) {
      throw new SyntaxFault(`invalid character class range: \`${reader.rest}\``);
    }
    return undefined;
  }
  const [text, letter, braced, single] = unicode;
  const name = braced ?? single ?? '';
  const negated = (letter === 'P') !== name.startsWith('^');
  return unicodeClass(name.replace(/^\^/, ''), negated, text);
}

/** The code point that an escape stands for; the reader is at the backslash. */
export function parseEscape(reader: TextReader): number {
  const start = reader.at;
  reader.take('\\');
  if (reader.done) throw new SyntaxFault('trailing backslash at end of expression: ``');
  const octal = reader.takeMatch(OCTAL);
  if (octal !== undefined) return Number.parseInt(octal[0], 8);
  const hex = reader.takeMatch(HEX);
  if (hex !== undefined) {
    const codePoint = Number.parseInt(hex[1] ?? hex[2] ?? '', 16);
    if (codePoint <= 0x10ffff) return codePoint;
    throw invalid(reader.since(start));
  }
  const character = reader.next();
  const control = Object.hasOwn(CONTROL, character) ? CONTROL[character] : undefined;
  if (control !== undefined) return control;
  if (/^[\0-\x7f]$/.test(character) && !/[0-9A-Za-z]/.test(character)) {
    return character.charCodeAt(0);
  }
  throw invalid(reader.since(start));
}

function invalid(text: string): SyntaxFault {
  return new SyntaxFault(`invalid escape sequence: \`${text}\``);
}
