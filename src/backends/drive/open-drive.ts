import { SyncerError } from '../../core/errors.ts';
import type { Remote } from '../../core/remote.ts';
import { formatToken, loginLength } from '../auth/oauth-token.ts';
import type { LoginChoices } from '../auth/post-form.ts';
import type { OpenParams } from '../backend.ts';
import { HttpClient } from '../http/http-client.ts';
import { driveRemote } from './drive-remote.ts';
import { DriveStore } from './drive-store.ts';
import { openClient } from './open-client.ts';
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
  const { clock, signal } = context;
  try {
    const token = login.byApplication
      ? await (await import('../auth/oauth-token.ts')).applicationToken(
          server,
          login,
          login.scopes,
          signal,
        )
      : choices.byDevice
        ? await (await import('../auth/device-login.ts')).deviceLogin(
            server,
            login,
            choices,
            clock,
            signal,
          )
        : await (await import('../auth/browser-login.ts')).browserLogin(
            server,
            login,
            choices,
            signal,
          );
    const fields = { length: loginLength(token) };
    choices.emit({ type: 'log', level: 'notice', code: 'login-done', fields });
    return { token: formatToken(token) };
  } finally {
    http.close();
  }
}
