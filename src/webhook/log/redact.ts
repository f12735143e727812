import { nameFromBytes } from '../../core/name-bytes.ts';
import { GoFault } from '../../go/go-errno.ts';
import type { GoValue } from '../../go/go-value.ts';
import type { Hook, HookMatch, Parameter, Rule } from '../file/hook.ts';
import type { HookRequest } from '../parameter/hook-request.ts';
import { parameterValue } from '../parameter/parameter-value.ts';
import { unescapePercent } from '../payload/parse-query.ts';
import { HIDDEN, hideTexts } from './hide-texts.ts';
import { SHORTEST_TOKEN, secretsInText } from './secrets-in-text.ts';

/** Where a request gives more than this nothing of it is shown: to look for all of them would take too long. */
const MOST_SECRETS = 1000;

/** What makes a name that of a secret, wherever it stands. */
const SECRET_PART =
  /token|secret|passw|passphrase|passcode|pwd|(?:api|access|private)[-_.]?key|access[-_.]?code|credential|authori[sz]ation|cookie|signature|hmac/i;
/** The same as a whole word, or as a whole name: `auth` is no part of `author`, and `private_repo` is no secret. */
const SECRET_WORD =
  /(?:^|[-_.])(?:pw|pass|auth|bearer|jwt|otp|pin|session(?=$|[-_.]id$))(?:$|[-_.])|^(?:key|pat|private)$/i;
const CAMEL = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g;
/** Headers that rules compare with what is no secret. */
const OPEN_HEADER = /(?:^|-)event(?:-|$)|^(?:accept|content|user-agent)/i;

/** Makes a text fit for the log. */
export type Redact = (text: string) => string;

/** Whether the value of a parameter of this name is a secret. */
function isSecretName(name: string): boolean {
  return SECRET_PART.test(name) || SECRET_WORD.test(name.replace(CAMEL, '-'));
}

/** Hides the values of secret parameters in a request's target; `names` are secret besides those that look so. */
export function redactTarget(target: string, names: ReadonlySet<string>): string {
  const question = target.indexOf('?');
  if (question < 0) return target;
  const pairs = target.slice(question + 1).split('&');
  const shown = pairs.map((pair) => {
    const equals = pair.indexOf('=');
    if (equals < 0) return pair;
    const key = pair.slice(0, equals);
    const name = unescaped(key);
    if (name === undefined || isSecretName(name) || names.has(name)) return `${key}=${HIDDEN}`;
    // Of a name that comes twice, the request has only the first value.
    const value = pair.slice(equals + 1);
    const secrets = secretsInText(unescaped(value) ?? '', isSecretName);
    return `${key}=${hideTexts(value, secrets)}`;
  });
  return `${target.slice(0, question)}?${shown.join('&')}`;
}

/** `undefined` where it is not valid. */
function unescaped(written: string): string | undefined {
  try {
    return unescapePercent(written, true);
  } catch (thrown) {
    if (thrown instanceof GoFault) return undefined;
    throw thrown;
  }
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
 */
export function redactor(
  hook: Hook | undefined,
  request: HookRequest,
  headers: ReadonlyMap<string, readonly string[]> = new Map(),
): Redact {
  const secrets = new Set(hook === undefined ? [] : secretsOf(hook, request));
  const all = new Map([...headers].map(([name, values]) => [name, [...values]]));
  for (const values of [all, request.headers, request.query, request.payload]) {
    collectNamed(values, secrets);
  }
  for (const secret of secretsInBody(request.body)) secrets.add(secret);
  secrets.delete('');
  if (secrets.size > MOST_SECRETS) return () => HIDDEN;
  const sought = [...secrets];
  return (text) => hideTexts(text, sought);
}

/** The secrets that a hook's file names, and what the request gives where they are compared or passed on. */
function secretsOf(hook: Hook, request: HookRequest): string[] {
  const matches = secretMatches(hook.rule);
  const fixed = matches.filter(({ type }) => type === 'value').map(({ value }) => value);
  const named = [...hook.arguments, ...hook.environment, ...hook.files].filter(hasSecretName);
  const compared = [...matches, ...signatures(hook.rule)].map(({ parameter }) => parameter);
  const given = [...named, ...compared]
    .filter(({ source }) => source !== 'string')
    .map((parameter) => valueOrEmpty(parameter, request));
  // What is said of a wrong signature names it without `sha256=` before it.
  const bare = given.flatMap((value) => value.match(/(?<=^sha\d+=|,sha\d+=)[^,]+/g) ?? []);
  return [
    ...hook.secrets,
    ...fixed,
    ...bare,
    ...signatures(hook.rule).map(({ secret }) => secret),
    ...given,
  ];
}

/** What a body of any type says in JSON. */
function secretsInBody(body: Buffer): string[] {
  // Most bodies have none, and bytes that are no text are read as such only slowly.
  if (secretsInText(body.toString('latin1'), isSecretName).length === 0) return [];
  return secretsInText(nameFromBytes(body), isSecretName);
}

/** Adds what stands under the name of a secret, however deep, also in texts that hold JSON. */
function collectNamed(values: GoValue, found: Set<string>): void {
  const open: [value: GoValue, isSecret: boolean][] = [[values, false]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, isSecret] = next;
    if (Array.isArray(value)) for (const item of value) open.push([item, isSecret]);
    else if (value instanceof Map) {
      for (const [name, item] of value) open.push([item, isSecret || isSecretName(name)]);
    } else if (typeof value === 'string') {
      if (isSecret) found.add(value);
      for (const secret of secretsInText(value, isSecretName)) found.add(secret);
    } else if (isSecret && value !== null && typeof value === 'object') {
      if (value.spelled.length >= SHORTEST_TOKEN) found.add(value.spelled);
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
  return isToken || hasSecretName(parameter);
}

function isOfQuery({ source }: Parameter): boolean {
  return source === 'url' || source === 'query';
}

function hasSecretName({ name, envName }: Parameter): boolean {
  return isSecretName(name) || isSecretName(envName);
}

function valueOrEmpty(parameter: Parameter, request: HookRequest): string {
  try {
    return parameterValue(parameter, request);
  } catch (thrown) {
    if (thrown instanceof GoFault) return '';
    throw thrown;
  }
}
