import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { SyncerError } from '../../core/errors.ts';
import { escapeMarkup } from '../../core/harmless.ts';
import { type OAuthToken, tokenIn } from './oauth-token.ts';
import {
  type LoginChoices,
  type LoginServer,
  type LoginTarget,
  postForm,
  refusalError,
  textField,
} from './post-form.ts';

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

/** A login that waits for the browser. */
interface LoopbackWait {
  /** Of this machine. */
  readonly port: number;
  /** What the answer must carry; a secret of this login. */
  readonly state: string;
  readonly url: URL;
  readonly signal: AbortSignal;
}

/** What the browser brought. */
type Outcome = { readonly code: string } | { readonly error: SyncerError };

/**
 * Waits on loopback addresses only until the browser returns from the login; resolves to its code. Answers with
 * another state are refused. `onReady` gets a short link to the login.
 */
async function loopbackAnswer(
  { port, state, url, signal }: LoopbackWait,
  onReady: (link: string) => void,
): Promise<string> {
  const { createServer } = await import('node:http');
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
  const take = (request: IncomingMessage, response: ServerResponse) => {
    const asked = new URL(request.url ?? '/', 'http://localhost');
    if (asked.pathname === '/auth' && asked.searchParams.get('state') === state) {
      response.writeHead(307, { location: url.href, connection: 'close' }).end();
      return;
    }
    const outcome = asked.pathname === '/' ? readAnswer(asked.searchParams) : undefined;
    if (outcome === undefined) {
      response.writeHead(404, { connection: 'close' }).end();
      return;
    }
    // Any page and any user of the machine can come here: only who knows the state ends the login.
    const isOurs = asked.searchParams.get('state') === state;
    const isLogin = isOurs && 'code' in outcome;
    response.writeHead(isLogin ? 200 : 400, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'",
      'cache-control': 'no-store',
      connection: 'close',
    });
    response.end(page(isOurs ? textOf(outcome) : FOREIGN), () => isOurs && resolve(outcome));
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
    const outcome = await promise;
    if ('error' in outcome) throw outcome.error;
    return outcome.code;
  } finally {
    signal.removeEventListener('abort', onAbort);
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  }
}

const FOREIGN = 'This response belongs to another login (wrong state) and was ignored.';

/** `undefined` where it is no answer at all. */
function readAnswer(query: URLSearchParams): Outcome | undefined {
  const [code, refusal] = [query.get('code') ?? '', query.get('error') ?? ''];
  if (code === '' && refusal === '') return undefined;
  if (refusal === '') return { code };
  const description = query.get('error_description') ?? '';
  return { error: refusalError({ error: refusal, description, status: 0 }) };
}

function textOf(outcome: Outcome): string {
  return 'code' in outcome
    ? 'Success! You can close this page and return to syncer.'
    : `The login failed: ${outcome.error.message}. Return to syncer.`;
}

function page(text: string): string {
  return `<!doctype html><meta charset="utf-8"><title>syncer</title><p>${escapeMarkup(text)}</p>\n`;
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
