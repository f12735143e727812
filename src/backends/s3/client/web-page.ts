import { SyncerError } from '../../../core/errors.ts';
import type { HttpHeaders } from '../../../http/answer-head.ts';

/** Where the body of an answer is no document of a store but a page for people. */
const PAGE = /^\ufeff?\s*<(?:!doctype\s+html|html)[\s>]/i;

/**
 * Throws `bad-answer` where a web page came instead of a store's answer: a proxy, a login page, a wrong endpoint. An
 * empty body of the type `text/html` is how some stores (Swift) say nothing.
 *
 * @param what is being done, for the message: `write photos/a.jpg`
 */
export function refuseWebPage(headers: HttpHeaders, body: Buffer, what: string): void {
  if (body.length === 0) return;
  const isCalledPage = headers['content-type']?.toLowerCase().startsWith('text/html') === true;
  if (!isCalledPage && !PAGE.test(body.toString('latin1', 0, 256))) return;
  throw new SyncerError('bad-answer', `cannot ${what}: the response is a web page`, {
    advice: 'check the endpoint, and any proxy or login page in between',
  });
}
