import type { LoginChoices, LoginServer, LoginTarget } from './login-server.ts';
import { loopbackAnswer } from './loopback-answer.ts';
import type { OAuthToken } from './oauth-token.ts';
import { postForm, textField } from './post-form.ts';
import { tokenIn } from './refresh-token.ts';
import { refusalError } from './refusal-error.ts';

/**
 * Logs in with the local browser (authorization code with PKCE, RFC 7636). Rejects with `sign-in` if it is declined
 * or refused.
 */
export async function browserLogin(
  server: LoginServer,
  target: LoginTarget,
  choices: LoginChoices,
  signal: AbortSignal,
): Promise<OAuthToken> {
  // Heavy, and needed by nothing else.
  const { CryptoProvider } = await import('@azure/msal-node');
  const provider = new CryptoProvider();
  const { verifier, challenge } = await provider.generatePkceCodes();
  const state = provider.createNewGuid();
  const redirectUri = `http://localhost:${choices.port}/`;
  const url = new URL(target.authUrl);
  const query = {
    client_id: target.clientId,
    response_type: 'code',
    response_mode: 'query',
    redirect_uri: redirectUri,
    scope: target.scopes.join(' '),
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const code = await loopbackAnswer({ port: choices.port, state, url, signal }, (link) => {
    choices.openBrowser?.(link);
    choices.emit({ type: 'log', level: 'notice', code: 'login-browser', fields: { link } });
  });
  choices.emit({ type: 'log', level: 'notice', code: 'login-code' });
  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    client_id: target.clientId,
    code_verifier: verifier,
    scope: target.scopes.join(' '),
    ...(target.clientSecret === '' ? {} : { client_secret: target.clientSecret }),
  };
  const answer = await postForm(server, target.tokenUrl, form, signal);
  if (answer.status === 200) return tokenIn(answer, server.now());
  const error = textField(answer, 'error');
  const description = textField(answer, 'error_description');
  throw refusalError({ error, description, status: answer.status });
}
