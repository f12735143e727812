import { SyncerError } from '../core/errors.ts';
import type { HttpRequest } from './http-request.ts';

/** What would end a header's line or the head itself. */
const BREAKS = /[\r\n\0]/;

/**
 * The head of a request as it goes over the wire (RFC 9112, 3 and 5). Values are sent in UTF-8. Throws `unsupported`
 * where a value holds a line break, which would begin another header.
 */
export function requestHead(request: HttpRequest, target: string): string {
  const { method, headers, asksFirst } = request;
  let head = `${method} ${target} HTTP/1.1\r\n`;
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
  if (asksFirst) head += 'expect: 100-continue\r\n';
  if (BREAKS.test(target) || hasBreak(headers)) throw brokenHeader(headers);
  return `${head}\r\n`;
}

function hasBreak(headers: HttpRequest['headers']): boolean {
  for (const name in headers) if (BREAKS.test(headers[name] ?? '')) return true;
  return false;
}

function brokenHeader(headers: HttpRequest['headers']): SyncerError {
  const name = Object.keys(headers).find((each) => BREAKS.test(headers[each] ?? ''));
  const where = name === undefined ? 'the address' : `the header ${name}`;
  return new SyncerError(
    'unsupported',
    `${where} would contain a line break, which HTTP cannot send`,
  );
}
