import { type CodePointSet, SyntaxFault } from './syntax-tree.ts';

/**
 * Sets of code points are written as the inside of a JavaScript character class (`v` flag), which knows
 * ranges, nested and negated sets, Unicode properties and the folding of case as Go does it.
 */
export type ClassSource = string;

/** The set of the class `source`; each distinct code point is asked for about once, so a test is fast enough. */
export function setOf(source: ClassSource, foldCase: boolean, negated = false): CodePointSet {
  const text = `^[${negated ? '^' : ''}${source}]$`;
  let expression: RegExp | undefined;
  return {
    key: `${foldCase ? 'i' : ''}${text}`,
    has(codePoint) {
      expression ??= new RegExp(text, foldCase ? 'iv' : 'v');
      return expression.test(String.fromCodePoint(codePoint));
    },
  };
}

/** The set of one character, with its other cases where case does not matter. */
export function characterSet(codePoint: number, foldCase: boolean): CodePointSet {
  if (foldCase) return setOf(rangeSource(codePoint, codePoint), true);
  return { key: `=${codePoint}`, has: (other) => other === codePoint };
}

/** `.` without the `s` flag. */
export const notNewline: CodePointSet = {
  key: 'not-newline',
  has: (codePoint) => codePoint !== 10,
};

/** `.` with the `s` flag. */
export const anyCharacter: CodePointSet = { key: 'any', has: () => true };

/** The code points from `low` to `high`. */
export function rangeSource(low: number, high: number): ClassSource {
  const from = `\\u{${low.toString(16)}}`;
  return low === high ? from : `${from}-\\u{${high.toString(16)}}`;
}

/** `\d`, `\s` and `\w`: ASCII only; the capital letters are their complements. */
const PERL: Readonly<Record<string, ClassSource>> = {
  d: '0-9',
  s: '\\t\\n\\f\\r\\u{20}',
  w: '0-9A-Za-z_',
};

/** The class that `\d` and the like stand for; `undefined` for other letters. */
export function perlClass(letter: string): ClassSource | undefined {
  const source = PERL[letter.toLowerCase()];
  return source === undefined || letter in PERL ? source : `[^${source}]`;
}

const POSIX: Readonly<Record<string, ClassSource>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\u{0}-\\u{7f}',
  blank: '\\t\\u{20}',
  cntrl: '\\u{0}-\\u{1f}\\u{7f}',
  digit: '0-9',
  graph: '\\u{21}-\\u{7e}',
  lower: 'a-z',
  print: '\\u{20}-\\u{7e}',
  punct: '\\u{21}-\\u{2f}\\u{3a}-\\u{40}\\u{5b}-\\u{60}\\u{7b}-\\u{7e}',
  space: '\\t\\n\\v\\f\\r\\u{20}',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

/** The class of `[:alpha:]` or `[:^alpha:]`, given with its brackets and colons. */
export function posixClass(text: string): ClassSource {
  const [, negation, name = ''] = /^\[:(\^?)([a-z]+):\]$/.exec(text) ?? [];
  const source = Object.hasOwn(POSIX, name) ? POSIX[name] : undefined;
  if (source === undefined) throw new SyntaxFault(`invalid character class range: \`${text}\``);
  return negation === '^' ? `[^${source}]` : source;
}

const CATEGORIES = /^(?:C[cfos]|L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|S[ckmo]?|Z[lps]?)$/;

/** The class of a Unicode category or script as Go names it; `text` is what stood in the expression. */
export function unicodeClass(name: string, negated: boolean, text: string): ClassSource {
  const source = unicodeSource(name);
  if (source === undefined) throw new SyntaxFault(`invalid character class range: \`${text}\``);
  return negated ? `[^${source}]` : source;
}

const SHORT_SCRIPTS = new Set(['Ahom', 'Cham', 'Kawi', 'Lisu', 'Modi', 'Newa', 'Thai', 'Toto']);

function unicodeSource(name: string): ClassSource | undefined {
  if (name === 'Any') return '\\u{0}-\\u{10ffff}';
  // Go's C leaves out the code points that are not assigned.
  if (name === 'C') return '\\p{Cc}\\p{Cf}\\p{Co}\\p{Cs}';
  if (CATEGORIES.test(name)) return `\\p{${name}}`;
  if (!/^[A-Z][A-Za-z_]+$/.test(name)) return undefined;
  // Other names of four letters are abbreviations, which Go does not know.
  if (name.length === 4 && !SHORT_SCRIPTS.has(name)) return undefined;
  const source = `\\p{Script=${name}}`;
  try {
    new RegExp(source, 'v');
    return source;
  } catch {
    return undefined;
  }
}
