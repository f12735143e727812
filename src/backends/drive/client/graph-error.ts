import { SyncerError } from '../../../core/errors.ts';
import { type HttpHeaders, retryAfterMs } from '../../http/answer-parser.ts';
import { type Meaning, meaningOf } from './error-meaning.ts';
import type { GraphRequest } from './graph-request.ts';

/** An error response. */
export interface Refusal {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: string;
}

/** A refused URL that needs no login says nothing about the login. */
const REFUSED_URL: Meaning = { code: 'other', text: 'the service refused its own URL' };

/** The service names a code if an item is missing. */
const NOT_ITS_404: Meaning = { code: 'bad-answer', text: 'the response is not from the service' };

/** An error response of the service. */
export class GraphError extends SyncerError {
  readonly status: number;
  /** The service's codes, outermost first; none if the response had none. */
  readonly codes: readonly string[];
  /** Whether the service said how long to wait. */
  readonly namesWait: boolean;
  /** Whether an earlier try of the same request may have succeeded, as no response of the service itself arrived. */
  afterUnsure = false;

  constructor(request: GraphRequest, { status, headers, body }: Refusal, nowMs: number) {
    const told = readErrorBody(body);
    const { code, text } = meaningFor(request, status, told.codes);
    const wait = retryAfterMs(headers['retry-after'], nowMs);
    const isName = status === 400 && request.isNaming === true && code === 'other';
    super(
      isName ? 'name-invalid' : code,
      `cannot ${request.doing} ${request.about}: ` +
        `${isName ? 'the service refused the name' : text} (${told.codes.at(-1) ?? status})`,
      {
        ...(wait === undefined ? {} : { retryAfterMs: wait }),
        cause: new Error(`${status} ${told.codes.join(' > ')} ${told.requestId}: ${told.message}`),
      },
    );
    this.status = status;
    this.codes = told.codes;
    this.namesWait = wait !== undefined;
  }
}

function meaningFor(request: GraphRequest, status: number, codes: readonly string[]): Meaning {
  const isOpen = request.isOpen === true;
  if (status === 401 && isOpen) return REFUSED_URL;
  if (status === 404 && !isOpen && codes.length === 0) return NOT_ITS_404;
  return meaningOf(status, codes, request.about);
}

/** Whether `thrown` is a response of the service with one of these statuses. */
export function hasStatus(thrown: unknown, ...statuses: number[]): thrown is GraphError {
  return thrown instanceof GraphError && statuses.includes(thrown.status);
}

/**
 * Whether the service itself reports that the item does not exist. A 404 without a code comes from something in front
 * of it.
 */
export function saysMissing(thrown: unknown): thrown is GraphError {
  return hasStatus(thrown, 404) && thrown.codes.length > 0;
}

interface ErrorObject {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly innerError?: ErrorObject;
  readonly innererror?: ErrorObject;
  readonly 'request-id'?: unknown;
}

/** The codes of an error response, outermost first, and what helps Microsoft's support; the body may be anything. */
function readErrorBody(body: string): {
  readonly codes: readonly string[];
  readonly message: string;
  readonly requestId: string;
} {
  const codes: string[] = [];
  let message = '';
  let requestId = '';
  let at: ErrorObject | undefined = errorIn(body);
  for (let depth = 0; at !== undefined && depth < 8; depth++) {
    if (typeof at.code === 'string' && /^[\w.]{1,80}$/.test(at.code)) codes.push(at.code);
    if (message === '' && typeof at.message === 'string') message = at.message;
    const id = at['request-id'];
    if (typeof id === 'string') requestId = id;
    at = at.innerError ?? at.innererror;
  }
  return { codes, message: message.replace(/\s+/g, ' ').slice(0, 300), requestId };
}

function errorIn(body: string): ErrorObject | undefined {
  try {
    const error = (JSON.parse(body) as { error?: unknown }).error;
    return typeof error === 'object' && error !== null ? error : undefined;
  } catch {
    return undefined;
  }
}
