import { decodePercent } from '../payload/parse-query.ts';
import type { SecretSearch } from './secret-search.ts';

/** Finds what stands under the names of secrets in a text. */
type FindPlaces = (text: string, search: SecretSearch) => Iterable<SecretPlace>;

const FINDERS: readonly FindPlaces[] = [
  secretsInJson,
  secretsInPairs,
  secretsInXml,
  secretsInParts,
  secretsInUrls,
  privateKeys,
];

/** Steps that a text counts for, however short. */
const TEXT_STEPS = 5;
/** Without one of these a text has no place that could be found. */
const MARKS = /[=<]|":|"\s|:\\{0,3}\/|u003c|&lt;|--/i;

/**
 * Secrets by the names before them, in JSON, `name=value`, XML, multipart bodies and URLs, wherever in a text these
 * begin. Takes time in proportion to the length. Throws `SearchTooLong`.
 */
export function* secretPlaces(text: string, search: SecretSearch): Generator<SecretPlace> {
  if (!MARKS.test(text)) return;
  search.spend(TEXT_STEPS);
  for (const find of FINDERS) {
    for (const place of find(text, search)) {
      search.foundPlace();
      if (!/^(?:true|false)$/i.test(place.value)) yield place;
    }
  }
}

/**
 * The secrets of a form, also of one that cannot be parsed: each as it is written, and what it stands for. Throws
 * `SearchTooLong`.
 */
export function* secretsInForm(body: string, search: SecretSearch): Generator<string> {
  for (let start = 0; start <= body.length; ) {
    const and = body.indexOf('&', start);
    const end = and < 0 ? body.length : and;
    search.spend(1);
    const pair = body.slice(start, end);
    start = end + 1;
    for (const { 0: named, 1: name = '', index } of pair.matchAll(/(?:^|;)([^;=]*)=/g)) {
      // Bytes that are no text name nothing: the body may be no form at all.
      if (!name.isWellFormed()) search.spend(1);
      if (!name.isWellFormed() || !search.isSecret(name)) continue;
      search.foundPlace();
      const value = pair.slice(index + named.length);
      yield value;
      yield decodePercent(value, true) ?? value;
      break;
    }
  }
}

/** Letters of a longer name are not looked at. */
const LONGEST_NAME = 200;
const NAME_UNIT = /[\w.%+~$[\]-]/;
const IS_NAME_UNIT = Array.from({ length: 128 }, (_, unit) =>
  NAME_UNIT.test(String.fromCharCode(unit)),
);
const QUOTED = /"([^"\n]*)"|'([^'\n]*)'/y;
/** What ends a value without quotes. A backslash before a quote belongs to the quote, in which the name stands, too. */
const VALUE_END = /[&\s"'<>]|\\(?=\\{0,3}(?:["']|u0026))|$/g;
/** An escape before a name in JSON or the like, whose letters are none of the name. */
const ESCAPED = /^(?:u[0-9a-f]{4}|[nrt])/i;

function* secretsInPairs(text: string, search: SecretSearch): Generator<SecretPlace> {
  for (let at = text.indexOf('='); at >= 0; at = text.indexOf('=', at + 1)) {
    const name = nameBefore(text, at);
    if (name === '') continue;
    const isEscaped = text[at - name.length - 1] === '\\';
    if (!search.isSecret(isEscaped ? name.replace(ESCAPED, '') : name)) continue;
    QUOTED.lastIndex = at + 1;
    const quoted = QUOTED.exec(text);
    VALUE_END.lastIndex = at + 1;
    const start = at + (quoted === null ? 1 : 2);
    const written = quoted?.[1] ?? quoted?.[2] ?? text.slice(start, VALUE_END.exec(text)?.index);
    if (written === '') continue;
    const value = quoted === null ? (decodePercent(written, true) ?? written) : written;
    yield { start, end: start + written.length, value };
    at = start + written.length - 1;
  }
}

function nameBefore(text: string, end: number): string {
  const least = Math.max(0, end - LONGEST_NAME);
  let start = end;
  while (start > least && IS_NAME_UNIT[text.charCodeAt(start - 1)] === true) start--;
  return text.slice(start, end);
}

/** A tag, also where its signs are escaped in JSON or XML. */
const TAG =
  /(<|(?<!\\)\\{1,7}u003c|&lt;)([\p{L}_][\p{L}\p{N}_:.-]{0,200})(?:\s(?:(?!&lt;|\\u003c)[^<>]){0,2000}?)?(?:>|\\{1,7}u003e|&gt;)/giu;
const XML_NAME_UNIT = /[\p{L}\p{N}_:.-]/u;

function* secretsInXml(text: string, search: SecretSearch): Generator<SecretPlace> {
  let readTo = 0;
  for (const { 0: tag, 1: sign = '', 2: name = '', index } of text.matchAll(TAG)) {
    search.spend(1);
    if (index < readTo || tag.endsWith('/>')) continue;
    if (!search.isSecret(name.slice(name.indexOf(':') + 1))) continue;
    const start = index + tag.length;
    const end = endOfElement(text, start, sign, name);
    const value = text.slice(start, end).replace(/^\s*<!\[CDATA\[(.*)\]\]>\s*$/s, '$1');
    if (end > start) yield { start, end, value };
    readTo = end;
  }
}

/** Where the tag begins that closes an element; the end of the text where none does. */
function endOfElement(text: string, start: number, sign: string, name: string): number {
  for (const slash of ['/', '\\/']) {
    const tag = `${sign}${slash}${name}`;
    for (let at = text.indexOf(tag, start); at >= 0; at = text.indexOf(tag, at + 1)) {
      if (!XML_NAME_UNIT.test(text.charAt(at + tag.length))) return at;
    }
  }
  return text.length;
}

/** The line before a part of a multipart body, and its headers. */
const PART = /^(--[^\r\n]{1,200})\r?\n/gm;
const PART_HEADERS = /((?:[^\r\n]{1,1000}\r?\n){1,20})\r?\n/y;
/** Steps that looking for the headers of a part counts for. */
const PART_STEPS = 20;
const PART_NAME = /;[\t ]*name=(?:"([^"\r\n]*)"|([^\s;]*))/i;

