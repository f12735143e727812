import { type ErrorCode, hasCode, type RemoteFault, SyncerError } from '../../core/errors.ts';
import { type HttpHeaders, retryAfterMs } from '../http/answer-parser.ts';
import { child, childText, type XmlElement } from '../s3-protocol/read-xml.ts';
import { readAnswerXml } from './xml/read-answer.ts';

/** An error response of an S3 server. */
export class StoreError extends SyncerError {
  /** HTTP status; 200 if the error was in the body of a success. */
  readonly status: number;
  /** `NoSuchKey`; `''` if the response had none (HEAD has no body). */
  readonly s3Code: string;
  /** The bucket's region in the response. */
  readonly region: string | undefined;
  /** The target of a redirect. */
  readonly location: string | undefined;
  /** The server's time of the response, in milliseconds; `NaN` if unknown. */
  readonly serverMs: number;
  /** An earlier request of the call had no proper response, and may have been carried out. */
  isAgain = false;

  /** @param isAnonymous whether the request was sent without a key */
  constructor(answer: ErrorAnswer, doing: string, where: string, isAnonymous = false) {
    const { code, text, ...faults } = meaningOf(answer, isAnonymous);
    const { retryAfterMs } = answer;
    super(code, `cannot ${doing} ${where}: ${text}${tellMore(answer)}`, {
      retryAfterMs,
      ...faults,
    });
    this.status = answer.status;
    this.s3Code = answer.s3Code;
    this.region = answer.region;
    this.location = answer.location;
    this.serverMs = answer.serverMs ?? Number.NaN;
  }
}

/** The content of an error response. */
export interface ErrorAnswer {
  readonly status: number;
  readonly s3Code: string;
  readonly message: string;
  readonly region?: string | undefined;
  readonly location?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  /** The server's time, in milliseconds. */
  readonly serverMs?: number;
}

/** Whether `thrown` is a response of the server with one of these codes. */
export function hasS3Code(thrown: unknown, ...codes: string[]): thrown is StoreError {
  return thrown instanceof StoreError && codes.includes(thrown.s3Code);
}

/** Whether the condition of a write was not met after an earlier request for it, which may have been carried out. */
export function isRefusedAgain(thrown: unknown): boolean {
  return thrown instanceof StoreError && thrown.isAgain && hasCode(thrown, 'precondition-failed');
}

/**
 * Whether the server may refuse only the form of a request: without a condition, a header or a parameter that not every
 * server supports, or that needs more rights, the same request may succeed. The code or the status does not show it:
 * servers refuse what they do not know with any of them.
 */
export function refusesForm(thrown: unknown): thrown is StoreError {
  if (!(thrown instanceof StoreError) || thrown.status === 401) return false;
  return hasCode(thrown, 'unsupported', 'bad-answer', 'access-denied');
}

/** Reads an error response; of a body that is not S3's XML, only the status counts. */
export async function readErrorAnswer(
  status: number,
  headers: HttpHeaders,
  body: string,
  nowMs: number,
): Promise<ErrorAnswer> {
  const isXml = body.trimStart().startsWith('<');
  const root = isXml ? await readAnswerXml(body).catch(() => undefined) : undefined;
  const xml = root && errorOf(root);
  return {
    status,
    s3Code: xml?.code ?? '',
    message: xml?.message ?? '',
    region: headers['x-amz-bucket-region'] ?? xml?.region,
    location: status < 400 ? headers['location'] : undefined,
    retryAfterMs: retryAfterMs(headers['retry-after'], nowMs),
    serverMs: Date.parse(headers['date'] ?? ''),
  };
}

/** The code and message of an `<Error>` element, which is the document or in it. */
export function errorOf(root: XmlElement) {
  const error = root.name === 'Error' ? root : child(root, 'Error');
  if (error === undefined) return undefined;
  return {
    code: childText(error, 'Code')?.trim() ?? '',
    message: childText(error, 'Message') ?? '',
    region: childText(error, 'Region'),
  };
}

