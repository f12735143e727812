import { createHmac } from 'node:crypto';
import { nameToBytes } from '../../core/name-bytes.ts';
import { GoFault } from '../../go/go-errno.ts';
import { goQuote, goText } from '../../go/go-texts.ts';
import type { HookRequest } from '../parameter/hook-request.ts';
import { lookUp } from '../parameter/look-up.ts';
import { SignatureFault, sameText } from './match-value.ts';

const MAX_AGE_MS = 300_000;
const HOURS = '[+-]0*(?:1?[0-9]|2[0-3])';
/** A zone as Go's `time.Parse` takes it. */
const ZONE = `(?:UTC|ChST|MeST|WITA|GMT(?:${HOURS})?|${HOURS}|[A-Z]{3}|[A-Z]{3,4}T)`;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** Go's `Mon 02 Jan 2006 15:04:05 MST`: blanks may be more, an hour one digit, and seconds may have a fraction. */
const DATE = new RegExp(
  `^(?:mon|tue|wed|thu|fri|sat|sun) +(\\d\\d) +(${MONTHS.join('|')}) +(\\d{4}) +(\\d{1,2}):(\\d\\d):(\\d\\d)(?:[.,]\\d+)? +(\\S+)$`,
  'i',
);
const IS_ZONE = new RegExp(`^${ZONE}$`);

/**
 * Checks a request that Scalr signed: `X-Signature` over the body and `Date`, which must be within five minutes.
 * Throws `NotFoundFault` where one of the headers is missing, `SignatureFault` and `GoFault`.
 */
export function checkScalr(request: HookRequest, secret: string, nowMs: number): boolean {
  const signature = goText(lookUp('X-Signature', request.headers));
  const dateText = goText(lookUp('Date', request.headers));
  if (secret === '') throw new GoFault('signature validation signing key can not be empty');
  const hmac = createHmac('sha1', secret).update(request.body).update(nameToBytes(dateText));
  if (!sameText(signature, hmac.digest('hex'))) {
    throw new SignatureFault('invalid payload signature ', signature);
  }
  if (Math.abs(nowMs - parseDate(dateText)) > MAX_AGE_MS) {
    throw new SignatureFault('invalid payload signature outdated');
  }
  return true;
}

/** `Fri 08 Sep 2017 11:24:32 UTC` in milliseconds; a zone counts as UTC, as in Go where it is not the local one. */
function parseDate(text: string): number {
  const [, day, month = '', year, hour, minute, second, zone = ''] = DATE.exec(text) ?? [];
  const at = [Number(year), MONTHS.indexOf(month.toLowerCase()), Number(day)] as const;
  const clock = [Number(hour), Number(minute), Number(second)] as const;
  const date = new Date(Date.UTC(...at, ...clock));
  const isSame = date.getUTCDate() === at[2] && date.getUTCHours() === clock[0];
  const isTime = clock[1] < 60 && clock[2] < 60;
  if (IS_ZONE.test(zone) && isSame && isTime) return date.getTime();
  throw new GoFault(
    `parsing time ${goQuote(text)} as "Mon 02 Jan 2006 15:04:05 MST": cannot parse ${goQuote(text)} as "Mon"`,
  );
}
