import { createHmac } from 'node:crypto';
import { nameToBytes } from '../../core/name-bytes.ts';
import { GoFault } from '../go/go-fault.ts';
import { goQuote } from '../go/go-quote.ts';
import { goText } from '../go/go-value.ts';
import type { HookRequest } from '../parameter/hook-request.ts';
import { sameText } from './same-text.ts';
import { SignatureFault } from './signature-fault.ts';

const MAX_AGE_MS = 300_000;
const DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (\d\d) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (\d{4}) (\d\d):(\d\d):(\d\d) [A-Z]{3,5}$/i;

/**
 * Checks a request that Scalr signed: `X-Signature` over the body and `Date`, which must be within five minutes.
 * False where one of the headers is missing; throws `SignatureFault` and `GoFault`.
 */
export function checkScalr(request: HookRequest, secret: string, nowMs: number): boolean {
  const signature = request.headers.get('X-Signature');
  const date = request.headers.get('Date');
  if (signature === undefined || date === undefined) return false;
  if (secret === '') throw new GoFault('signature validation signing key can not be empty');
  const dateText = goText(date);
  const hmac = createHmac('sha1', secret).update(request.body).update(nameToBytes(dateText));
  if (!sameText(goText(signature), hmac.digest('hex'))) {
    throw new SignatureFault(`invalid payload signature ${goText(signature)}`);
  }
  if (Math.abs(nowMs - parseDate(dateText)) > MAX_AGE_MS) {
    throw new SignatureFault('invalid payload signature outdated');
  }
  return true;
}

/** `Fri 08 Sep 2017 11:24:32 UTC` in milliseconds; a zone counts as UTC, as in Go where it is not the local one. */
function parseDate(text: string): number {
  const match = DATE.exec(text);
  const [, day, month, year, ...clock] = match ?? [];
  const ms =
    match === null ? Number.NaN : Date.parse(`${day} ${month} ${year} ${clock.join(':')} UTC`);
  if (!Number.isNaN(ms)) return ms;
  throw new GoFault(
    `parsing time ${goQuote(text)} as "Mon 02 Jan 2006 15:04:05 MST": cannot parse ${goQuote(text)} as "Mon"`,
  );
}
