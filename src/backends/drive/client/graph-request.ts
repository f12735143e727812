import { SyncerError } from '../../../core/errors.ts';
import type { HttpHeaders } from '../../http/answer-parser.ts';

/** A request to the service. */
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

/** The error for a response that does not prove the request; `why` says what is wrong with it. */
export function badAnswer(
  request: Pick<GraphRequest, 'doing' | 'about'>,
  why: string,
): SyncerError {
  return new SyncerError('bad-answer', `cannot ${request.doing} ${request.about}: ${why}`);
}
