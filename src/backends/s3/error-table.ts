import type { ErrorCode } from '../../core/errors.ts';

/** What an S3 error code means to the user. */
export interface ErrorMeaning {
  readonly code: ErrorCode;
  /** Why it failed, and what to do. */
  readonly text: string;
}

const checkKeys = 'check access_key_id and secret_access_key';
const slowDown: ErrorMeaning = { code: 'throttled', text: 'the store asks to slow down' };
const busy: ErrorMeaning = { code: 'server', text: 'the store has a problem of its own' };
const timedOut: ErrorMeaning = { code: 'timed-out', text: 'the store waited too long for data' };
const corrupted: ErrorMeaning = {
  code: 'corrupted',
  text: 'the data that arrived is not what was sent',
};
const tooLarge: ErrorMeaning = { code: 'too-large', text: 'larger than the store takes' };
const expired: ErrorMeaning = {
  code: 'sign-in',
  text: 'the temporary credentials have expired; get new ones',
};

const elsewhere: ErrorMeaning = {
  code: 'config',
  text: 'the bucket is at another endpoint; set the options region and endpoint',
};

/** The S3 error codes that need more than their own text. */
const BY_CODE: Readonly<Record<string, ErrorMeaning>> = {
  AccessDenied: { code: 'access-denied', text: 'access denied; the key lacks the permission' },
  AllAccessDisabled: { code: 'access-denied', text: 'the store has disabled access' },
  AccountProblem: { code: 'access-denied', text: "there is a problem with the store's account" },
  InvalidAccessKeyId: {
    code: 'sign-in',
    text: `the store does not know the access key; ${checkKeys}`,
  },
  SignatureDoesNotMatch: { code: 'sign-in', text: `the secret key is wrong; ${checkKeys}` },
  InvalidToken: { code: 'sign-in', text: 'the session token is wrong; check session_token' },
  ExpiredToken: expired,
  TokenRefreshRequired: expired,
  RequestTimeTooSkewed: {
    code: 'sign-in',
    text: "the time here differs too much from the store's; set this machine's clock",
  },
  AuthorizationHeaderMalformed: {
    code: 'config',
    text: 'the store wants another region; set the option region',
  },
  PermanentRedirect: elsewhere,
  TemporaryRedirect: elsewhere,
  IllegalLocationConstraintException: {
    code: 'config',
    text: 'the bucket cannot be made here; set the options region and location_constraint',
  },
  NoSuchBucket: {
    code: 'bucket-not-found',
    text: 'there is no such bucket; check its name, or make it with "syncer mkdir"',
  },
  NoSuchKey: { code: 'file-not-found', text: 'object not found' },
  NoSuchVersion: { code: 'file-not-found', text: 'object not found' },
  InvalidObjectState: {
    code: 'access-denied',
    text: 'the object lies in an archive; restore it first',
  },
  BucketNotEmpty: { code: 'not-empty', text: 'the bucket is not empty' },
  BucketAlreadyExists: { code: 'already-exists', text: 'the bucket belongs to somebody else' },
  InvalidBucketName: { code: 'name-invalid', text: 'the store allows no bucket of this name' },
  KeyTooLongError: { code: 'name-invalid', text: 'the name is too long for the store' },
  MetadataTooLarge: { code: 'too-large', text: 'the metadata is larger than the store takes' },
  EntityTooLarge: tooLarge,
  EntityTooSmall: { code: 'bad-answer', text: 'the store wants larger parts; raise chunk_size' },
  QuotaExceeded: { code: 'no-space', text: 'the quota of the store is used up' },
  InsufficientStorage: { code: 'no-space', text: 'the store is full' },
  XMinioStorageFull: { code: 'no-space', text: 'the store is full' },
  BadDigest: corrupted,
  XAmzContentSHA256Mismatch: corrupted,
  XAmzContentChecksumMismatch: corrupted,
  IncompleteBody: { code: 'network', text: 'the data did not arrive whole' },
  PreconditionFailed: { code: 'precondition-failed', text: 'the object has changed meanwhile' },
  InvalidRange: { code: 'bad-answer', text: 'the object is shorter than the range asked for' },
  SlowDown: slowDown,
  SlowDownRead: slowDown,
  SlowDownWrite: slowDown,
  TooManyRequests: slowDown,
  RequestLimitExceeded: slowDown,
  Throttling: slowDown,
  ThrottlingException: slowDown,
  RequestTimeout: timedOut,
  InternalError: busy,
  ServiceUnavailable: slowDown,
  OperationAborted: { code: 'server', text: 'another change of the bucket is under way' },
  NotImplemented: { code: 'unsupported', text: 'the store cannot do this' },
  MethodNotAllowed: { code: 'unsupported', text: 'the store does not allow this' },
};

/** What an answer means by its status alone. */
function byStatus(status: number): ErrorMeaning {
  switch (status) {
    case 301:
    case 302:
    case 307:
    case 308:
      return elsewhere;
    case 401:
    case 403:
      return { code: 'access-denied', text: `access denied; ${checkKeys} and their permissions` };
    case 404:
      return { code: 'file-not-found', text: 'not found' };
    case 408:
      return timedOut;
    case 412:
      return { code: 'precondition-failed', text: 'the object has changed meanwhile' };
    case 413:
      return tooLarge;
    case 429:
    case 503:
      return slowDown;
    case 501:
      return { code: 'unsupported', text: 'the store cannot do this' };
    case 507:
      return { code: 'no-space', text: 'the store is full' };
    default:
      if (status >= 500) return busy;
      return { code: 'bad-answer', text: `the store refused (status ${status})` };
  }
}

/** What an error answer means, by the code in its body or, where that is unknown, by its status. */
export function meaningOf(s3Code: string, status: number): ErrorMeaning {
  return BY_CODE[s3Code] ?? byStatus(status);
}

/** Whether the code says more than its status does. */
export function isKnownCode(s3Code: string): boolean {
  return s3Code in BY_CODE;
}
