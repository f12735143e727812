import { type ErrorCode, SyncerError } from '../../core/errors.ts';
import type { LoginAnswer, LoginApplication, LoginServer } from './login-server.ts';
import type { OAuthToken } from './oauth-token.ts';
import { postForm, textField } from './post-form.ts';
import { refusalError } from './refusal-error.ts';

/** These ask a person to sign in again; no other try helps. */
const SIGN_IN_AGAIN = new Set([
  'invalid_grant',
  'interaction_required',
  'login_required',
  'consent_required',
]);

/**
 * Gets an access token for a refresh token, which an answer may replace. Rejects with `sign-in-needed` if a person
 * must log in, `sign-in` for an unknown application, `server` or `throttled` if a retry may help.
 */
export async function refreshToken(
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
  const answer = await postForm(server, tokenUrl, form, signal);
  if (answer.status !== 200) throw refusal(answer);
  return tokenIn(answer, server.now(), old);
}

/**
 * Gets an access token for the application itself, without a person. Rejects with `sign-in` if it is unknown or lacks
 * permissions, otherwise as `refreshToken` does.
 */
export async function applicationToken(
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
  const answer = await postForm(server, tokenUrl, form, signal);
  if (answer.status !== 200) throw refusal(answer, 'sign-in');
  return tokenIn(answer, server.now());
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

function refusal(answer: LoginAnswer, byPerson: ErrorCode = 'sign-in-needed'): SyncerError {
  const { status, retryAfterMs } = answer;
  const error = textField(answer, 'error');
  const refused = { error, description: textField(answer, 'error_description'), status };
  const passes = status === 429 || status >= 500 || error === 'temporarily_unavailable';
  if (passes) {
    return refusalError({ ...refused, retryAfterMs }, status === 429 ? 'throttled' : 'server', '');
  }
  return refusalError(refused, SIGN_IN_AGAIN.has(error) ? byPerson : 'sign-in', '');
}
