import type { IncomingHttpHeaders } from 'node:http';
import { bareEtag } from '../../../backends/s3-protocol/etag.ts';
import { checkConditions, type Validators } from '../../conditions.ts';
import type { Payload } from '../body/payload.ts';
import type { Bucket } from '../store/bucket.ts';
import type { BucketStore } from '../store/bucket-store.ts';
import type { ObjectRecord } from '../store/object-record.ts';
import { S3Error } from '../wire/s3-error.ts';
import type { Query } from '../wire/uri-encoding.ts';

/** An authenticated request, as the operations get it. */
export interface Call {
  readonly method: string;
  /** `''` for the list of buckets. */
  readonly bucketName: string;
  /** `''` for an operation on a bucket. */
  readonly key: string;
  readonly query: Query;
  readonly headers: IncomingHttpHeaders;
  readonly store: BucketStore;
  readonly region: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Opens the body, which is read from then on. */
  readonly payload: () => Payload;
}

/** The bucket of a call. Throws `NoSuchBucket`. */
export const bucketOf = (call: Call): Promise<Bucket> => call.store.get(call.bucketName);

/** A header that must not be repeated. */
export function header(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** A whole number from a parameter, at most `max`. Throws `InvalidArgument` for anything else. */
export function countParameter(call: Call, name: string, preset: number, max: number): number {
  return count(name, call.query.get(name), preset, max);
}

/** A whole number from a header, up to the 10,000 parts an object can have. */
export function countHeader(call: Call, name: string, preset: number): number {
  return count(name, header(call.headers, name), preset, 10_000);
}

function count(name: string, text: string | undefined, preset: number, max: number): number {
  if (text === undefined || text === '') return preset;
  if (!/^\d{1,10}$/.test(text) || Number(text) > 2 ** 31 - 1) {
    throw new S3Error('InvalidArgument', `Argument ${name} must be a whole number.`);
  }
  return Math.min(Number(text), max);
}

/** Throws `InvalidArgument` for a version id that is empty or has characters that no header can hold. */
export function checkVersionId(versionId: string | undefined): void {
  if (versionId === undefined || /^[!-~]+$/.test(versionId)) return;
  const message =
    versionId === '' ? 'Version id cannot be the empty string' : 'Invalid version id specified';
  throw new S3Error('InvalidArgument', message);
}

/** The subject of conditions; a delete marker is an empty object without an ETag. */
type Facts = Pick<ObjectRecord, 'etag' | 'modified' | 'size'>;

/** HTTP dates have whole seconds. */
const wholeSecond = (ms: number): number => Math.floor(ms / 1000) * 1000;

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
