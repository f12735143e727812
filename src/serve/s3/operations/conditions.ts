import type { IncomingHttpHeaders } from 'node:http';
import { bareEtag } from '../../../backends/s3-protocol/etag.ts';
import type { ObjectRecord } from '../store/object-record.ts';
import { S3Error } from '../wire/s3-error.ts';
import { header } from './call.ts';

/** Whether a header with ETags names this one, or all with `*`. */
export function matches(list: string, etag: string): boolean {
  return list.split(',').some((each) => {
    const bare = bareEtag(each.trim());
    return bare === '*' || bare === etag;
  });
}

/** The subject of conditions; a delete marker is an empty object without an ETag. */
export type Facts = Pick<ObjectRecord, 'etag' | 'modified' | 'size'>;

/** An HTTP date in milliseconds since the epoch; `undefined` if it is missing or invalid. */
export function dateOf(text: string | undefined): number | undefined {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

/** HTTP dates have whole seconds. */
export function wholeSecond(ms: number): number {
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
