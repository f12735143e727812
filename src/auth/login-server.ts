import { SyncerError, toSyncerError } from '../core/errors.ts';
import type { LogEvent } from '../core/events.ts';
import { retryAfterMs } from '../http/answer-head.ts';
import { isUnknownAuthority, StaleConnection } from '../http/connection-error.ts';
import type { HttpClient } from '../http/http-client.ts';
import { originOf } from '../http/http-request.ts';
import { readWhole } from '../http/read-whole.ts';

/** An answer of a provider's login server: its fields, and what HTTP says of it. */
export interface LoginAnswer {
  readonly status: number;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly retryAfterMs: number | undefined;
}

/** How the login server is reached. */
export interface LoginServer {
  readonly http: HttpClient;
  readonly userAgent: string;
  readonly now: () => number;
}

const LARGEST_ANSWER = 1024 ** 2;

/** Posts a form to an endpoint of OAuth 2.0. Resolves whatever the status; rejects where no answer comes. */
export async function postForm(
  { http, userAgent, now }: LoginServer,
  endpoint: URL,
  form: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<LoginAnswer> {
  const body = Buffer.from(new URLSearchParams(form).toString());
  const request = {
    method: 'POST',
    origin: originOf(endpoint),
    target: endpoint.pathname + endpoint.search,
    headers: {
      host: endpoint.host,
      'user-agent': userAgent,
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(body.length),
    },
    body,
    asksFirst: false,
  };
  for (;;) {
    try {
      const answer = await http.send(request, signal);
      const text = (await readWhole(answer, LARGEST_ANSWER)).toString('utf8');
      const wait = retryAfterMs(answer.headers['retry-after'], now());
      return { status: answer.status, fields: jsonFields(text), retryAfterMs: wait };
    } catch (thrown) {
      signal.throwIfAborted();
      const mayTry =
        thrown instanceof StaleConnection ||
        (isUnknownAuthority(thrown) && http.trusted.trustSystem());
      if (mayTry) continue;
      const error = toSyncerError(thrown);
      throw new SyncerError(error.code, `the login server: ${error.message}`, { cause: thrown });
    }
  }
}

/** A text among the fields; `''` where it is none. */
export function textField({ fields }: LoginAnswer, name: string): string {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
}

function jsonFields(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** The application that logs in, and where it does. */
export interface LoginApplication {
  readonly clientId: string;
  /** `''` for an application that has none. */
  readonly clientSecret: string;
  readonly tokenUrl: URL;
}

/** What a person logs in to. */
export interface LoginTarget extends LoginApplication {
  readonly authUrl: URL;
  readonly scopes: readonly string[];
}

/** How a person logs in. */
export interface LoginChoices {
  /** On another device, by a code to type there. */
  readonly byDevice: boolean;
  /** Where the browser brings the answer to: a port of this machine. */
  readonly port: number;
  /** Opens a link in a browser; absent where the person wants to do it. */
  readonly openBrowser?: (link: string) => void;
  /** Shows the steps of the login to the user. */
  readonly emit: (event: LogEvent) => void;
}
