import { nameFromBytes } from '../../core/name-bytes.ts';
import { goJsonString } from '../../go/go-json.ts';
import { GoFault, goQuote, goSize } from '../../go/go-texts.ts';
import { type GoValue, goJson, goText, NIL_MAP } from '../../go/go-value.ts';
import { parseWholeGoJson } from '../../go/parse-go-json.ts';
import { type Hook, type HookMatch, matchesIn, type Parameter } from '../hook.ts';
import { type HookRequest, parameterValue } from '../parameter/parameter-value.ts';
import { bodyKind, decodeCodes, parseQuery } from '../payload/parse-body.ts';
import { isSecretName } from './secret-names.ts';

/** If a request gives more, in number or in letters together, nothing of it is shown: to look for all takes too long. */
const MOST_SECRETS = 1000;
const MOST_LETTERS = 2_000_000;
/** Further names of a request count as those of secrets. */
const MOST_NAMES = 100_000;
/** A text that a rule compares is no secret if it is shorter, and neither is a number. */
const SHORTEST_TOKEN = 6;
/** What is shorter stands in too many words: it is hidden only in its place. */
const SHORTEST_SOUGHT = 4;
/** Work that an attempt to parse a text counts for, in letters times secrets. */
const JSON_WORK = 200;
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

/** A request's target without its secrets. */
export function redactTarget(target: string, redact: Redact): string {
  // The path names the hook: what the query says does not hide it.
  const query = target.indexOf('?') + 1;
  if (query === 0) return target;
  return target.slice(0, query) + redactPairs(target.slice(query), redact);
}

/** A percent sign that is no escape stands for itself. */
const BAD_ESCAPE = /%(?![\da-f]{2})/gi;

/** A query or a form without its secrets; a part of it that cannot be parsed is hidden. */
function redactPairs(text: string, redact: Redact): string {
  const isSecret = nameCheck();
  const shown = text.split('&').map((pair) => {
    const { values, fault } = parseQuery(pair.replace(BAD_ESCAPE, '%25'));
    const [[name, value] = ['', '']] = values;
    if (fault !== undefined || redact(name) !== name) return HIDDEN;
    const [key] = pair.split('=', 1);
    return isSecret(name) || redact(goText(value)) !== value ? `${key}=${HIDDEN}` : pair;
  });
  return shown.join('&');
}

/** Whether the value under a name is a secret; looks once at names that come again. */
function nameCheck(): (name: string) => boolean {
  const known = new Map<string, boolean>();
  return (name) => {
    let is = known.get(name);
    if (is === undefined) {
      if (known.size === MOST_NAMES) return true;
      is = isSecretName(name);
      known.set(name, is);
    }
    return is;
  };
}

/** A header without its secrets. */
export function redactHeader(name: string, value: string, redact: Redact): string {
  return isSecretName(name) ? HIDDEN : redact(value);
}

/** A text in quotes without its secrets. One that is too long to be shown is not quoted first. */
export function redactQuoted(text: string, redact: Redact): string {
  return text.length > LONGEST_TEXT ? HIDDEN : goQuote(redact(text));
}

/**
 * Hides, in all that is shown of a request, the secrets of its hook and what the request gave for them, and in a text
 * that is JSON as a whole what stands under the names of secrets.
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
  const work = hidingWork();
  const sought = new Set(
    [...more, ...(hook === undefined ? [] : fixedIn(hook))].flatMap(spellings),
  );
  const most = sought.size + MOST_SECRETS;
  let letters = 0;
  for (const secret of secretsGiven(hook, request, headers, work)) {
    letters += secret.length;
    if (letters > MOST_LETTERS) return () => HIDDEN;
    if (isTelling(secret)) for (const spelled of spellings(secret)) sought.add(spelled);
    if (sought.size > most) return () => HIDDEN;
  }
  sought.delete('');
  const texts = [...sought];
  const hide: Redact = (text, isCut) => {
    if (text.length > LONGEST_TEXT) return HIDDEN;
    const json = parsedJson(text, work);
    if (work.left < 0) return HIDDEN;
    const named = json === undefined ? undefined : withoutNamed(json);
    return hideTexts(named ?? text, texts, isCut, work);
  };
  return (text, isCut) => {
    const { length } = request.body;
    const mayBe = text !== '' && text.length <= length && length <= 3 * text.length;
    if (!mayBe || text !== nameFromBytes(request.body)) return hide(text, isCut);
    return hide(bodyWithoutSecrets(hook, request, hide) ?? HIDDEN);
  };
}

/** The body of a request as it is shown. One that was not parsed is not shown, as its secrets are not known. */
export function shownBody(hook: Hook | undefined, request: HookRequest, redact: Redact): string {
  const { length } = request.body;
  if (length === 0) return '';
  const shown = bodyWithoutSecrets(hook, request, redact);
  return shown ?? `[a body of ${goSize(length)} that was not parsed is not shown]`;
}

