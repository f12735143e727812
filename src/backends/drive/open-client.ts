import { SyncerError } from '../../core/errors.ts';
import { applicationToken, refreshToken } from '../auth/oauth-token.ts';
import { TokenKeeper } from '../auth/token-keeper.ts';
import type { OpenParams } from '../backend.ts';
import { HttpClient } from '../http/http-client.ts';
import { GraphClient } from './client/graph-client.ts';
import { Limiter } from './client/limiter.ts';
import { readSettings } from './settings.ts';

/** A client of the Graph API with the login of the options, and its settings. Throws `config`; makes no request. */
export function openClient({ name, options, context, transport, tokenPlace, shared }: OpenParams) {
  const settings = readSettings(name, options);
  const { graphUrl, isChina, login, remote } = settings;
  const { clientId, clientSecret, tokenUrl, token, scopes } = login;
  const application = { clientId, clientSecret, tokenUrl };
  const http = new HttpClient(transport, context.clock);
  const server = { http, userAgent: transport.userAgent, now: context.clock.now };
  const keeper = new TokenKeeper({
    text: token,
    place: tokenPlace,
    renew: async (old, signal) => {
      if (clientId === '') {
        const text = 'the login has expired and cannot be renewed without its client_id';
        throw new SyncerError('sign-in-needed', text);
      }
      return refreshToken(server, application, old, signal);
    },
    mint: login.byApplication
      ? (signal) => applicationToken(server, application, scopes, signal)
      : undefined,
    remote,
    tries: Math.max(1, transport.lowLevelRetries),
    context,
  });
  const account = JSON.stringify(['drive', graphUrl.host, clientId, name]);
  const makeLimiter = () => new Limiter(name, context);
  const limiter = shared?.(account, makeLimiter) ?? makeLimiter();
  const client = new GraphClient({ http, keeper, limiter, graphUrl, isChina, transport, context });
  return { client, keeper, settings };
}
