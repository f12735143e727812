import type { Clock } from '../../core/context.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import { type OAuthToken, tokenIn } from './oauth-token.ts';
import {
  type LoginAnswer,
  type LoginChoices,
  type LoginServer,
  type LoginTarget,
  postForm,
  refusalError,
  textField,
} from './post-form.ts';

/** Logs in on another device by a code (RFC 8628), and asks until the user has typed it. Rejects with `sign-in` if it is declined, refused or expires. */
export async function deviceLogin(
  server: LoginServer,
  target: LoginTarget,
  choices: Pick<LoginChoices, 'emit'>,
  clock: Clock,
  signal: AbortSignal,
): Promise<OAuthToken> {
  const deviceUrl = new URL(target.tokenUrl);
  deviceUrl.pathname = deviceUrl.pathname.replace(/[^/]*$/, 'devicecode');
  const asked = { client_id: target.clientId, scope: target.scopes.join(' ') };
  const begun = await postForm(server, deviceUrl, asked, signal);
  const deviceCode = textField(begun, 'device_code');
  const link = textField(begun, 'verification_uri');
  if (begun.status !== 200 || deviceCode === '' || link === '') throw refusal(begun);
  const { renderUnicodeCompact } = await import('uqr');
  const userCode = textField(begun, 'user_code');
  const fields = { link, userCode, picture: renderUnicodeCompact(link) };
  choices.emit({ type: 'log', level: 'notice', code: 'login-device', fields });
  const endMs = server.now() + (Number(begun.fields['expires_in']) || 900) * 1000;
  let seconds = Number(begun.fields['interval']) || 5;
  const form = {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: deviceCode,
    client_id: target.clientId,
    ...(target.clientSecret === '' ? {} : { client_secret: target.clientSecret }),
  };
  for (;;) {
    await clock.sleep(seconds * 1000, signal);
    // Without an answer, the next time may be otherwise.
    const answer = await postForm(server, target.tokenUrl, form, signal).catch((thrown) => {
      signal.throwIfAborted();
      const error = toSyncerError(thrown);
      if (!error.retry) throw error;
    });
    if (answer?.status === 200) return tokenIn(answer, server.now());
    const error = answer === undefined ? '' : textField(answer, 'error');
    // RFC 8628, 3.5.
    if (error === 'slow_down') seconds += 5;
    const goesOn = error === 'slow_down' || error === 'authorization_pending';
    const passes = answer === undefined || answer.status >= 500 || answer.status === 429;
    if (!goesOn && !passes) throw refusal(answer);
    if (server.now() > endMs) throw expired();
  }
}

function refusal(answer: LoginAnswer): SyncerError {
  const error = textField(answer, 'error');
  if (error === 'expired_token') return expired();
  const description = textField(answer, 'error_description');
  return refusalError({ error, description, status: answer.status });
}

function expired(): SyncerError {
  return new SyncerError('sign-in', 'cannot log in: the code expired; log in again');
}
