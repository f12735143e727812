import { createHmac, timingSafeEqual } from 'node:crypto';
import { nameToBytes } from '../../core/name-bytes.ts';
import { GoFault, goQuote } from '../../go/go-texts.ts';
import { goText } from '../../go/go-value.ts';
import { type HookRequest, lookUp } from '../parameter/parameter-value.ts';

/** A signature that is wrong. */
export class SignatureFault extends GoFault {
  /** The message where what the request gave is replaced by `shown`. */
  readonly with: (shown: (given: string) => string) => string;

  /** @param given what the message quotes of the request, between `before` and `behind` */
  constructor(before: string, given = '', behind = '') {
    super(`${before}${given}${behind}`);
    this.with = (shown) => `${before}${shown(given)}${behind}`;
  }
}

/** A signature that is right, of a request that is more than five minutes old or of a time to come. */
export class OutdatedFault extends SignatureFault {
  constructor() {
    super('invalid payload signature outdated');
  }
}

/** A signature of a service over the body and its time, which must be within five minutes of the server's. */
interface ServiceSignature {
  /** What the request must have, in words. */
  readonly headers: string;
  /**
   * Throws `NotFoundFault` if a header is missing, `SignatureFault` if the signature is wrong, `GoFault` if it cannot be
   * checked.
   */
  readonly check: (request: HookRequest, secret: string, nowMs: number) => void;
}

/** By the type of the condition; webhook 2.8.0 has only that of Scalr. */
export const SERVICE_SIGNATURES: ReadonlyMap<string, ServiceSignature> = new Map([
  ['scalr-signature', { headers: 'X-Signature and Date', check: checkScalr }],
  [
    'slack-signature',
    { headers: 'X-Slack-Signature and X-Slack-Request-Timestamp', check: checkSlack },
  ],
  ['stripe-signature', { headers: 'Stripe-Signature', check: checkStripe }],
]);

/**
 * Checks that one of the signatures in `text` is the body's. Signatures are hexadecimal, with `sha1=` and the like
 * in front or not; in a list with commas only those with it count. Throws `SignatureFault` where none fits.
 */
export function checkHmac(
  algorithm: 'sha1' | 'sha256' | 'sha512',
  secret: string,
  body: Uint8Array,
  text: string,
): void {
  if (secret === '') throw new GoFault('signature validation secret can not be empty');
  const expected = createHmac(algorithm, secret).update(body).digest('hex');
  const prefix = `${algorithm}=`;
  const parts = text.split(',').filter((part) => part.startsWith(prefix));
  const given = text.includes(',') ? parts : [text];
  const signatures = given.map((part) =>
    part.startsWith(prefix) ? part.slice(prefix.length) : part,
  );
  if (signatures.map((signature) => sameText(signature, expected)).includes(true)) return;
  const empty = body.length === 0 ? ' on empty payload' : '';
  throw new SignatureFault('invalid payload signatures [', signatures.join(' '), `]${empty}`);
}

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
export function checkScalr(request: HookRequest, secret: string, nowMs: number): void {
  const signature = goText(lookUp('X-Signature', request.headers));
  const dateText = goText(lookUp('Date', request.headers));
  if (secret === '') throw new GoFault('signature validation signing key can not be empty');
  const hmac = createHmac('sha1', secret).update(request.body).update(nameToBytes(dateText));
  if (!sameText(signature, hmac.digest('hex'))) {
    throw new SignatureFault('invalid payload signature ', signature);
  }
  if (Math.abs(nowMs - parseDate(dateText)) > MAX_AGE_MS) throw new OutdatedFault();
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

/** Slack: `X-Slack-Signature: v0=` and the HMAC of `v0:`, the time, `:` and the body. */
function checkSlack(request: HookRequest, secret: string, nowMs: number): void {
  const signature = goText(lookUp('X-Slack-Signature', request.headers));
  const time = goText(lookUp('X-Slack-Request-Timestamp', request.headers));
  const signatures = signature.startsWith('v0=') ? [signature.slice(3)] : [];
  checkTimed(request, secret, nowMs, { time, before: `v0:${time}:`, signatures });
}

/** Stripe: `Stripe-Signature: t=TIME,v1=HMAC`, of the time, `.` and the body; `v1` once for each key in use. */
function checkStripe(request: HookRequest, secret: string, nowMs: number): void {
  const fields = goText(lookUp('Stripe-Signature', request.headers)).split(',');
  const valuesOf = (name: string) =>
    fields.filter((field) => field.startsWith(name)).map((field) => field.slice(name.length));
  const [time = ''] = valuesOf('t=');
  const signatures = valuesOf('v1=');
  checkTimed(request, secret, nowMs, { time, before: `${time}.`, signatures });
}

/** What a request says of its signature. */
interface TimedSignature {
  /** In seconds since 1970. */
  readonly time: string;
  /** What is signed before the body. */
  readonly before: string;
  /** Hexadecimal; one of them must be right. */
  readonly signatures: readonly string[];
}

function checkTimed(
  request: HookRequest,
  secret: string,
  nowMs: number,
  { time, before, signatures }: TimedSignature,
): void {
  if (secret === '') throw new GoFault('signature validation secret can not be empty');
  const hmac = createHmac('sha256', secret).update(nameToBytes(before)).update(request.body);
  const expected = hmac.digest('hex');
  if (!signatures.map((signature) => sameText(signature, expected)).includes(true)) {
    // It is not quoted: in the log only the whole header is known to be one.
    throw new SignatureFault('invalid payload signature');
  }
  const isNumber = /^\d+$/.test(time);
  if (!isNumber || Math.abs(nowMs - Number(time) * 1000) > MAX_AGE_MS) throw new OutdatedFault();
}

/** Whether two texts are equal, in a time that does not depend on where they differ. */
export function sameText(a: string, b: string): boolean {
  const left = nameToBytes(a);
  const right = nameToBytes(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
