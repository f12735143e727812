import type { Context } from '../../core/context.ts';
import { SyncerError } from '../../core/errors.ts';
import type { Remote } from '../../core/remote.ts';
import {
  applicationToken,
  formatToken,
  loginLength,
  type OAuthToken,
} from '../auth/oauth-token.ts';
import type { LoginChoices, LoginServer } from '../auth/post-form.ts';
import type { OpenParams } from '../backend.ts';
import { HttpClient } from '../http/http-client.ts';
import { driveRemote } from './drive-remote.ts';
import { DriveStore } from './drive-store.ts';
import { openClient } from './open-client.ts';
import { type DriveSettings, readSettings } from './settings.ts';

export { setUp } from './set-up/set-up.ts';

/** Opens a folder of a drive. Throws `config`; makes no request. */
export async function open(params: OpenParams): Promise<Remote> {
  const { client, keeper, settings } = openClient(params);
  const root = params.root.replace(/^\/+|\/+$/g, '');
  return driveRemote(new DriveStore(client, settings, root, params), keeper);
}

/** Logs in, by the browser of this machine or on another device; returns the login to store. */
export async function reconnect(
  params: OpenParams,
  choices: LoginChoices,
): Promise<Readonly<Record<string, string>>> {
  const { name, options, context, transport } = params;
  const { login } = readSettings(name, options);
  if (login.clientId === '') {
    const how = 'register an application with the redirect address';
    const text = `option client_id is missing: ${how} http://localhost:${choices.port}/ and set its ID; see https://learn.microsoft.com/entra/identity-platform/quickstart-register-app`;
    throw new SyncerError('config', text);
  }
  const http = new HttpClient(params.transport, params.context.clock);
  const server = { http, userAgent: transport.userAgent, now: context.clock.now };
  try {
    const token = await logIn(server, login, choices, context);
    const fields = { length: loginLength(token) };
    choices.emit({ type: 'log', level: 'notice', code: 'login-done', fields });
    return { token: formatToken(token) };
  } finally {
    http.close();
  }
}

async function logIn(
  server: LoginServer,
  login: DriveSettings['login'],
  choices: LoginChoices,
  { clock, signal }: Context,
): Promise<OAuthToken> {
  if (login.byApplication) return applicationToken(server, login, login.scopes, signal);
  if (choices.byDevice) {
    const { deviceLogin } = await import('../auth/device-login.ts');
    return deviceLogin(server, login, choices, clock, signal);
  }
  const { browserLogin } = await import('../auth/browser-login.ts');
  return browserLogin(server, login, choices, signal);
}
