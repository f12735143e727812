import type { IncomingHttpHeaders } from 'node:http';
import type { Payload } from '../body/payload.ts';
import type { Bucket } from '../store/bucket.ts';
import type { BucketStore } from '../store/bucket-store.ts';
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
export function bucketOf(call: Call): Promise<Bucket> {
  return call.store.get(call.bucketName);
}

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
    throw new S3Error('InvalidArgument', { message: `Argument ${name} must be a whole number.` });
  }
  return Math.min(Number(text), max);
}

/** Throws `InvalidArgument` for a version id that is empty or has characters that no header can hold. */
export function checkVersionId(versionId: string | undefined): void {
  if (versionId === undefined || /^[!-~]+$/.test(versionId)) return;
  const message =
    versionId === '' ? 'Version id cannot be the empty string' : 'Invalid version id specified';
  throw new S3Error('InvalidArgument', { message });
}
