import type { IncomingHttpHeaders } from 'node:http';
import { S3Error } from '../wire/s3-error.ts';
import type { Authorization } from './authorization.ts';
import type { AuthorizationV2 } from './signature-v2.ts';

/** How far the clocks of client and server may differ, in milliseconds. */
const MAX_SKEW_MS = 15 * 60_000;

/** Throws where a signature of version 2 is too old, or from a clock that is wrong. */
export function checkTimeV2(
  claim: AuthorizationV2,
  headers: IncomingHttpHeaders,
  now: number,
): void {
  if (claim.expires !== undefined) {
    if (now > claim.expires) throw expired();
    return;
  }
  const time = Date.parse(headerText(headers, 'x-amz-date') || headerText(headers, 'date'));
  if (Number.isNaN(time)) {
    throw new S3Error('AccessDenied', { message: 'The date of the signature is not valid.' });
  }
  if (Math.abs(now - time) > MAX_SKEW_MS) throw new S3Error('RequestTimeTooSkewed');
}

function expired(): S3Error {
  return new S3Error('AccessDenied', { message: 'Request has expired' });
}

/** Throws where a signature of version 4 is too old, or from a clock that is wrong. */
export function checkTime(claim: Authorization, now: number): void {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(claim.date);
  const [, year, month, day, hour, minute, second] = parts ?? [];
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(time) || !claim.date.startsWith(claim.day)) {
    throw new S3Error('AccessDenied', { message: 'The date of the signature is not valid.' });
  }
  if (claim.expiresSeconds === undefined) {
    if (Math.abs(now - time) > MAX_SKEW_MS) throw new S3Error('RequestTimeTooSkewed');
    return;
  }
  if (now > time + claim.expiresSeconds * 1000) {
    throw expired();
  }
  if (time > now + MAX_SKEW_MS) {
    throw new S3Error('AccessDenied', { message: 'Request is not valid yet' });
  }
}

/** A header as it is signed: repeated ones with commas between them; empty if it is missing. */
export function headerText(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return Array.isArray(value) ? value.join(',') : (value ?? '');
}
