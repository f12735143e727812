import { nameFromBytes } from '../../core/name-bytes.ts';
import { GoFault } from '../../go/go-errno.ts';
import { goQuote, goText } from '../../go/go-texts.ts';
import type { GoValue } from '../../go/go-value.ts';
import type { Hook, HookMatch, Parameter, Rule } from '../file/hook.ts';
import type { HookRequest } from '../parameter/hook-request.ts';
import { parameterValue } from '../parameter/parameter-value.ts';
import { bodyKind } from '../payload/parse-body.ts';
import { decodePercent } from '../payload/parse-query.ts';
import { readable } from './form-text.ts';
import { HIDDEN, hideTexts, hidingWork, LONGEST_TEXT } from './hide-texts.ts';
import { isSecretName } from './secret-names.ts';
import { secretPlaces, secretsInForm } from './secret-places.ts';
import { SearchTooLong, SecretSearch } from './secret-search.ts';

/** Where a request gives more than this nothing of it is shown: to look for all of them would take too long. */
const MOST_SECRETS = 1000;
/** A text that a rule compares is no secret if it is shorter, and neither is a number. */
const SHORTEST_TOKEN = 6;
/** What is shorter stands in too many words: it is hidden only in its place. */
const SHORTEST_SOUGHT = 4;
/** Lines of a secret that are at least so long are secrets themselves: they may stand indented. */
const SHORTEST_LINE = 16;

/** Headers that rules compare with what is no secret. */
const OPEN_HEADER = /(?:^|-)event(?:-|$)|^(?:accept|content|user-agent)/i;

/**
 * Makes a text fit for the log.
 *
 * @param isCut the text goes on behind its end
 */
export type Redact = (text: string, isCut?: boolean) => string;

/** A line about a request, whose secrets are known when it is written. */
export type RequestLine = (redact: Redact) => string;

/** Hides the values of secret parameters in a request's target; `names` are secret besides those that look so. */
export function redactTarget(
  target: string,
  names: ReadonlySet<string>,
  redact: Redact = byNameOnly,
): string {
  const question = target.indexOf('?');
  // The path names the hook: what the query says does not hide it.
  const path = byNameOnly(question < 0 ? target : target.slice(0, question));
  if (question < 0) return path;
  const pairs = target.slice(question + 1).split('&');
  const shown = pairs.map((pair) => {
    const equals = pair.indexOf('=');
    if (equals < 0) return pair;
    const key = pair.slice(0, equals);
    const name = readable(key);
    if (isSecretName(name) || names.has(name)) return `${key}=${HIDDEN}`;
    return pair;
  });
  return `${path}?${redact(shown.join('&'))}`;
}

/** Hides what stands under the names of secrets. */
function byNameOnly(text: string): string {
  return hideTexts(text, [], { byName: true });
}

/** A header without its secrets. */
export function redactHeader(name: string, value: string, redact: Redact): string {
  return isSecretName(name) ? HIDDEN : redact(value);
}

/** A text in quotes without its secrets. One that is too long to be shown is not quoted first. */
export function redactQuoted(text: string, redact: Redact): string {
  return text.length > LONGEST_TEXT ? HIDDEN : redact(goQuote(text));
}

/** The query parameters that a hook's rule compares with a fixed value: they carry a token, whatever their name. */
export function secretQueryNames(hook: Hook | undefined): Set<string> {
  const compared = secretMatches(hook?.rule).map(({ parameter }) => parameter);
  return new Set(compared.filter(isOfQuery).map(({ name }) => name));
}

/**
 * Hides, in all that is shown of a request, the secrets of its hook and what the request gave for them.
 *
 * @param hook absent where the request leads to none
 * @param headers with all values of each
 * @param more secrets of the server
 */