function* secretsInParts(text: string, search: SecretSearch): Generator<SecretPlace> {
  let readTo = 0;
  for (const { 0: before, 1: line = '', index } of text.matchAll(PART)) {
    search.spend(PART_STEPS);
    if (index < readTo) continue;
    PART_HEADERS.lastIndex = index + before.length;
    const headers = PART_HEADERS.exec(text)?.[0];
    if (headers === undefined) continue;
    const start = index + before.length + headers.length;
    readTo = start - 1;
    const [, quoted, bare = ''] = PART_NAME.exec(headers) ?? [];
    if (!search.isSecret(quoted ?? bare)) continue;
    const next = text.indexOf(`\n${line}`, start - 1);
    const end = next < 0 ? text.length : Math.max(start, next - (text[next - 1] === '\r' ? 1 : 0));
    const value = text.slice(start, end).replace(/\r?\n$/, '');
    if (end > start) yield { start, end: start + value.length, value };
    readTo = end;
  }
}

/**
 * The part of a URL before its host: a user with a password, or a user alone, who may be a token. Slashes may be
 * escaped.
 */
const LOGIN = /:\\{0,3}\/\\{0,3}\/([^\s/?#@:"'<>]{0,200})(:[^\s/?#@"'<>]+)?@/g;
/** A password that says that the user is a token. */
const USER_IS_TOKEN = ':x-oauth-basic';

function* secretsInUrls(text: string, search: SecretSearch): Generator<SecretPlace> {
  for (const { 0: login, 1: user = '', 2: password = '', index } of text.matchAll(LOGIN)) {
    search.spend(1);
    const isUser = password === '' || password === USER_IS_TOKEN;
    const written = isUser ? user : password.slice(1);
    const isLogin = password !== '' || /https?$/i.test(text.slice(Math.max(0, index - 5), index));
    if (written === '' || !isLogin) continue;
    const end = index + login.length - 1 - (isUser ? password.length : 0);
    yield { start: end - written.length, end, value: decodePercent(written, true) ?? written };
  }
}

/**
 * The content of a private key in PEM (RFC 7468) or of OpenPGP, under whatever name, behind its headers; its line ends
 * may be escaped. Loops have limits: the engine fails on long ones.
 */
const PRIVATE_KEY =
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:\\+[nr]|\s){0,99}(?:[A-Za-z][\w-]{0,60}:[^"<\r\n\\]{0,500}(?:\\+[nr]|\s){1,99}){0,20}([^-"<]{20,100000})/g;

function* privateKeys(text: string, search: SecretSearch): Generator<SecretPlace> {
  for (const { 0: all, 1: value = '', index } of text.matchAll(PRIVATE_KEY)) {
    search.spend(value.length);
    const end = index + all.length;
    yield { start: end - value.length, end, value };
  }
}

/** A secret in a text: where it stands, and what it is without the escapes around it. */
interface SecretPlace {
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
function* secretsInJson(text: string, search: SecretSearch): Generator<SecretPlace> {
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
