import type { ErrorCode } from '../../../core/errors.ts';
import { LONGEST_NAME, LONGEST_PATH } from '../name-limits.ts';

/** What an error of the service means. */
export interface Meaning {
  readonly code: ErrorCode;
  readonly text: string;
}

const meaning = (code: ErrorCode, text: string): Meaning => ({ code, text });

const PATH_TOO_LONG = `the path is too long for the drive (${LONGEST_PATH} characters)`;
const NAME_TOO_LONG = `the name is too long for the drive (${LONGEST_NAME} characters)`;

/** By the service's own codes, the innermost known one of an answer. */
const BY_CODE: Readonly<Record<string, Meaning>> = {
  accessDenied: meaning('access-denied', 'the account may not do this'),
  activityLimitReached: meaning('throttled', 'the service asks to slow down'),
  tooManyRequests: meaning('throttled', 'the service asks to slow down'),
  throttledRequest: meaning('throttled', 'the service asks to slow down'),
  itemNotFound: meaning('file-not-found', 'there is no such file or directory'),
  nameAlreadyExists: meaning('already-exists', 'the name is taken already'),
  pathIsTooLong: meaning('name-too-long', PATH_TOO_LONG),
  quotaLimitReached: meaning('quota-exceeded', 'the drive is full'),
  insufficientStorage: meaning('quota-exceeded', 'the drive is full'),
  resourceModified: meaning('precondition-failed', 'it was changed by somebody else meanwhile'),
  preconditionFailed: meaning('precondition-failed', 'it was changed by somebody else meanwhile'),
  resourceLocked: meaning('access-denied', 'it is locked: somebody has it open or checked out'),
  lockMismatch: meaning('access-denied', 'it is locked: somebody has it open or checked out'),
  malwareDetected: meaning(
    'access-denied',
    'the service found malware in it and gives it to nobody',
  ),
  sharingDisabled: meaning('access-denied', 'sharing is switched off for this account'),
  sharingPasswordRequired: meaning(
    'access-denied',
    'links must have a password here (link_password)',
  ),
  notAllowed: meaning('access-denied', 'the service does not allow it'),
  notSupported: meaning('unsupported', 'drives of this kind cannot do it'),
  serviceNotAvailable: meaning('server', 'the service is not available'),
  generalException: meaning('server', 'the service has a fault'),
  unknownError: meaning('server', 'the service has a fault'),
  maxFileSizeExceeded: meaning('too-large', 'the file is larger than a drive can hold'),
  invalidRange: meaning('bad-answer', 'the service does not have this part of the file'),
};

/** By HTTP status, where the code says nothing. */
const BY_STATUS: Readonly<Record<number, Meaning>> = {
  400: meaning('other', 'the service does not take the request'),
  401: meaning('sign-in', 'the service does not accept the login'),
  403: meaning('access-denied', 'the account may not do this'),
  404: meaning('file-not-found', 'there is no such file or directory'),
  405: meaning('unsupported', 'the service cannot do it'),
  408: meaning('server', 'the service gave up waiting'),
  409: meaning('already-exists', 'the name is taken already'),
  410: meaning('bad-answer', 'the service has forgotten where the listing was'),
  412: meaning('precondition-failed', 'it was changed by somebody else meanwhile'),
  413: meaning('too-large', 'the service finds it too large'),
  416: meaning('bad-answer', 'the service does not have this part of the file'),
  423: meaning('access-denied', 'it is locked: somebody has it open or checked out'),
  429: meaning('throttled', 'the service asks to slow down'),
  501: meaning('unsupported', 'drives of this kind cannot do it'),
  503: meaning('throttled', 'the service is busy'),
  507: meaning('quota-exceeded', 'the drive is full'),
};

/**
 * What an answer means: by the innermost of its codes that is known, else by its status.
 *
 * @param about the path that the request was about, if it was one
 */
export function meaningOf(status: number, codes: readonly string[], about = ''): Meaning {
  // The status decides where it is unmistakable: bodies may be of a proxy, or empty.
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
    ? meaning('server', 'the service has a fault')
    : meaning('bad-answer', 'the service answers what was not expected');
}
