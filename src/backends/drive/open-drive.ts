import { SyncerError } from '../../core/errors.ts';
import type { Remote } from '../../core/remote.ts';
import {
  applicationToken,
  formatToken,
  loginLength,
  type OAuthToken,
} from '../auth/oauth-token.ts';
import type { LoginChoices } from '../auth/post-form.ts';
import type { OpenParams } from '../backend.ts';
import { HttpClient } from '../http/http-client.ts';
import { openClient } from './client/graph-client.ts';
import { driveRemote } from './drive-remote.ts';
import { DriveStore } from './drive-store.ts';
import { readSettings } from './settings.ts';

export { setUp } from './set-up/set-up.ts';

/** Opens a folder of a drive. Throws `config`; makes no request. */
export async function open(params: OpenParams): Promise<Remote> {
  const { client, keeper, settings } = openClient(params);
  const root = params.root.replace(/^\/+|\/+$/g, '');
  return driveRemote(new DriveStore(client, settings, root, params), keeper);
}

/** Logs in, by the browser of this machine or on another device; returns the login to store. */
export async function reconnect(
  { name, options, context, transport }: OpenParams,
  choices: LoginChoices,
): Promise<Readonly<Record<string, string>>> {
  const { login } = readSettings(name, options);
  if (login.clientId === '') {
    const how = `register an application with the redirect address http://localhost:${choices.port}/ and set its ID`;
    const text = `option client_id is missing: ${how}; see "syncer help backend onedrive"`;
    throw new SyncerError('config', text);
  }
  const { clock, signal } = context;
  const http = new HttpClient(transport, clock);
  const server = { http, userAgent: transport.userAgent, now: clock.now };
  try {
    let token: OAuthToken;
    if (login.byApplication) {
      token = await applicationToken(server, login, login.scopes, signal);
    } else if (choices.byDevice) {
      const { deviceLogin } = await import('../auth/device-login.ts');
      token = await deviceLogin(server, login, choices, clock, signal);
    } else {
      const { browserLogin } = await import('../auth/browser-login.ts');
      token = await browserLogin(server, login, choices, signal);
    }
    const fields = { length: loginLength(token) };
    choices.emit({ type: 'log', level: 'notice', code: 'login-done', fields });
    return { token: formatToken(token) };
  } finally {
    http.close();
  }
}
