import { SyncerError } from '../../core/errors.ts';
import { applicationToken, refreshToken } from '../auth/oauth-token.ts';
import { TokenKeeper } from '../auth/token-keeper.ts';
import type { OpenParams } from '../backend.ts';
import { HttpClient } from '../http/http-client.ts';
import { GraphClient } from './client/graph-client.ts';
import { Limiter } from './client/limiter.ts';
import { type DriveSettings, readSettings } from './settings.ts';

/** A client of the Graph API, and its settings. */
export type OpenedClient = Readonly<ReturnType<typeof openClient>>;

/** A client with the login of the options. Throws `config`; makes no request. */
export function openClient(params: OpenParams) {
  const { name, options, context, transport } = params;
  const settings = readSettings(name, options);
  const http = new HttpClient(params.transport, params.context.clock);
  const keeper = keeperOf(params, settings, http);
  const account = JSON.stringify(['drive', settings.graphUrl.host, settings.login.clientId, name]);
  const makeLimiter = () => new Limiter(name, context);
  const limiter = params.shared?.(account, makeLimiter) ?? makeLimiter();
  const { graphUrl, isChina } = settings;
  const client = new GraphClient({ http, keeper, limiter, graphUrl, isChina, transport, context });
  return { client, keeper, settings };
}

function keeperOf(params: OpenParams, settings: DriveSettings, http: HttpClient): TokenKeeper {
  const { context, transport, tokenPlace } = params;
  const { clientId, clientSecret, tokenUrl, token, scopes, byApplication } = settings.login;
  const application = { clientId, clientSecret, tokenUrl };
  const server = { http, userAgent: transport.userAgent, now: context.clock.now };
  return new TokenKeeper({
    text: token,
    place: tokenPlace,
    renew: async (old, signal) => {
      if (clientId === '') {
        const text = 'the login has expired and cannot be renewed without its client_id';
        throw new SyncerError('sign-in-needed', text);
      }
      return refreshToken(server, application, old, signal);
    },
    mint: byApplication
      ? (signal) => applicationToken(server, application, scopes, signal)
      : undefined,
    remote: settings.remote,
    tries: Math.max(1, transport.lowLevelRetries),
    context,
  });
}