/**
 * A body without what stands under the names of secrets: JSON and forms as they came, unless they have some, all else
 * as the JSON of its payload. `undefined` if it was not parsed.
 */
function bodyWithoutSecrets(hook: Hook | undefined, request: HookRequest, redact: Redact) {
  const { body, payload } = request;
  const json = parsedJson(body);
  if (json !== undefined) return withoutNamed(json) ?? nameFromBytes(body);
  const kind = kindOf(hook, request);
  const text = nameFromBytes(body);
  if (kind === 'json' && text.trim() === 'null') return text;
  if (kind === 'none' || payload === NIL_MAP) return undefined;
  if (kind === 'form') return redactPairs(text, redact);
  return withoutNamed(payload) ?? goJson(payload);
}

function kindOf(hook: Hook | undefined, { headers }: HookRequest): ReturnType<typeof bodyKind> {
  return bodyKind(hook?.contentType || goText(headers.get('Content-Type') ?? ''));
}

/** The list or object that a text says as JSON, with nothing behind it; `undefined` also if no work is left. */
function parsedJson(text: string | Buffer, work = hidingWork()): GoValue | undefined {
  const isText = typeof text === 'string';
  if (!/^\s*[[{]/.test(isText ? text : text.toString('latin1', 0, 100))) return undefined;
  work.left -= JSON_WORK;
  if (work.left < 0) return undefined;
  try {
    return parseWholeGoJson(isText ? text : nameFromBytes(text));
  } catch (thrown) {
    if (thrown instanceof GoFault) return undefined;
    throw thrown;
  }
}

/** A value as JSON without what stands under the names of secrets; `undefined` if nothing does. */
function withoutNamed(value: GoValue): string | undefined {
  const isSecret = nameCheck();
  let hides = false;
  const json = goJson(value, (key) => {
    if (!isSecret(key)) return undefined;
    hides = true;
    return HIDDEN;
  });
  return hides ? json : undefined;
}

/** The secrets that a request gives. */
function secretsGiven(
  hook: Hook | undefined,
  request: HookRequest,
  headers: ReadonlyMap<string, readonly string[]>,
  work: HidingWork,
): Set<string> {
  const isSecret = nameCheck();
  const given = new Set<string>();
  for (const values of valuesOf(hook, request)) collectNamed(values, given, isSecret, work);
  for (const [name, value] of [...headers, ...request.headers]) {
    if (!isSecret(name)) continue;
    for (const one of [value].flat().map(goText)) {
      for (const part of [one, ...partsOfSecret(one, /cookie/i.test(name))]) given.add(part);
    }
  }
  for (const secret of hook === undefined ? [] : givenFor(hook, request)) given.add(secret);
  return given;
}

/** What may have secrets under their names: also all values of a form, and a body that is JSON of another type. */
function* valuesOf(hook: Hook | undefined, request: HookRequest): Generator<GoValue> {
  const { headers, query, payload, body } = request;
  yield* [headers, query, payload];
  const kind = kindOf(hook, request);
  const json = kind === 'json' ? undefined : parsedJson(body);
  if (json !== undefined) yield json;
  else if (kind === 'form') {
    for (const pair of nameFromBytes(body).split('&')) yield parseQuery(pair).values;
  }
}

/** Whether a value can be looked for wherever it stands. */
function isTelling(value: string): boolean {
  if (/^(?:-?[\d.]+|true|false|null)$/i.test(value)) return value.length >= SHORTEST_TOKEN;
  return value.length >= SHORTEST_SOUGHT;
}

/** A secret as it is, in JSON, in JSON of Go, in a form, where bytes that are no text were replaced, and indented. */
function spellings(secret: string): string[] {
  const text = secret.toWellFormed();
  const encoded = encodeURIComponent(text);
  const lines = secret.includes('\n') ? secret.split('\n').map((line) => line.trim()) : [];
  return [
    ...[secret, text, JSON.stringify(secret).slice(1, -1), goJsonString(secret).slice(1, -1)],
    ...[encoded, encoded.replaceAll('%20', '+')],
    ...lines.filter(({ length }) => length >= SHORTEST_LINE),
  ];
}

/** What a hook compares with secrets, and what it passes to its command under the name of one. */
function secretsOf(hook: Hook): { compared: HookMatch[]; passed: Parameter[] } {
  const parameters = [...hook.arguments, ...hook.environment, ...hook.files];
  return {
    compared: matchesIn(hook.rule).filter(comparesSecret),
    passed: parameters.filter(isSecretParameter),
  };
}

/** The secrets that a hook's file names. */
function fixedIn(hook: Hook): string[] {
  const { compared, passed } = secretsOf(hook);
  const fixed = passed.filter(({ source, name }) => source === 'string' && isTelling(name));
  const named = compared.flatMap(({ value, secret }) => [value, secret]);
  return [...hook.secrets, ...named, ...fixed.map(({ name }) => name)];
}

/** What a request gives where secrets are compared or passed on. */
function givenFor(hook: Hook, request: HookRequest): string[] {
  const { compared, passed } = secretsOf(hook);
  return [...passed, ...compared.map(({ parameter }) => parameter)].flatMap((parameter) => {
    if (parameter.source === 'string') return [];
    try {
      const value = parameterValue(parameter, request);
      return [value, ...partsOfSecret(value)];
    } catch (thrown) {
      if (thrown instanceof GoFault) return [];
      throw thrown;
    }
  });
}

/** Adds what stands under the name of a secret, however deep, also in texts that are JSON. */
function collectNamed(
  values: GoValue,
  found: Set<string>,
  isSecretName: (name: string) => boolean,
  work: HidingWork,
): void {
  const open: [value: GoValue, isSecret: boolean][] = [[values, false]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, isSecret] = next;
    if (Array.isArray(value)) for (const item of value) open.push([item, isSecret]);
    else if (value instanceof Map) {
      for (const [name, item] of value) open.push([item, isSecret || isSecretName(name)]);
    } else if (typeof value === 'string') {
      if (isSecret) found.add(value);
      const json = parsedJson(value, work);
      if (json !== undefined) open.push([json, isSecret]);
    } else if (isSecret && value !== null && typeof value === 'object') {
      found.add(value.spelled);
    }
  }
}

/** Whether a condition checks a signature or compares with a secret. */
function comparesSecret({ type, value, secret, parameter }: HookMatch): boolean {
  if (secret !== '') return true;
  if (type !== 'value' && type !== 'regex') return false;
  const { source, name } = parameter;
  const isOfQuery = source === 'url' || source === 'query';
  const mayCarry = isOfQuery || (source === 'header' && !OPEN_HEADER.test(name));
  const isToken = type === 'value' && mayCarry && value.length >= SHORTEST_TOKEN;
  return isToken || isSecretParameter(parameter);
}

/** Whether the value of a parameter is a secret, by its name or that of the variable which gets it. */
export function isSecretParameter({ source, name, envName }: Parameter): boolean {
  return (source !== 'string' && isSecretName(name)) || isSecretName(envName);
}

/** `Bearer ghp_x`: a scheme, and one word behind it. */
const SCHEME = /^([A-Za-z][\w-]*)[\t ]+([^\s,]+)$/;

/**
 * What is secret by itself within the value of a header: the token behind a scheme, the password of `Basic`, the hex
 * digits of `sha256=`, and the values of cookies.
 */
function partsOfSecret(value: string, isCookie = false): string[] {
  if (isCookie) {
    const pairs = value.split(';').map((pair) => pair.slice(pair.indexOf('=') + 1).trim());
    const values = pairs.map((text) => text.replace(/^"(.*)"$/, '$1'));
    return values.flatMap((written) => [written, decodeCodes(written, true) ?? written]);
  }
  // What is said of a wrong signature names it without `sha256=` before it.
  const signatures = value.match(/(?<=^sha\d+=|,sha\d+=)[^,]+/g) ?? [];
  const [, scheme = '', token] = SCHEME.exec(value) ?? [];
  if (token === undefined) return signatures;
  if (scheme.toLowerCase() !== 'basic') return [token];
  const login = nameFromBytes(Buffer.from(token, 'base64'));
  const colon = login.indexOf(':');
  return [token, login, ...(colon < 0 ? [] : [login.slice(colon + 1)])];
}

/** Bytes of a body or an output that the log shows: to make more of them fit for it would delay other requests. */
export const MAX_LOGGED = 128 << 10;

/**
 * The beginning of a body or an output without secrets, and how much is missing.
 *
 * @param size of the whole, which `bytes` may be the beginning of
 */
export function shownBytes(bytes: Uint8Array, size: number, redact: Redact): string {
  const shown = bytes.subarray(0, MAX_LOGGED);
  const missing = size - shown.length;
  const text = redact(nameFromBytes(shown), missing > 0);
  return `${text}${missing === 0 ? '' : `\n[and ${missing} more bytes]`}`;
}

/** What the log shows instead of a secret. */
export const HIDDEN = '***';
/** A longer text is hidden as a whole. */
const LONGEST_TEXT = 500_000;
/** Maximum work, in letters of texts times secrets; beyond it whole texts are hidden. */
const MOST_WORK = 20_000_000;
/** A shorter secret is hidden only where it stands alone, or every letter of the log might go. */
const WHOLE_WORD_BELOW = 8;
/** Letters of a secret that are looked for; from where they stand as much is hidden as the secret is long. */
const SOUGHT = 100;
const WORD_BEFORE = /[\p{L}\p{N}_]$/u;
const WORD_BEHIND = /^[\p{L}\p{N}_]/u;
/** Bytes of a letter whose rest was cut off. */
const BEGUN_LETTER = /(?<![\ud800-\udbff])[\udc80-\udcff]{1,3}$/;

/** How much work is left, in letters times secrets. */
interface HidingWork {
  left: number;
}

/** The work that all texts of a request may take. */
const hidingWork = (): HidingWork => ({ left: MOST_WORK });

/**
 * Replaces known texts wherever they stand in another.
 *
 * @param isCut the text goes on behind its end, where a secret may have begun
 * @param work what is left; by default each text has its own
 */
export function hideTexts(
  text: string,
  secrets: readonly string[],
  isCut = false,
  work = hidingWork(),
): string {
  if (secrets.length === 0) return text;
  work.left -= text.length * secrets.length;
  if (text.length > LONGEST_TEXT || work.left < 0) return HIDDEN;
  const whole = isCut ? text.replace(BEGUN_LETTER, '') : text;
  let ends: Int32Array | undefined;
  const hide = (start: number, end: number) => {
    ends ??= new Int32Array(whole.length);
    ends[start] = Math.max(ends[start] ?? 0, end);
  };
  for (const secret of secrets) {
    const sought = secret.slice(0, SOUGHT);
    for (let at = whole.indexOf(sought); at >= 0; at = whole.indexOf(sought, at + 1)) {
      const end = at + secret.length;
      const mayJoin =
        secret.length < WHOLE_WORD_BELOW &&
        (WORD_BEFORE.test(whole.slice(Math.max(0, at - 2), at)) ||
          WORD_BEHIND.test(whole.slice(end, end + 2)));
      if (!mayJoin) hide(at, end);
    }
    // How much of it stands at the end of a text that goes on.
    let begun = isCut ? Math.min(sought.length - 1, whole.length) : 0;
    while (begun > 0 && !whole.endsWith(sought.slice(0, begun))) begun--;
    if (begun > 0) hide(whole.length - begun, whole.length);
  }
  return ends === undefined ? whole : without(whole, ends);
}

/** A text whose stretches are hidden, given by the end of each at its start; those that overlap as one. */
function without(text: string, ends: Int32Array): string {
  const shown: string[] = [];
  let hiddenTo = 0;
  for (const [start, end] of ends.entries()) {
    if (end === 0) continue;
    if (start >= hiddenTo) shown.push(text.slice(hiddenTo, start), HIDDEN);
    hiddenTo = Math.max(hiddenTo, end);
  }
  shown.push(text.slice(hiddenTo));
  return shown.join('');
}