export function redactor(
  hook: Hook | undefined,
  request: HookRequest,
  headers: ReadonlyMap<string, readonly string[]> = new Map(),
  more: readonly string[] = [],
): Redact {
  const sought = new Set<string>();
  try {
    for (const spelled of spellingsOf(secretsGiven(hook, request, headers))) {
      sought.add(spelled);
      if (sought.size > MOST_SECRETS) throw new SearchTooLong();
    }
  } catch (thrown) {
    if (thrown instanceof SearchTooLong) return () => HIDDEN;
    throw thrown;
  }
  for (const secret of [...more, ...(hook === undefined ? [] : fixedIn(hook))]) {
    for (const spelled of spellings(secret)) sought.add(spelled);
  }
  sought.delete('');
  const texts = [...sought];
  const work = hidingWork();
  return (text, isCut = false) => hideTexts(text, texts, { byName: true, isCut, work });
}

/** The secrets that a request gives. Throws `SearchTooLong`. */
function secretsGiven(
  hook: Hook | undefined,
  request: HookRequest,
  headers: ReadonlyMap<string, readonly string[]>,
): Set<string> {
  const search = new SecretSearch();
  const given = new Set<string>();
  const all = new Map([...headers].map(([name, values]) => [name, [...values]]));
  const contentType = hook?.contentType || goText(request.headers.get('Content-Type') ?? '');
  for (const values of [all, request.headers, request.query, request.payload]) {
    collectNamed(values, given, search);
  }
  for (const secret of secretsInBody(request.body, contentType, search)) given.add(secret);
  for (const [name, value] of [...all, ...request.headers]) {
    if (!isSecretName(name)) continue;
    for (const one of [value].flat()) {
      for (const part of partsOfSecret(goText(one), /cookie/i.test(name))) given.add(part);
    }
  }
  for (const secret of hook === undefined ? [] : givenFor(hook, request, search)) given.add(secret);
  return given;
}

/** Whether a value can be looked for wherever it stands. */
function isTelling(value: string): boolean {
  if (/^(?:-?[\d.]+|true|false|null)$/i.test(value)) return value.length >= SHORTEST_TOKEN;
  return value.length >= SHORTEST_SOUGHT;
}

/** The spellings of what a request gives. Throws `SearchTooLong`. */
function* spellingsOf(given: Iterable<string>): Generator<string> {
  const letters = new SecretSearch();
  for (const secret of given) {
    letters.spend(secret.length);
    if (isTelling(secret)) yield* spellings(secret);
  }
}

/** A secret, and as it stands where it was indented or where bytes that are no text were replaced. */
function* spellings(secret: string): Generator<string> {
  yield secret;
  if (!secret.isWellFormed()) yield secret.toWellFormed();
  if (!secret.includes('\n')) return;
  for (const line of secret.split('\n')) {
    const text = line.trim();
    if (text.length >= SHORTEST_LINE) yield text;
  }
}

/** The secrets that a hook's file names. */
function fixedIn(hook: Hook): string[] {
  const compared = secretMatches(hook.rule).filter(({ type }) => type === 'value');
  const passed = passedOn(hook).filter(({ source }) => source === 'string');
  return [
    ...hook.secrets,
    ...compared.map(({ value }) => value),
    ...signatures(hook.rule).map(({ secret }) => secret),
    ...passed.map(({ name }) => name).filter(isTelling),
  ];
}

/** What a request gives where secrets are compared or passed on. Throws `SearchTooLong`. */
function givenFor(hook: Hook, request: HookRequest, search: SecretSearch): string[] {
  const compared = [...secretMatches(hook.rule), ...signatures(hook.rule)];
  const given = [...passedOn(hook), ...compared.map(({ parameter }) => parameter)]
    .filter(({ source }) => source !== 'string')
    .map((parameter) => valueOrEmpty(parameter, request));
  return given.flatMap((value) => {
    search.spend(value.length);
    return [value, ...partsOfSecret(value)];
  });
}

/** What is passed to a command under the name of a secret. */
function passedOn(hook: Hook): Parameter[] {
  return [...hook.arguments, ...hook.environment, ...hook.files].filter(isSecretParameter);
}

