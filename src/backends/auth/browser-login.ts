import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { SyncerError } from '../../core/errors.ts';
import { escapeMarkup } from '../../core/shown-text.ts';
import { type OAuthToken, tokenIn } from './oauth-token.ts';
import {
  type LoginChoices,
  type LoginServer,
  type LoginTarget,
  postForm,
  refusalError,
  textField,
} from './post-form.ts';

/** Logs in with the local browser (code with PKCE, RFC 7636). Rejects with `sign-in` if it is declined or refused. */
export async function browserLogin(
  server: LoginServer,
  target: LoginTarget,
  choices: LoginChoices,
  signal: AbortSignal,
): Promise<OAuthToken> {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const state = randomUUID();
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
  const code = await loopbackAnswer(choices.port, state, url, signal, (link) => {
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

/** Waits on loopback addresses until the browser returns; resolves to its code. `onReady` gets a short link. */
async function loopbackAnswer(
  port: number,
  state: string,
  url: URL,
  signal: AbortSignal,
  onReady: (link: string) => void,
): Promise<string> {
  const { createServer } = await import('node:http');
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const take = (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://localhost');
    // Any page and any user of the machine can come here: only who knows the state ends the login.
    const isOurs = query.get('state') === state;
    if (pathname === '/auth' && isOurs) {
      response.writeHead(307, { location: url.href, connection: 'close' }).end();
      return;
    }
    const [code, error] = [query.get('code') ?? '', query.get('error') ?? ''];
    if (pathname !== '/' || (code === '' && error === '')) {
      response.writeHead(404, { connection: 'close' }).end();
      return;
    }
    const description = query.get('error_description') ?? '';
    const refused = error === '' ? undefined : refusalError({ error, description, status: 0 });
    let text = 'Success! You can close this page and return to syncer.';
    if (refused !== undefined) text = `The login failed: ${refused.message}. Return to syncer.`;
    if (!isOurs) text = 'This response belongs to another login (wrong state) and was ignored.';
    response.writeHead(isOurs && refused === undefined ? 200 : 400, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'",
      'cache-control': 'no-store',
      connection: 'close',
    });
    const head = '<!doctype html><meta charset="utf-8"><title>syncer</title>';
    response.end(`${head}<p>${escapeMarkup(text)}</p>\n`, () => {
      if (!isOurs) return;
      if (refused === undefined) resolve(code);
      else reject(refused);
    });
  };
  const onAbort = () => reject(signal.reason);
  signal.throwIfAborted();
  const servers: Server[] = [await listen(createServer(take), port, '127.0.0.1')];
  // Browsers may take "localhost" for the address of IPv6 first, which a machine need not have.
  const second = await listen(createServer(take), port, '::1').catch(() => undefined);
  if (second !== undefined) servers.push(second);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    onReady(`http://127.0.0.1:${port}/auth?state=${encodeURIComponent(state)}`);
    return await promise;
  } finally {
    signal.removeEventListener('abort', onAbort);
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  }
}

function listen(server: Server, port: number, host: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'EADDRINUSE'
          ? `port ${port}, which the browser login needs, is in use; stop that program or choose another port with --auth-port`
          : `cannot listen on port ${port}: ${error.message}`;
      reject(new SyncerError('config', `cannot log in: ${why}`, { cause: error }));
    });
    server.listen(port, host, () => resolve(server));
  });
}
