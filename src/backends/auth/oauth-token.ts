import { type ErrorCode, SyncerError } from '../../core/errors.ts';
import { jsonObject } from '../../core/json-object.ts';
import {
  formatRfc3339NanoUtc,
  modTimeFromMs,
  modTimeToMs,
  parseRfc3339,
} from '../../core/mod-time.ts';
import {
  type LoginAnswer,
  type LoginApplication,
  type LoginServer,
  postForm,
  refusalError,
  textField,
} from './post-form.ts';

/** A login as it stands in a section of the configuration. */
export interface OAuthToken {
  readonly accessToken: string;
  readonly tokenType: string;
  /** Absent where the provider gave none: the login then ends at `expiresMs`. */
  readonly refreshToken: string | undefined;
  /** When the access token ends, in milliseconds since the epoch; `undefined`: not known. */
  readonly expiresMs: number | undefined;
}

/** Go writes a time that is not set as the year 1. */
const NEVER = '0001-01-01T00:00:00Z';

/** Reads the JSON of the key `token`, as rclone and syncer write it; `undefined` for any other text. */
export function parseToken(text: string): OAuthToken | undefined {
  const fields = jsonObject<Record<string, unknown>>(text);
  if (fields === undefined) return undefined;
  const told = (name: string) => (typeof fields[name] === 'string' ? fields[name] : '');
  const at = told('expiry') === NEVER ? undefined : parseRfc3339(told('expiry'));
  const accessToken = told('access_token');
  const refreshToken = told('refresh_token') || undefined;
  if (accessToken === '' && refreshToken === undefined) return undefined;
  return {
    accessToken,
    tokenType: told('token_type') || 'Bearer',
    refreshToken,
    expiresMs: at === undefined ? undefined : modTimeToMs(at),
  };
}

/** The JSON on one line, which rclone reads as well. */
export function formatToken(token: OAuthToken): string {
  const { accessToken, tokenType, refreshToken, expiresMs } = token;
  return JSON.stringify({
    access_token: accessToken,
    token_type: tokenType,
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    expiry: expiresMs === undefined ? NEVER : formatRfc3339NanoUtc(modTimeFromMs(expiresMs)),
  });
}

/** How long a login lasts, for people. */
export function loginLength(token: OAuthToken | undefined): string {
  if (token === undefined) return 'there is none';
  const { refreshToken, expiresMs } = token;
  if (refreshToken !== undefined) return 'renewed automatically if used every 90 days';
  return expiresMs === undefined ? 'unknown expiry' : `until ${new Date(expiresMs).toISOString()}`;
}

/** Where a login is kept. Its text is that of `formatToken`. */
export interface TokenPlace {
  /** The text as it is there now; `undefined` where there is none. */
  read(): Promise<string | undefined>;
  /** Replaces the text, and nothing else of what is kept there. */
  write(text: string): Promise<void>;
  /** Runs `work` while no other process does with the same place; also if the place cannot be locked. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Gets an access token for a refresh token, which an answer may replace. Rejects with `sign-in-needed` if a person
 * must log in, `sign-in` for an unknown application, `server` or `throttled` if a retry may help.
 */
export function refreshToken(
  server: LoginServer,
  application: LoginApplication,
  old: string,
  signal: AbortSignal,
): Promise<OAuthToken> {
  const { clientId, clientSecret, tokenUrl } = application;
  const form = {
    grant_type: 'refresh_token',
    refresh_token: old,
    client_id: clientId,
    ...(clientSecret === '' ? {} : { client_secret: clientSecret }),
  };
  return requestToken(server, tokenUrl, form, signal, 'sign-in-needed', old);
}

/** Gets a token for the application itself, without a person. Rejects with `sign-in`, or as `refreshToken`. */
export function applicationToken(
  server: LoginServer,
  application: LoginApplication,
  scopes: readonly string[],
  signal: AbortSignal,
): Promise<OAuthToken> {
  const { clientId, clientSecret, tokenUrl } = application;
  const form = {
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    scope: scopes.join(' '),
  };
  return requestToken(server, tokenUrl, form, signal, 'sign-in');
}

/** `byPerson`: the code where a person must log in. */
async function requestToken(
  server: LoginServer,
  tokenUrl: URL,
  form: Readonly<Record<string, string>>,
  signal: AbortSignal,
  byPerson: ErrorCode,
  old?: string,
): Promise<OAuthToken> {
  const answer = await postForm(server, tokenUrl, form, signal);
  const { status, retryAfterMs } = answer;
  if (status === 200) return tokenIn(answer, server.now(), old);
  const error = textField(answer, 'error');
  const refused = { error, description: textField(answer, 'error_description'), status };
  if (status === 429 || status >= 500 || error === 'temporarily_unavailable') {
    const code = status === 429 ? 'throttled' : 'server';
    throw refusalError({ ...refused, retryAfterMs }, code, '');
  }
  // These ask a person to sign in again; no other try helps.
  const isOfPerson = /^(?:invalid_grant|(?:interaction|login|consent)_required)$/.test(error);
  throw refusalError(refused, isOfPerson ? byPerson : 'sign-in', '');
}

/** The token of a successful answer. Rejects with `bad-answer` where there is none. */
export function tokenIn(answer: LoginAnswer, nowMs: number, oldRefresh?: string): OAuthToken {
  const accessToken = textField(answer, 'access_token');
  if (accessToken === '') {
    throw new SyncerError('bad-answer', 'the login server returned no access token');
  }
  const seconds = Number(answer.fields['expires_in']);
  return {
    accessToken,
    tokenType: textField(answer, 'token_type') || 'Bearer',
    refreshToken: textField(answer, 'refresh_token') || oldRefresh,
    expiresMs: seconds > 0 ? nowMs + seconds * 1000 : undefined,
  };
}
