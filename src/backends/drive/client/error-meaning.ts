import type { ErrorCode } from '../../../core/errors.ts';
import { LONGEST_NAME, LONGEST_PATH } from '../change/aside-name.ts';

/** The meaning of a service error. */
export interface Meaning {
  readonly code: ErrorCode;
  readonly text: string;
}

const meaning = (code: ErrorCode, text: string): Meaning => ({ code, text });

const PATH_TOO_LONG = `the path is too long for the drive (${LONGEST_PATH} characters)`;

const NAME_TOO_LONG = `the name is too long for the drive (${LONGEST_NAME} characters)`;

/** By the service's own codes, the innermost known one of a response. */
const BY_CODE: Readonly<Record<string, Meaning>> = {
  accessDenied: meaning('access-denied', 'the account lacks the permission'),
  activityLimitReached: meaning('throttled', 'the service throttles requests'),
  tooManyRequests: meaning('throttled', 'the service throttles requests'),
  throttledRequest: meaning('throttled', 'the service throttles requests'),
  itemNotFound: meaning('file-not-found', 'no such file or directory'),
  nameAlreadyExists: meaning('already-exists', 'the name is taken'),
  pathIsTooLong: meaning('name-too-long', PATH_TOO_LONG),
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
};

/**
 * The meaning of an error response: by the innermost known code, else by its status.
 *
 * @param about the path of the request, if it has one
 */
export function meaningOf(status: number, codes: readonly string[], about = ''): Meaning {
  // These statuses are unambiguous: bodies may come from a proxy, or be empty.
  if (status === 429 || status === 503 || status === 507) return byStatus(status);
  const known = codes.findLast((code) => Object.hasOwn(BY_CODE, code));
  const meant = (known === undefined ? undefined : BY_CODE[known]) ?? byStatus(status);
  // The service has one code for both.
  const isName = about.split('/').some((name) => name.length > LONGEST_NAME);
  return meant.code === 'name-too-long' && isName ? { ...meant, text: NAME_TOO_LONG } : meant;
}

function byStatus(status: number): Meaning {
  const known = BY_STATUS[status];
  if (known !== undefined) return known;
  return status >= 500
    ? meaning('server', 'the service has an internal error')
    : meaning('bad-answer', 'unexpected response of the service');
}