/** The code, and the server's own words if our text does not already say it; of a redirect its target. */
function tellMore({ s3Code, message, status, location = '' }: ErrorAnswer): string {
  const elsewhere = URL.parse(location);
  if (elsewhere !== null) return ` (${s3Code || status}: it is at ${elsewhere.origin})`;
  if (s3Code === '') return ` (${status})`;
  const words = message.replace(/\s+/g, ' ').trim().slice(0, 200);
  return s3Code in BY_CODE || words === '' ? ` (${s3Code})` : ` (${s3Code}: ${words})`;
}

/**
 * `NoSuchBucket` as a missing directory; `undefined` for everything else: any other 404 is a server in trouble, and
 * missing files may be overwritten. `remote`: the name of the remote. `hasBegun`: the bucket existed before: then it is
 * not missing, and the response is wrong.
 */
export function missingBucket(
  error: unknown,
  remote: string,
  bucket: string,
  hasBegun = false,
): SyncerError | undefined {
  if (!hasS3Code(error, 'NoSuchBucket')) return undefined;
  if (hasBegun) {
    const text = `bucket ${bucket} was listed, but is not found now`;
    return new SyncerError('bad-answer', text, { cause: error });
  }
  return new SyncerError('directory-not-found', `bucket ${bucket} not found`, {
    advice: `check its name; "syncer lsd ${remote.startsWith(':') ? 'remote' : remote}:" lists the buckets`,
    cause: error,
  });
}

/** What an S3 error code means to the user. */
export interface ErrorMeaning {
  readonly code: ErrorCode;
  /** Why it failed, and what to do. */
  readonly text: string;
  readonly fault?: RemoteFault;
  readonly nameFault?: 'length';
}

/** `more`: what else is at fault. */
function meaning(code: ErrorCode, text: string, more?: Partial<ErrorMeaning>): ErrorMeaning {
  return { code, text, ...more };
}

const checkKeys = 'check access_key_id and secret_access_key';
const slowDown = meaning('throttled', 'the server throttles requests');
const busy = meaning('server', 'the server has an internal error');
const corrupted = meaning('corrupted', 'the received data differs from the sent data');
const expired = meaning('sign-in', 'the temporary credentials have expired; get new ones');

const elsewhere = meaning(
  'config',
  'the bucket is at another endpoint; set the options region and endpoint',
);

