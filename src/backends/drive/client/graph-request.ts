import { SyncerError } from '../../../core/errors.ts';
import type { HttpHeaders } from '../../../http/answer-head.ts';

/** A request to the service. */
export interface GraphRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the address of the Graph API, percent-encoded, with its query; or a whole URL that the service gave. */
  readonly to: string | URL;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is, in place of `json`. */
  readonly body?: Buffer;
  /** Without the login, for URLs that are secrets themselves. */
  readonly isOpen?: boolean;
  /** A try that failed without an answer may have worked, and a second one do harm: it is not made. */
  readonly isOnce?: boolean;
  /** Tries in all; those of the transport where absent. */
  readonly tries?: number;
  /** An answer that leads elsewhere is one: to a content, or to what was made. */
  readonly takesRedirect?: boolean;
  /** It gives something a name, so that a request the service does not take is for the name. */
  readonly isNaming?: boolean;
  /** What it does, for messages: `list`, `read`, `write`. */
  readonly doing: string;
  /** What it is about as the user knows it. */
  readonly about: string;
}

/** An answer with its body read. */
export interface GraphAnswer {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** The JSON of the body; an empty object where there is none. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** An answer that does not prove what was asked for; `why` says what is wrong with it. */
export function badAnswer(
  request: Pick<GraphRequest, 'doing' | 'about'>,
  why: string,
): SyncerError {
  return new SyncerError('bad-answer', `cannot ${request.doing} ${request.about}: ${why}`);
}
