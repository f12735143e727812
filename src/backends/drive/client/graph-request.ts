import { type ErrorCode, SyncerError } from '../../../core/errors.ts';
import { jsonObject } from '../../../core/json-object.ts';
import { type HttpHeaders, retryAfterMs } from '../../http/answer-parser.ts';

export interface GraphRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the address of the Graph API, percent-encoded, with its query; or a whole URL from the service. */
  readonly to: string | URL;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is, instead of `json`. */
  readonly body?: Buffer;
  /** Without the login, for URLs that are secrets themselves. */
  readonly isOpen?: boolean;
  /** Never retried: a try without a response may have succeeded, and a second one could do harm. */
  readonly isOnce?: boolean;
  /** Number of tries; absent: that of the transport. */
  readonly tries?: number;
  /** A redirect is a valid response: to a content, or to a created item. */
  readonly takesRedirect?: boolean;
  /** It gives an item a name, so a refusal is about the name. */
  readonly isNaming?: boolean;
  /** What it does, for messages: `list`, `read`, `write`. */
  readonly doing: string;
  /** Its subject, as the user knows it. */
  readonly about: string;
}

/** A response with its body read. */
export interface GraphAnswer {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** The JSON of the body; an empty object for an empty body. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** An error response of the service. */
export class GraphError extends SyncerError {
  readonly status: number;
  /** The service's codes, outermost first; none if the response had none. */
  readonly codes: readonly string[];
  /** Whether the service said how long to wait. */
  readonly namesWait: boolean;
  /** Whether an earlier try of the same request may have succeeded, as no response of the service itself arrived. */
  readonly afterUnsure: boolean;

