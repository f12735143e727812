import { GoFault } from '../../go/go-errno.ts';
import { unescapePercent } from '../payload/parse-query.ts';
import { isSecretName } from './secret-names.ts';
import { type SecretPlace, secretsInJson } from './secrets-in-json.ts';

/** Finds what stands under the names of secrets in a text. */
type FindPlaces = (text: string) => Iterable<SecretPlace>;

const FINDERS: readonly FindPlaces[] = [
  secretsInJson,
  secretsInPairs,
  secretsInXml,
  secretsInParts,
  secretsInUrls,
];

/**
 * Secrets by the names before them, in JSON, `name=value`, XML, multipart bodies and URLs, wherever in a text these
 * begin. Takes time in proportion to the length.
 */
export function secretPlaces(text: string): SecretPlace[] {
  return FINDERS.flatMap((find) => [...find(text)]);
}

/** The secrets of a form, also of one that cannot be parsed: each as it is written, and what it stands for. */
export function secretsInForm(body: string): string[] {
  return body.split('&').flatMap((pair) => {
    const named = [...pair.matchAll(/(?:^|;)([^;=]*)=/g)].find(([, name = '']) => isSecret(name));
    if (named === undefined) return [];
    const value = pair.slice(named.index + named[0].length);
    return [value, unescaped(value) ?? value];
  });
}

/** What percent codes and `+` stand for; `undefined` where they are not valid. */
export function unescaped(written: string): string | undefined {
  try {
    return unescapePercent(written, true);
  } catch (thrown) {
    if (thrown instanceof GoFault) return undefined;
    throw thrown;
  }
}

/** A name that cannot be read may be that of a secret. */
function isSecret(written: string): boolean {
  const name = unescaped(written);
  return name === undefined || isSecretName(name);
}

/** Letters of a longer name are not looked at. */
const LONGEST_NAME = 200;
const NAME_BEFORE = /[\w.%+~$[\]-]+$/;
const VALUE = /"([^"\n]*)"|'([^'\n]*)'|([^&\s"'<>]*)/y;

function* secretsInPairs(text: string): Generator<SecretPlace> {
  for (let at = text.indexOf('='); at >= 0; at = text.indexOf('=', at + 1)) {
    const name = NAME_BEFORE.exec(text.slice(Math.max(0, at - LONGEST_NAME), at))?.[0];
    if (name === undefined || !isSecret(name)) continue;
    VALUE.lastIndex = at + 1;
    const [, double, single, bare = ''] = VALUE.exec(text) ?? [];
    const written = double ?? single ?? bare;
    if (written === '') continue;
    const start = at + (bare === '' ? 2 : 1);
    const value = bare === '' ? written : (unescaped(written) ?? written);
    yield { start, end: start + written.length, value };
    at = start + written.length - 1;
  }
}

const TAG = /<([\p{L}_][\p{L}\p{N}_:.-]{0,200})(?:\s[^<>]{0,2000})?>/gu;

function* secretsInXml(text: string): Generator<SecretPlace> {
  let readTo = 0;
  for (const { 0: tag, 1: name = '', index } of text.matchAll(TAG)) {
    if (index < readTo || tag.endsWith('/>')) continue;
    if (!isSecretName(name.slice(name.indexOf(':') + 1))) continue;
    const start = index + tag.length;
    const close = text.indexOf(`</${name}`, start);
    const end = close < 0 ? text.length : close;
    const value = text.slice(start, end).replace(/^\s*<!\[CDATA\[(.*)\]\]>\s*$/s, '$1');
    if (end > start) yield { start, end, value };
    readTo = end;
  }
}

/** The line before a part of a multipart body, and its headers. */
const PART = /^(--[^\r\n]{1,200})\r?\n((?:[^\r\n]{1,1000}\r?\n){1,20})\r?\n/gm;
const PART_NAME = /;[\t ]*name=(?:"([^"\r\n]*)"|([^\s;]*))/i;

function* secretsInParts(text: string): Generator<SecretPlace> {
  let readTo = 0;
  for (const { 0: head, 1: line = '', 2: headers = '', index } of text.matchAll(PART)) {
    const [, quoted, bare = ''] = PART_NAME.exec(headers) ?? [];
    if (index < readTo || !isSecretName(quoted ?? bare)) continue;
    const start = index + head.length;
    const next = text.indexOf(`\n${line}`, start - 1);
    const end = next < 0 ? text.length : Math.max(start, next - (text[next - 1] === '\r' ? 1 : 0));
    const value = text.slice(start, end).replace(/\r?\n$/, '');
    if (end > start) yield { start, end: start + value.length, value };
    readTo = end;
  }
}

/** The part of a URL before its host: a user with a password, or a user alone, who may be a token. */
const LOGIN = /:\/\/([^\s/?#@:"'<>]{0,200})(:[^\s/?#@"'<>]{1,500})?@/g;

function* secretsInUrls(text: string): Generator<SecretPlace> {
  for (const { 0: login, 1: user = '', 2: password, index } of text.matchAll(LOGIN)) {
    const written = password?.slice(1) ?? user;
    const isLogin =
      password !== undefined || /https?$/i.test(text.slice(Math.max(0, index - 5), index));
    if (written === '' || !isLogin) continue;
    const end = index + login.length - 1;
    yield { start: end - written.length, end, value: unescaped(written) ?? written };
  }
}
