import type { SecretSearch } from './secret-search.ts';

/** A secret in a text: where it stands, and what it is without the escapes around it. */
export interface SecretPlace {
  readonly start: number;
  readonly end: number;
  readonly value: string;
}

const NAME = /(?<!\\)(\\*)"((?:[^"\\\n]|\\+[^"\\\n]){1,200})\1"\s*:\s*/g;
const TOKEN = /(?<!\\)\\*"|[[\]{}]|-?\d[\d.e+-]*|true|false/gi;
const QUOTE = /(?<!\\)\\*"/g;

/**
 * What stands under the names of secrets in JSON, wherever in a text it begins, and also where its quotes are escaped:
 * a text within JSON. Takes time in proportion to the length. Throws `SearchTooLong`.
 */
export function* secretsInJson(text: string, search: SecretSearch): Generator<SecretPlace> {
  let readTo = 0;
  for (const { 0: whole, 1: escapes = '', 2: name = '', index } of text.matchAll(NAME)) {
    search.spend(1);
    if (index < readTo || !search.isSecret(decoded(name, escapes.length))) continue;
    readTo = yield* valuesFrom(text, index + whole.length, escapes.length, search);
  }
}

/**
 * The texts, the numbers, true and false of a value. Returns its end.
 *
 * @param escapes backslashes before each of its quotes
 */
function* valuesFrom(
  text: string,
  start: number,
  escapes: number,
  search: SecretSearch,
): Generator<SecretPlace, number> {
  const tokens = new RegExp(TOKEN);
  tokens.lastIndex = start;
  let depth = 0;
  for (let next = tokens.exec(text); next !== null; next = tokens.exec(text)) {
    search.spend(1);
    const [token] = next;
    if (depth === 0 && next.index > start) return start;
    if (token.endsWith('"')) {
      // It ends a text around this value.
      if (token.length <= escapes) return next.index;
      const { end, behind } = endOfText(text, tokens.lastIndex, escapes, search);
      const isName = depth > 0 && /^\s*:/.test(text.slice(behind, behind + 20));
      const begin = tokens.lastIndex;
      const value = decoded(text.slice(begin, end), escapes);
      if (!isName) yield { start: begin, end, value };
      tokens.lastIndex = behind;
    } else if (/[[{]/.test(token)) depth++;
    else if (/[\]}]/.test(token)) depth--;
    else yield { start: next.index, end: tokens.lastIndex, value: token };
    if (depth <= 0) return tokens.lastIndex;
  }
  return depth === 0 ? start : text.length;
}

/** Where a text ends, and where what follows its quote begins. */
function endOfText(
  text: string,
  start: number,
  escapes: number,
  search: SecretSearch,
): { end: number; behind: number } {
  const quotes = new RegExp(QUOTE);
  quotes.lastIndex = start;
  for (let next = quotes.exec(text); next !== null; next = quotes.exec(text)) {
    search.spend(1);
    const before = next[0].length - 1;
    const own = (before - escapes) / (escapes + 1);
    if (own > 0 && own % 2 === 1) continue;
    const behind = quotes.lastIndex;
    return { end: behind - 1 - Math.min(before, escapes), behind };
  }
  return { end: text.length, behind: text.length };
}

/** What a text within quotes says; itself where it is not valid. */
function decoded(written: string, escapes: number): string {
  let text = written;
  try {
    for (let left = escapes; left >= 0; left = left === 0 ? -1 : (left - 1) / 2) {
      if (text.includes('\\')) text = JSON.parse(`"${text}"`);
    }
  } catch {}
  return text;
}