  constructor(
    request: GraphRequest,
    { status, headers, body }: Pick<GraphAnswer, 'status' | 'headers'> & { readonly body: string },
    nowMs: number,
    afterUnsure = false,
  ) {
    const told = readErrorBody(body);
    const isOpen = request.isOpen === true;
    let meant = meaningOf(status, told.codes, request.about);
    // A refused URL that needs no login says nothing about the login.
    if (status === 401 && isOpen) meant = meaning('other', 'the service refused its own URL');
    // The service names a code if an item is missing.
    if (status === 404 && !isOpen && told.codes.length === 0) {
      meant = meaning('bad-answer', 'the response is not from the service');
    }
    const { code, text } = meant;
    const wait = retryAfterMs(headers['retry-after'], nowMs);
    const isName = status === 400 && request.isNaming === true && code === 'other';
    super(
      isName ? 'name-invalid' : code,
      `cannot ${request.doing} ${request.about}: ` +
        `${isName ? 'the service refused the name' : text} (${told.codes.at(-1) ?? status})`,
      {
        retryAfterMs: wait,
        cause: new Error(`${status} ${told.codes.join(' > ')} ${told.requestId}: ${told.message}`),
      },
    );
    this.status = status;
    this.afterUnsure = afterUnsure;
    this.codes = told.codes;
    this.namesWait = wait !== undefined;
  }
}

/** Whether `thrown` is a response of the service with one of these statuses. */
export function hasStatus(thrown: unknown, ...statuses: number[]): thrown is GraphError {
  return thrown instanceof GraphError && statuses.includes(thrown.status);
}

/**
 * Whether the service itself says that the item does not exist: a 404 of something before it has no code, and one with a
 * code that means something else proves nothing.
 */
export function saysMissing(thrown: unknown): thrown is GraphError {
  return hasStatus(thrown, 404) && thrown.code === 'file-not-found' && thrown.codes.length > 0;
}

interface ErrorObject {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly innerError?: ErrorObject;
  readonly innererror?: ErrorObject;
  readonly 'request-id'?: unknown;
}

/** The codes of an error response, outermost first, and what helps Microsoft's support; the body may be anything. */
function readErrorBody(body: string) {
  const codes: string[] = [];
  let message = '';
  let requestId = '';
  const { error } = jsonObject<{ error?: ErrorObject | null }>(body) ?? {};
  let at = typeof error === 'object' && error !== null ? error : undefined;
  for (let depth = 0; at !== undefined && depth < 8; depth++) {
    if (typeof at.code === 'string' && /^[\w.]{1,80}$/.test(at.code)) codes.push(at.code);
    if (message === '' && typeof at.message === 'string') message = at.message;
    const id = at['request-id'];
    if (typeof id === 'string') requestId = id;
    at = at.innerError ?? at.innererror;
  }
  return { codes, message: message.replace(/\s+/g, ' ').slice(0, 300), requestId };
}

/** The meaning of a service error. */
export interface Meaning {
  readonly code: ErrorCode;
  readonly text: string;
}

const meaning = (code: ErrorCode, text: string): Meaning => ({ code, text });

/** The longest name of an item, in characters: "Restrictions and limitations in OneDrive". */
export const LONGEST_NAME = 255;

/** The longest path below the root of a drive, in characters: likewise. */
export const LONGEST_PATH = 400;

/** By the service's own codes, the innermost known one of a response. */
const BY_CODE: Readonly<Record<string, Meaning>> = {
  accessDenied: meaning('access-denied', 'the account lacks the permission'),
  activityLimitReached: meaning('throttled', 'the service throttles requests'),
  tooManyRequests: meaning('throttled', 'the service throttles requests'),
  throttledRequest: meaning('throttled', 'the service throttles requests'),
  itemNotFound: meaning('file-not-found', 'no such file or directory'),
  nameAlreadyExists: meaning('already-exists', 'the name is taken'),
  pathIsTooLong: meaning(
    'name-too-long',
    `the path is too long for the drive (${LONGEST_PATH} characters)`,
  ),
  quotaLimitReached: meaning('quota-exceeded', 'the drive is full'),
  insufficientStorage: meaning('quota-exceeded', 'the drive is full'),
  resourceModified: meaning('precondition-failed', 'it was changed by another client'),
  preconditionFailed: meaning('precondition-failed', 'it was changed by another client'),
  resourceLocked: meaning('access-denied', 'it is locked: open or checked out by another user'),
  lockMismatch: meaning('access-denied', 'it is locked: open or checked out by another user'),
  malwareDetected: meaning(
    'access-denied',
    'the service found malware in it and blocks downloads (av_override downloads it)',
  ),
  sharingDisabled: meaning('access-denied', 'sharing is disabled for this account'),
  sharingPasswordRequired: meaning('access-denied', 'links require a password (link_password)'),
  notAllowed: meaning('access-denied', 'the service does not allow it'),
  notSupported: meaning('unsupported', 'not supported by this type of drive'),
  serviceNotAvailable: meaning('server', 'the service is not available'),
  generalException: meaning('server', 'the service has an internal error'),
  unknownError: meaning('server', 'the service has an internal error'),
  maxFileSizeExceeded: meaning('too-large', 'the file is too large for the drive'),
  invalidRange: meaning('bad-answer', 'the service does not have this range of the file'),
};

/** By HTTP status, for unknown codes. */
const BY_STATUS: Readonly<Record<number, Meaning>> = {
  400: meaning('other', 'the service refused the request'),
  401: meaning('sign-in', 'the service refused the login'),
  403: meaning('access-denied', 'the account lacks the permission'),
  404: meaning('file-not-found', 'no such file or directory'),
  405: meaning('unsupported', 'the service does not support it'),
  408: meaning('server', 'the service timed out'),
  409: meaning('already-exists', 'the name is taken'),
  410: meaning('bad-answer', 'the listing cursor has expired'),
  412: meaning('precondition-failed', 'it was changed by another client'),
  413: meaning('too-large', 'it is too large for the service'),
  416: meaning('bad-answer', 'the service does not have this range of the file'),
  423: meaning('access-denied', 'it is locked: open or checked out by another user'),
  429: meaning('throttled', 'the service throttles requests'),
  501: meaning('unsupported', 'not supported by this type of drive'),
  503: meaning('throttled', 'the service is busy'),
  507: meaning('quota-exceeded', 'the drive is full'),
  509: meaning('throttled', 'the service throttles requests'),
};

/** Statuses with one meaning. Their bodies may come from a proxy, be empty, or have a code of another status. */
const UNAMBIGUOUS: readonly number[] = [423, 429, 503, 507, 509];

/** The meaning of an error response about a path, if any: by the innermost known code, else by its status. */
export function meaningOf(status: number, codes: readonly string[], about = ''): Meaning {
  if (UNAMBIGUOUS.includes(status)) return byStatus(status);
  const known = codes.findLast((code) => Object.hasOwn(BY_CODE, code));
  const meant = (known === undefined ? undefined : BY_CODE[known]) ?? byStatus(status);
  // An item is missing only if the status says so, too; 400: the code of a copy that failed.
  if (meant.code === 'file-not-found' && status !== 404 && status !== 400) return byStatus(status);
  // The service has one code for both.
  const isName = about.split('/').some((name) => name.length > LONGEST_NAME);
  if (meant.code !== 'name-too-long' || !isName) return meant;
  return { ...meant, text: `the name is too long for the drive (${LONGEST_NAME} characters)` };
}

function byStatus(status: number): Meaning {
  const known = BY_STATUS[status];
  if (known !== undefined) return known;
  return status >= 500
    ? meaning('server', 'the service has an internal error')
    : meaning('bad-answer', 'unexpected response of the service');
}

/** The error for a response that does not prove the request; `why` says what is wrong with it. */
export function badAnswer(
  request: Pick<GraphRequest, 'doing' | 'about'>,
  why: string,
  trueSize?: number,
) {
  const text = `cannot ${request.doing} ${request.about}: ${why}`;
  return new SyncerError('bad-answer', text, { trueSize });
}
