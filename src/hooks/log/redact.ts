import type { Hook, Match, Parameter, Rule } from '../file/hook.ts';
import { GoFault } from '../go/go-fault.ts';
import { goQuote } from '../go/go-quote.ts';
import type { HookRequest } from '../parameter/hook-request.ts';
import { parameterValue } from '../parameter/parameter-value.ts';
import { unescapePercent } from '../payload/parse-query.ts';

/** What stands in the log in place of a secret. */
const HIDDEN = '***';
const WHOLE_WORD_BELOW = 8;
/** A value of a query that a rule compares with a shorter text is an ordinary word. */
const SHORTEST_TOKEN = 6;

/** Names of parameters whose values are secrets. */
const SECRET_NAME =
  /token|secret|passw|pwd|api[-_.]?key|access[-_.]?key|private[-_.]?key|^key$|credential|authori[sz]ation|cookie|^auth$|^pat$/i;

/** Makes a text fit for the log. */
export type Redact = (text: string) => string;

/** Whether the value of a parameter of this name is a secret. */
function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** Hides the values of secret parameters in a request's target; `names` are secret besides those that look so. */
export function redactTarget(target: string, names: ReadonlySet<string>): string {
  const question = target.indexOf('?');
  if (question < 0) return target;
  const pairs = target.slice(question + 1).split('&');
  const shown = pairs.map((pair) => {
    const equals = pair.indexOf('=');
    const key = equals < 0 ? pair : pair.slice(0, equals);
    return equals >= 0 && isSecretKey(key, names) ? `${key}=${HIDDEN}` : pair;
  });
  return `${target.slice(0, question)}?${shown.join('&')}`;
}

function isSecretKey(escaped: string, names: ReadonlySet<string>): boolean {
  try {
    const key = unescapePercent(escaped, true);
    return isSecretName(key) || names.has(key);
  } catch (thrown) {
    if (thrown instanceof GoFault) return true;
    throw thrown;
  }
}

/** The query parameters that a hook's rule compares with a fixed value: they carry a token, whatever their name. */
export function secretQueryNames(hook: Hook | undefined): Set<string> {
  const compared = secretMatches(hook?.rule).map(({ parameter }) => parameter);
  return new Set(compared.filter(isOfQuery).map(({ name }) => name));
}

/**
 * Hides, in all that is logged of a request, the secrets of its hook and what the request gave for them.
 */
export function redactor(hook: Hook, request: HookRequest): Redact {
  const secrets = new Set<string>(hook.secrets);
  for (const match of secretMatches(hook.rule)) {
    if (match.type === 'value') secrets.add(match.value);
  }
  for (const secret of signatureSecrets(hook.rule)) secrets.add(secret);
  const named = [...hook.arguments, ...hook.environment, ...hook.files].filter(hasSecretName);
  const compared = secretMatches(hook.rule).map(({ parameter }) => parameter);
  for (const parameter of [...named, ...compared]) {
    if (parameter.source !== 'string') secrets.add(valueOrEmpty(parameter, request));
  }
  for (const values of [request.headers, request.query, request.payload]) {
    for (const [name, value] of values) {
      if (typeof value === 'string' && isSecretName(name)) secrets.add(value);
    }
  }
  secrets.delete('');
  const escaped = [...secrets].map((secret) => goQuote(secret).slice(1, -1));
  const longestFirst = [...new Set([...secrets, ...escaped])].sort((a, b) => b.length - a.length);
  const patterns = longestFirst.map(patternOf);
  return (text) => patterns.reduce((shown, pattern) => shown.replace(pattern, HIDDEN), text);
}

/** A short secret is hidden only where it stands alone, or every letter of the log might go. */
function patternOf(secret: string): RegExp {
  const literal = secret.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const alone = secret.length < WHOLE_WORD_BELOW;
  return new RegExp(alone ? `(?<![\\p{L}\\p{N}_])${literal}(?![\\p{L}\\p{N}_])` : literal, 'gu');
}

/** The keys of signatures in a rule. */
function signatureSecrets(rule: Rule | undefined): string[] {
  if (rule === undefined) return [];
  const { and = [], or = [], not, match } = rule;
  const inner = [...and, ...or, ...(not ? [not] : [])].flatMap(signatureSecrets);
  return match === undefined ? inner : [match.secret, ...inner];
}

/** The conditions of a rule that compare with a secret. */
function secretMatches(rule: Rule | undefined): Match[] {
  if (rule === undefined) return [];
  const { and = [], or = [], not, match } = rule;
  const inner = [...and, ...or, ...(not ? [not] : [])].flatMap(secretMatches);
  return match !== undefined && comparesSecret(match) ? [match, ...inner] : inner;
}

function comparesSecret({ type, value, parameter }: Match): boolean {
  if (type !== 'value' && type !== 'regex') return false;
  const isToken = type === 'value' && isOfQuery(parameter) && value.length >= SHORTEST_TOKEN;
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