/** What a body of any type says under the names of secrets. */
function* secretsInBody(
  body: Buffer,
  contentType: string,
  search: SecretSearch,
): Generator<string> {
  const isForm = bodyKind(contentType) === 'form';
  // Most bodies have none, and bytes that are no text are read as such only slowly.
  const first = isForm ? undefined : secretPlaces(body.toString('latin1'), search).next();
  if (first?.done === true) return;
  const text = nameFromBytes(body);
  for (const { value } of secretPlaces(text, search)) yield value;
  if (isForm) yield* secretsInForm(text, search);
}

/** Adds what stands under the name of a secret, however deep, also in texts that hold JSON and the like. */
function collectNamed(values: GoValue, found: Set<string>, search: SecretSearch): void {
  const open: [value: GoValue, isSecret: boolean][] = [[values, false]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, isSecret] = next;
    if (isSecret) search.spend(1);
    if (Array.isArray(value)) for (const item of value) open.push([item, isSecret]);
    else if (value instanceof Map) {
      for (const [name, item] of value) open.push([item, isSecret || search.isSecret(name)]);
    } else if (typeof value === 'string') {
      if (isSecret) found.add(value);
      for (const place of secretPlaces(value, search)) found.add(place.value);
    } else if (isSecret && value !== null && typeof value === 'object') {
      found.add(value.spelled);
    }
  }
}

/** The conditions of a rule that check a signature. */
function signatures(rule: Rule | undefined): HookMatch[] {
  return matchesOf(rule).filter(({ secret }) => secret !== '');
}

/** The conditions of a rule that compare with a secret. */
function secretMatches(rule: Rule | undefined): HookMatch[] {
  return matchesOf(rule).filter(comparesSecret);
}

function matchesOf(rule: Rule | undefined): HookMatch[] {
  if (rule === undefined) return [];
  const { and = [], or = [], not, match } = rule;
  const inner = [...and, ...or, ...(not ? [not] : [])].flatMap(matchesOf);
  return match === undefined ? inner : [match, ...inner];
}

function comparesSecret({ type, value, parameter }: HookMatch): boolean {
  if (type !== 'value' && type !== 'regex') return false;
  const mayCarry =
    isOfQuery(parameter) || (parameter.source === 'header' && !OPEN_HEADER.test(parameter.name));
  const isToken = type === 'value' && mayCarry && value.length >= SHORTEST_TOKEN;
  return isToken || isSecretParameter(parameter);
}

function isOfQuery({ source }: Parameter): boolean {
  return source === 'url' || source === 'query';
}

/** Whether the value of a parameter is a secret, by its name or that of the variable which gets it. */
export function isSecretParameter({ source, name, envName }: Parameter): boolean {
  return (source !== 'string' && isSecretName(name)) || isSecretName(envName);
}

function valueOrEmpty(parameter: Parameter, request: HookRequest): string {
  try {
    return parameterValue(parameter, request);
  } catch (thrown) {
    if (thrown instanceof GoFault) return '';
    throw thrown;
  }
}

/** `Bearer ghp_x`: a scheme, and one word behind it. */
const SCHEME = /^([A-Za-z][\w-]*)[\t ]+([^\s,]+)$/;

/**
 * What is secret by itself within the value of a header: the token behind a scheme, the password of `Basic`, the hex
 * digits of `sha256=`, and the values of cookies.
 */
function partsOfSecret(value: string, isCookie = false): string[] {
  if (isCookie) return value.split(';').flatMap(cookieValues);
  // What is said of a wrong signature names it without `sha256=` before it.
  const signatures = value.match(/(?<=^sha\d+=|,sha\d+=)[^,]+/g) ?? [];
  const [, scheme = '', token] = SCHEME.exec(value) ?? [];
  if (token === undefined) return signatures;
  if (scheme.toLowerCase() !== 'basic') return [token];
  const login = nameFromBytes(Buffer.from(token, 'base64'));
  const colon = login.indexOf(':');
  return [token, login, ...(colon < 0 ? [] : [login.slice(colon + 1)])];
}

function cookieValues(cookie: string): string[] {
  const written = cookie
    .slice(cookie.indexOf('=') + 1)
    .trim()
    .replace(/^"(.*)"$/, '$1');
  return [written, decodePercent(written, true) ?? written];
}
