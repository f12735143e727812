import type { IncomingHttpHeaders } from 'node:http';
import { bareEtag } from '../../../backends/s3-protocol/etag.ts';
import type { ObjectRecord } from '../store/object-record.ts';
import { S3Error } from '../wire/s3-error.ts';
import { header } from './call.ts';

/** Whether a header with ETags names this one, or all with `*`. */
function matches(list: string, etag: string): boolean {
  return list.split(',').some((each) => {
    const bare = bareEtag(each.trim());
    return bare === '*' || bare === etag;
  });
}

/** The subject of conditions; a delete marker is an empty object without an ETag. */
export type Facts = Pick<ObjectRecord, 'etag' | 'modified' | 'size'>;

/** An HTTP date in milliseconds since the epoch; `undefined` if it is missing or invalid. */
function dateOf(text: string | undefined): number | undefined {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

/** HTTP dates have whole seconds. */
function wholeSecond(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

/**
 * Checks the conditions for reading an object (RFC 9110, 13.2.2) or, with the prefix `x-amz-copy-source-`, copying
 * it. Throws `PreconditionFailed` or, for reading, `NotModified`.
 */
export function checkReadConditions(
  headers: IncomingHttpHeaders,
  object: ObjectRecord,
  prefix: '' | 'x-amz-copy-source-' = '',
): void {
  const modified = wholeSecond(object.modified);
  const ifMatch = header(headers, `${prefix}if-match`);
  const unmodifiedSince = dateOf(header(headers, `${prefix}if-unmodified-since`));
  if (ifMatch !== undefined) {
    if (!matches(ifMatch, object.etag)) throw new S3Error('PreconditionFailed');
  } else if (unmodifiedSince !== undefined && modified > unmodifiedSince) {
    throw new S3Error('PreconditionFailed');
  }
  const ifNoneMatch = header(headers, `${prefix}if-none-match`);
  const modifiedSince = dateOf(header(headers, `${prefix}if-modified-since`));
  const unchanged =
    ifNoneMatch !== undefined
      ? matches(ifNoneMatch, object.etag)
      : modifiedSince !== undefined && modified <= modifiedSince;
  if (!unchanged) return;
  if (prefix !== '') throw new S3Error('PreconditionFailed');
  throw new S3Error('NotModified', {
    headers: {
      etag: `"${object.etag}"`,
      'last-modified': new Date(object.modified).toUTCString(),
    },
  });
}

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
