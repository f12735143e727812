import type { ErrorCode, RemoteFault } from '../../core/errors.ts';

/** What an S3 error code means to the user. */
export interface ErrorMeaning {
  readonly code: ErrorCode;
  /** Why it failed, and what to do. */
  readonly text: string;
  readonly fault?: RemoteFault;
  readonly nameFault?: 'length';
}

const checkKeys = 'check access_key_id and secret_access_key';
const slowDown: ErrorMeaning = { code: 'throttled', text: 'the server throttles requests' };
const busy: ErrorMeaning = { code: 'server', text: 'the server has an internal error' };
const timedOut: ErrorMeaning = { code: 'timed-out', text: 'the server timed out waiting for data' };
const corrupted: ErrorMeaning = {
  code: 'corrupted',
  text: 'the received data differs from the sent data',
};
const tooLarge: ErrorMeaning = { code: 'too-large', text: 'too large for the server' };
const expired: ErrorMeaning = {
  code: 'sign-in',
  text: 'the temporary credentials have expired; get new ones',
};

const elsewhere: ErrorMeaning = {
  code: 'config',
  text: 'the bucket is at another endpoint; set the options region and endpoint',
};

const NO_KEY =
  'access denied; the request had no key: set access_key_id and secret_access_key, or env_auth';

/** The S3 error codes that need more than their own text. */
const BY_CODE: Readonly<Record<string, ErrorMeaning>> = {
  AccessDenied: { code: 'access-denied', text: 'access denied; the key lacks the permission' },
  AllAccessDisabled: { code: 'access-denied', text: 'the server has disabled access' },
  AccountProblem: { code: 'access-denied', text: 'there is a problem with the account' },
  InvalidAccessKeyId: {
    code: 'sign-in',
    text: `access key not recognised; ${checkKeys}`,
    fault: 'access-key',
  },
  SignatureDoesNotMatch: {
    code: 'sign-in',
    text: `the secret key is wrong; ${checkKeys}`,
    fault: 'secret-key',
  },
  InvalidToken: { code: 'sign-in', text: 'the session token is wrong; check session_token' },
  ExpiredToken: expired,
  ExpiredTokenException: expired,
  TokenRefreshRequired: expired,
  RequestTimeTooSkewed: {
    code: 'sign-in',
    text: "the local clock differs too much from the server's; set it",
    fault: 'clock',
  },
  AuthorizationHeaderMalformed: {
    code: 'config',
    text: 'wrong region; set the option region',
    fault: 'region',
  },
  PermanentRedirect: elsewhere,
  TemporaryRedirect: elsewhere,
  IllegalLocationConstraintException: {
    code: 'config',
    text: 'the bucket cannot be created here; set the options region and location_constraint',
  },
  NoSuchBucket: {
    code: 'bucket-not-found',
    text: 'no such bucket; check its name, or create it with "syncer mkdir"',
  },
  NoSuchKey: { code: 'file-not-found', text: 'object not found' },
  NoSuchVersion: { code: 'file-not-found', text: 'object not found' },
  InvalidObjectState: {
    code: 'archived',
    text: 'the object is archived; restore it first',
  },
  BucketNotEmpty: { code: 'not-empty', text: 'the bucket is not empty' },
  BucketAlreadyExists: { code: 'already-exists', text: 'the bucket belongs to another account' },
  InvalidBucketName: {
    code: 'name-invalid',
    text: 'invalid bucket name: use 3 to 63 lower-case letters, digits and hyphens',
  },
  KeyTooLongError: {
    code: 'name-invalid',
    text: 'the name is too long for the server',
    nameFault: 'length',
  },
  MetadataTooLarge: { code: 'too-large', text: 'the metadata is too large for the server' },
  EntityTooLarge: tooLarge,
  EntityTooSmall: { code: 'bad-answer', text: 'the parts are too small; raise chunk_size' },
  QuotaExceeded: { code: 'no-space', text: 'the quota is exceeded' },
  InsufficientStorage: { code: 'no-space', text: 'the storage is full' },
  XMinioStorageFull: { code: 'no-space', text: 'the storage is full' },
  BadDigest: corrupted,
  XAmzContentSHA256Mismatch: corrupted,
  XAmzContentChecksumMismatch: corrupted,
  IncompleteBody: { code: 'network', text: 'the data arrived incomplete' },
  PreconditionFailed: {
    code: 'precondition-failed',
    text: 'the object changed during the operation',
  },
  InvalidRange: { code: 'bad-answer', text: 'the object is shorter than the requested range' },
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
  OperationAborted: { code: 'server', text: 'another change of the bucket is in progress' },
  NotImplemented: { code: 'unsupported', text: 'the server does not support this' },
  MethodNotAllowed: { code: 'unsupported', text: 'the server does not allow this' },
};

/** The codes that mean the same as a status alone. */
const BY_STATUS: Readonly<Record<number, string>> = {
  301: 'PermanentRedirect',
  302: 'PermanentRedirect',
  307: 'TemporaryRedirect',
  308: 'PermanentRedirect',
  408: 'RequestTimeout',
  412: 'PreconditionFailed',
  413: 'EntityTooLarge',
  429: 'SlowDown',
  501: 'NotImplemented',
  503: 'SlowDown',
  507: 'InsufficientStorage',
};

/** The meaning of a response by its status alone. */
function byStatus(status: number): ErrorMeaning {
  const known = BY_CODE[BY_STATUS[status] ?? ''];
  if (known !== undefined) return known;
  if (status === 401 || status === 403) {
    return { code: 'access-denied', text: `access denied; ${checkKeys} and their permissions` };
  }
  if (status === 404) return { code: 'file-not-found', text: 'not found' };
  if (status >= 500) return busy;
  return { code: 'bad-answer', text: `the server refused the request (status ${status})` };
}

const LOCKED: ErrorMeaning = {
  code: 'access-denied',
  text: 'the object is locked; its retention or legal hold has to end first',
};

/**
 * The meaning of an error response: by the code in its body or, if that is unknown, by its status. Of a locked object
 * only the message says that it is locked.
 */
export function meaningOf(
  { s3Code, status, message }: { s3Code: string; status: number; message: string },
  isAnonymous = false,
): ErrorMeaning {
  if (status < 500 && /object.lock|WORM|retention|legal hold/i.test(message)) return LOCKED;
  const meaning = BY_CODE[s3Code] ?? byStatus(status);
  const isDenied = s3Code === 'AccessDenied' || status === 401 || status === 403;
  return isAnonymous && isDenied && meaning.code === 'access-denied'
    ? { ...meaning, text: NO_KEY }
    : meaning;
}

/** Whether the code says more than the status. */
export function isKnownCode(s3Code: string): boolean {
  return s3Code in BY_CODE;
}
