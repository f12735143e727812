import type { IncomingHttpHeaders } from 'node:http';
import type { Bucket } from '../store/bucket.ts';
import type { LockMode, ObjectLocks, Retention } from '../store/object-lock.ts';
import { S3Error } from '../wire/s3-error.ts';
import { type Call, header } from './call.ts';

/** The locks that a request sets for its object. Throws if the bucket has no object lock. */
export function locksToSet(bucket: Bucket, call: Call): ObjectLocks {
  const mode = header(call.headers, 'x-amz-object-lock-mode');
  const date = header(call.headers, 'x-amz-object-lock-retain-until-date');
  const hold = header(call.headers, 'x-amz-object-lock-legal-hold');
  const isRetained = mode !== undefined || date !== undefined;
  if (isRetained || hold !== undefined) mustLock(bucket);
  return {
    ...(isRetained && { retention: readRetention(call, mode, date, 'InvalidArgument') }),
    ...(hold !== undefined && { legalHold: oneOf(HOLDS, hold, 'InvalidArgument') }),
  };
}

/** Whether a request bypasses retentions of the mode `GOVERNANCE`. */
export function bypasses(headers: IncomingHttpHeaders): boolean {
  return header(headers, 'x-amz-bypass-governance-retention')?.toLowerCase() === 'true';
}

/** The error for an operation that a lock forbids. */
export function lockedError(): S3Error {
  return new S3Error('AccessDenied', {
    message: 'Access Denied because object protected by object lock.',
  });
}

/** Throws `InvalidRequest` if a bucket has no object lock. */
export function mustLock(bucket: Bucket): void {
  if (bucket.settings.objectLock !== undefined) return;
  throw new S3Error('InvalidRequest', { message: 'Bucket is missing Object Lock Configuration' });
}

/** The error code for an invalid lock. */
type BadLock = 'MalformedXML' | 'InvalidArgument';

const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** Reads a retention from a request. */
export function readRetention(
  call: Call,
  mode: string | undefined,
  date: string | undefined,
  code: BadLock,
): Retention {
  const until = DATE.test(date ?? '') ? Date.parse(date ?? '') : Number.NaN;
  if (Number.isNaN(until)) throw new S3Error(code);
  if (until <= call.now()) {
    throw new S3Error('InvalidArgument', {
      message: 'The retain until date must be in the future!',
    });
  }
  return { mode: oneOf(MODES, mode, code), until };
}

/** The modes of a retention. */
export const MODES = ['GOVERNANCE', 'COMPLIANCE'] as const satisfies LockMode[];
/** The states of a legal hold. */
export const HOLDS = ['ON', 'OFF'] as const;

/** Reads one of these words. */
export function oneOf<T>(words: readonly T[], text: string | undefined, code: BadLock): T {
  const found = words.find((word) => word === text);
  if (found === undefined) throw new S3Error(code);
  return found;
}