/** The S3 error codes that need more than their own text. */
const BY_CODE: Readonly<Record<string, ErrorMeaning>> = {
  AccessDenied: meaning('access-denied', 'access denied; the key lacks the permission'),
  AllAccessDisabled: meaning('access-denied', 'the server has disabled access'),
  AccountProblem: meaning('access-denied', 'there is a problem with the account'),
  InvalidAccessKeyId: meaning('sign-in', `access key not recognised; ${checkKeys}`, {
    fault: 'access-key',
  }),
  SignatureDoesNotMatch: meaning('sign-in', `the secret key is wrong; ${checkKeys}`, {
    fault: 'secret-key',
  }),
  InvalidToken: meaning('sign-in', 'the session token is wrong; check session_token'),
  ExpiredToken: expired,
  ExpiredTokenException: expired,
  TokenRefreshRequired: expired,
  RequestTimeTooSkewed: meaning(
    'sign-in',
    "the local clock differs too much from the server's; set it",
    { fault: 'clock' },
  ),
  AuthorizationHeaderMalformed: meaning('config', 'wrong region; set the option region', {
    fault: 'region',
  }),
  PermanentRedirect: elsewhere,
  TemporaryRedirect: elsewhere,
  IllegalLocationConstraintException: meaning(
    'config',
    'the bucket cannot be created here; set the options region and location_constraint',
  ),
  NoSuchBucket: meaning(
    'bucket-not-found',
    'no such bucket; check its name, or create it with "syncer mkdir"',
  ),
  NoSuchKey: meaning('file-not-found', 'object not found'),
  NoSuchVersion: meaning('file-not-found', 'object not found'),
  InvalidObjectState: meaning('archived', 'the object is archived; restore it first'),
  BucketNotEmpty: meaning('not-empty', 'the bucket is not empty'),
  BucketAlreadyExists: meaning('already-exists', 'the bucket belongs to another account'),
  InvalidBucketName: meaning(
    'name-invalid',
    'invalid bucket name: use 3 to 63 lower-case letters, digits and hyphens',
  ),
  KeyTooLongError: meaning('name-invalid', 'the name is too long for the server', {
    nameFault: 'length',
  }),
  MetadataTooLarge: meaning('too-large', 'the metadata is too large for the server'),
  EntityTooLarge: meaning('too-large', 'too large for the server'),
  EntityTooSmall: meaning('bad-answer', 'the parts are too small; raise chunk_size'),
  QuotaExceeded: meaning('no-space', 'the quota is exceeded'),
  InsufficientStorage: meaning('no-space', 'the storage is full'),
  XMinioStorageFull: meaning('no-space', 'the storage is full'),
  BadDigest: corrupted,
  XAmzContentSHA256Mismatch: corrupted,
  XAmzContentChecksumMismatch: corrupted,
  IncompleteBody: meaning('network', 'the data arrived incomplete'),
  PreconditionFailed: meaning('precondition-failed', 'the object changed during the operation'),
  InvalidRange: meaning('bad-answer', 'the object is shorter than the requested range'),
  SlowDown: slowDown,
  SlowDownRead: slowDown,
  SlowDownWrite: slowDown,
  TooManyRequests: slowDown,
  RequestLimitExceeded: slowDown,
  Throttling: slowDown,
  ThrottlingException: slowDown,
  RequestTimeout: meaning('timed-out', 'the server timed out waiting for data'),
  InternalError: busy,
  ServiceUnavailable: slowDown,
  ConditionalRequestConflict: meaning('server', 'another change of the object is in progress'),
  OperationAborted: meaning('server', 'another change of the bucket is in progress'),
  NotImplemented: meaning('unsupported', 'the server does not support this'),
  MethodNotAllowed: meaning('unsupported', 'the server does not allow this'),
};

/** The codes that mean the same as a status alone. */
const BY_STATUS: Readonly<Record<number, string>> = {
  301: 'PermanentRedirect',
  302: 'PermanentRedirect',
  307: 'TemporaryRedirect',
  308: 'PermanentRedirect',
  405: 'MethodNotAllowed',
  408: 'RequestTimeout',
  412: 'PreconditionFailed',
  413: 'EntityTooLarge',
  429: 'SlowDown',
  501: 'NotImplemented',
  503: 'SlowDown',
  507: 'InsufficientStorage',
};

/** The meaning of an error: by its code, else by its status. Only the message says that an object is locked. */
function meaningOf({ s3Code, status, message }: ErrorAnswer, isAnonymous: boolean): ErrorMeaning {
  if (status < 500 && /object.lock|WORM|retention|legal hold/i.test(message)) {
    const text = 'the object is locked; its retention or legal hold has to end first';
    return { code: 'access-denied', text };
  }
  const isDenied = status === 401 || status === 403;
  const known =
    status === 501
      ? BY_CODE['NotImplemented']
      : (BY_CODE[s3Code] ?? BY_CODE[BY_STATUS[status] ?? '']);
  if (isAnonymous && (isDenied || s3Code === 'AccessDenied')) {
    if (known === undefined || known.code === 'access-denied') {
      const text = `access denied; the request had no key: set access_key_id and secret_access_key, or env_auth`;
      return { ...known, code: 'access-denied', text };
    }
  }
  if (known !== undefined) return known;
  if (isDenied) {
    return { code: 'access-denied', text: `access denied; ${checkKeys} and their permissions` };
  }
  if (status === 404) return { code: 'file-not-found', text: 'not found' };
  if (status >= 500) return busy;
  return { code: 'bad-answer', text: `the server refused the request (status ${status})` };
}
