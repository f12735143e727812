import type { IncomingHttpHeaders } from 'node:http';
import { bareEtag } from '../../../backends/s3-protocol/etag.ts';
import { checkConditions, type Validators } from '../../conditions.ts';
import type { ObjectRecord } from '../store/object-record.ts';
import { S3Error } from '../wire/s3-error.ts';
import { header } from './call.ts';

/** The subject of conditions; a delete marker is an empty object without an ETag. */
export type Facts = Pick<ObjectRecord, 'etag' | 'modified' | 'size'>;

/** HTTP dates have whole seconds. */
function wholeSecond(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

/** What conditions compare with: an ETag with its quotes. */
export function validatorsOf(object: Pick<Facts, 'etag' | 'modified'> | undefined): Validators {
  return {
    exists: object !== undefined,
    etag: object && `"${object.etag}"`,
    modified: object && wholeSecond(object.modified),
  };
}

/** A list of ETags with quotes, which clients of S3 may omit; weak ones count as well. */
function quotedEtags(list: string | undefined): string | undefined {
  const bare = list?.split(',').map((each) => bareEtag(each.trim()));
  return bare?.map((etag) => (etag === '*' ? etag : `"${etag}"`)).join();
}

function outcomeOf(
  headers: IncomingHttpHeaders,
  object: Pick<Facts, 'etag' | 'modified'> | undefined,
  isReading: boolean,
  prefix: '' | 'x-amz-copy-source-' = '',
) {
  const given = {
    'if-match': quotedEtags(header(headers, `${prefix}if-match`)),
    'if-none-match': quotedEtags(header(headers, `${prefix}if-none-match`)),
    'if-modified-since': header(headers, `${prefix}if-modified-since`),
    'if-unmodified-since': header(headers, `${prefix}if-unmodified-since`),
  };
  return checkConditions(given, validatorsOf(object), isReading);
}

/** Checks the conditions for reading or copying an object. Throws `PreconditionFailed`; for reading, `NotModified`. */
export function checkReadConditions(
  headers: IncomingHttpHeaders,
  object: ObjectRecord,
  prefix: '' | 'x-amz-copy-source-' = '',
): void {
  const outcome = outcomeOf(headers, object, true, prefix);
  if (outcome === 'proceed') return;
  if (outcome === 'failed' || prefix !== '') throw new S3Error('PreconditionFailed');
  throw new S3Error('NotModified', {
    headers: { etag: `"${object.etag}"`, 'last-modified': new Date(object.modified).toUTCString() },
  });
}

/** Checks the conditions for deleting an object: a missing one meets them all. Throws `PreconditionFailed`. */
export function checkDeleteConditions(headers: IncomingHttpHeaders, object: Facts | undefined) {
  if (object === undefined) return;
  checkWriteConditions(headers, object);
  const size = header(headers, 'x-amz-if-match-size');
  const time = header(headers, 'x-amz-if-match-last-modified-time');
  const isOther =
    (size !== undefined && Number(size || Number.NaN) !== object.size) ||
    (time !== undefined && Date.parse(time) !== wholeSecond(object.modified));
  if (isOther) throw new S3Error('PreconditionFailed');
}

const WRITING = ['if-match', 'if-none-match', 'if-unmodified-since'];
const DELETING = ['x-amz-if-match-size', 'x-amz-if-match-last-modified-time'];

/** Whether a deletion has conditions. */
export function hasDeleteConditions(headers: IncomingHttpHeaders): boolean {
  return hasWriteConditions(headers) || DELETING.some((name) => headers[name] !== undefined);
}

/** Whether a request has conditions for `checkWriteConditions`. */
export function hasWriteConditions(headers: IncomingHttpHeaders): boolean {
  return WRITING.some((name) => headers[name] !== undefined);
}

/** Checks the conditions for replacing an object. Throws `PreconditionFailed`, or `NoSuchKey` for a missing object. */
export function checkWriteConditions(
  headers: IncomingHttpHeaders,
  object: Pick<Facts, 'etag' | 'modified'> | undefined,
): void {
  if (object === undefined && headers['if-match'] !== undefined) throw new S3Error('NoSuchKey');
  if (outcomeOf(headers, object, false) !== 'proceed') throw new S3Error('PreconditionFailed');
}
