import { type ErrorCode, SyncerError, toSyncerError } from '../../core/errors.ts';
import type { LogEvent } from '../../core/events.ts';
import { jsonObject } from '../../core/json-object.ts';
import { readWhole } from '../http/answer.ts';
import { retryAfterMs } from '../http/answer-parser.ts';
import { StaleConnection } from '../http/connection-error.ts';
import type { HttpClient } from '../http/http-client.ts';
import { originOf } from '../http/http-request.ts';

/**
 * Posts a form to an endpoint of OAuth 2.0. Resolves whatever the status; rejects where no answer comes. If the
 * server had closed the connection, it is sent again on another one: a repair, and no retry, which is `TokenKeeper`'s.
 */
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
      const text = (await readWhole(answer, 1024 ** 2)).toString('utf8');
      const wait = retryAfterMs(answer.headers['retry-after'], now());
      const fields = jsonObject<Record<string, unknown>>(text) ?? {};
      return { status: answer.status, fields, retryAfterMs: wait };
    } catch (thrown) {
      signal.throwIfAborted();
      if (thrown instanceof StaleConnection) continue;
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

/** How the login server is reached. */
export interface LoginServer {
  readonly http: HttpClient;
  readonly userAgent: string;
  readonly now: () => number;
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

export interface LoginChoices {
  /** On another device, by a code to type there. */
  readonly byDevice: boolean;
  /** Where the browser brings the answer to: a port of this machine. */
  readonly port: number;
  /** Opens a link in a browser; absent where the person wants to do it. */
  readonly openBrowser?: ((link: string) => void) | undefined;
  /** Shows the steps of the login to the user. */
  readonly emit: (event: LogEvent) => void;
}

/** An answer of a provider's login server: its fields, and what HTTP says of it. */
export interface LoginAnswer {
  readonly status: number;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly retryAfterMs: number | undefined;
}

/** What the codes of Microsoft's login server (AADSTS…) and of OAuth 2.0 mean for people. */
const MEANINGS: Readonly<Record<string, string>> = {
  AADSTS7000215: 'the client_secret is wrong (use its value, not its id)',
  AADSTS7000222: 'the client_secret has expired: create a new one for the application',
  AADSTS7000218: 'the application needs a client_secret',
  AADSTS700016: 'no application with this client_id in the directory',
  AADSTS50011: 'the redirect URI is not registered: add it to the application',
  AADSTS65001: 'no consent has been given for the permissions of the application',
  AADSTS65004: 'the permissions were declined',
  AADSTS90094: 'an administrator of the organisation must approve the application first',
  AADSTS90008: 'an administrator of the organisation must approve the application first',
  AADSTS50194: 'the application belongs to a single organisation: set tenant to its id',
  AADSTS50020: 'this account does not belong to the organisation of the application',
  AADSTS50076: 'the organisation requires a second factor',
  AADSTS50079: 'the organisation requires a second factor',
  AADSTS50173: 'the login was revoked, for example by a password change',
  AADSTS70008: 'the login expired because it was not used',
  AADSTS700082: 'the login expired because it was not used',
  access_denied: 'the login was declined',
  authorization_declined: 'the login was declined',
  invalid_client: 'client_id or client_secret is wrong',
  unauthorized_client: 'the application is not allowed to log in this way',
  invalid_scope: 'the application is not allowed to request these permissions (access_scopes)',
  invalid_grant: 'the login is no longer valid',
  interaction_required: 'you must log in again',
  consent_required: 'no consent has been given for the permissions of the application',
  login_required: 'you must log in again',
  temporarily_unavailable: 'the login server is busy',
};

/** The refusal of a login server, its reason behind `lead`. Of its words only codes are taken: others may be secret. */
export function refusalError(
  refusal: {
    readonly error: string;
    readonly description: string;
    readonly status: number;
    readonly retryAfterMs?: number | undefined;
  },
  code: ErrorCode = 'sign-in',
  lead = 'cannot log in: ',
): SyncerError {
  const { error, description, status, retryAfterMs } = refusal;
  const detail = /\bAADSTS\d+\b/.exec(description)?.[0] ?? '';
  const known = [detail, error].find((one) => Object.hasOwn(MEANINGS, one)) ?? '';
  const meaning = MEANINGS[known] ?? 'the login server refused';
  const codes = [/^[a-z_]{1,40}$/.test(error) ? error : '', detail].filter((one) => one !== '');
  const text = `${lead}${meaning} (${codes.length === 0 ? status : codes.join(', ')})`;
  const isOfClient = /^(?:AADSTS7000(?:215|222|218|16)|invalid_client)$/.test(known);
  return new SyncerError(code, text, { retryAfterMs, fault: isOfClient ? 'client' : undefined });
}
