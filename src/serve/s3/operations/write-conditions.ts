import type { IncomingHttpHeaders } from 'node:http';
import { S3Error } from '../wire/s3-error.ts';
import { header } from './call.ts';
import { dateOf, type Facts, matches, wholeSecond } from './conditions.ts';

/** Checks the conditions for deleting an object: a missing one meets them all. Throws `PreconditionFailed`. */
export function checkDeleteConditions(
  headers: IncomingHttpHeaders,
  object: Facts | undefined,
): void {
  if (object === undefined) return;
  checkWriteConditions(headers, object);
  const size = header(headers, 'x-amz-if-match-size');
  const time = header(headers, 'x-amz-if-match-last-modified-time');
  const isOther =
    (size !== undefined && Number(size || Number.NaN) !== object.size) ||
    (time !== undefined && dateOf(time) !== wholeSecond(object.modified));
  if (isOther) throw new S3Error('PreconditionFailed');
}

/** Whether a deletion has conditions. */
export function hasDeleteConditions(headers: IncomingHttpHeaders): boolean {
  return (
    hasWriteConditions(headers) ||
    headers['x-amz-if-match-size'] !== undefined ||
    headers['x-amz-if-match-last-modified-time'] !== undefined
  );
}

/** Whether a request has conditions for `checkWriteConditions`. */
export function hasWriteConditions(headers: IncomingHttpHeaders): boolean {
  return (
    headers['if-match'] !== undefined ||
    headers['if-none-match'] !== undefined ||
    headers['if-unmodified-since'] !== undefined
  );
}

/**
 * Checks the conditions for replacing an object; `If-Modified-Since` is for reading only. Throws
 * `PreconditionFailed`, or `NoSuchKey` if `If-Match` is about a missing object.
 */
export function checkWriteConditions(
  headers: IncomingHttpHeaders,
  object: Pick<Facts, 'etag' | 'modified'> | undefined,
): void {
  const ifNoneMatch = header(headers, 'if-none-match');
  if (ifNoneMatch !== undefined && object !== undefined && matches(ifNoneMatch, object.etag)) {
    throw new S3Error('PreconditionFailed');
  }
  const ifMatch = header(headers, 'if-match');
  if (ifMatch !== undefined) {
    if (object === undefined) throw new S3Error('NoSuchKey');
    if (!matches(ifMatch, object.etag)) throw new S3Error('PreconditionFailed');
  }
  const unmodifiedSince = dateOf(header(headers, 'if-unmodified-since'));
  if (ifMatch !== undefined || unmodifiedSince === undefined || object === undefined) return;
  if (wholeSecond(object.modified) > unmodifiedSince) throw new S3Error('PreconditionFailed');
}
