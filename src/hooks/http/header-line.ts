import { canonicalHeaderName, isHeaderName } from '../go/header-name.ts';
import { BadRequest } from './bad-request.ts';

/** Headers that say where a request ends and what becomes of its connection. */
export const FRAMING_HEADERS: ReadonlySet<string> = new Set([
  ...['Connection', 'Content-Length', 'Expect', 'Host', 'Trailer', 'Transfer-Encoding', 'Upgrade'],
]);

const BAD_VALUE = /[\0-\x08\x0a-\x1f\x7f]/;
/** More than a framing header may hold: some letters outside ASCII have lower-case forms in it. */
const NOT_ASCII = /[\x80-\xff]/;

/**
 * Reads a line of a head or of trailers, without its end, as latin1: the canonical name, and the value without blanks
 * and tabs around it. Throws `BadRequest`, also where the line continues the one before it.
 */
export function parseHeaderLine(line: string): [name: string, value: string] {
  if (isBlank(line, 0)) throw new BadRequest(400, ': folded header line');
  const colon = line.indexOf(':');
  if (colon < 0) throw new BadRequest(400, '');
  const name = line.slice(0, colon);
  if (!isHeaderName(name)) throw new BadRequest(400, ': invalid header name');
  const value = trimmed(line, colon + 1);
  const key = canonicalHeaderName(name);
  if (BAD_VALUE.test(value) || (FRAMING_HEADERS.has(key) && NOT_ASCII.test(value))) {
    throw new BadRequest(400, ': invalid header value');
  }
  return [key, value];
}

/** What stands in a line from `from` on, without blanks and tabs around it. */
function trimmed(line: string, from: number): string {
  let start = from;
  let end = line.length;
  while (start < end && isBlank(line, start)) start++;
  while (end > start && isBlank(line, end - 1)) end--;
  return line.slice(start, end);
}

function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x20 || code === 0x09;
}
