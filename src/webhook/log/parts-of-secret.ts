import { nameFromBytes } from '../../core/name-bytes.ts';
import { decodePercent } from '../payload/parse-query.ts';

/** `Bearer ghp_x`: a scheme, and one word behind it. */
const SCHEME = /^([A-Za-z][\w-]*)[\t ]+([^\s,]+)$/;

/**
 * What is secret by itself within the value of a header: the token behind a scheme, the password of `Basic`, the hex
 * digits of `sha256=`, and the values of cookies.
 */
export function partsOfSecret(value: string, isCookie = false): string[] {
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
