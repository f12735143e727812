import type { Command, Invocation } from '../src/app/command.ts';
import { formatRemoteSpec } from '../src/config/remote-spec.ts';
import { SyncerError } from '../src/core/errors.ts';

/** `syncer authorize kind client_id client_secret` */
export const authorizeCommand: Command = { run };

async function run({ args, out, reconnect }: Invocation): Promise<void> {
  const [kind = '', clientId, clientSecret] = args;
  const overrides = new Map<string, string>();
  if (clientId !== undefined) overrides.set('client_id', clientId);
  if (clientSecret !== undefined) overrides.set('client_secret', clientSecret);
  const login = await reconnect(formatRemoteSpec({ name: `:${kind}`, overrides, path: '' }));
  const token = login?.values['token'];
  if (token === undefined) {
    throw new SyncerError('unsupported', `storage of the kind "${kind}" needs no login`);
  }
  // The marks are rclone's: its users know what to do with what stands between them.
  const lines = ['Paste the following into your remote machine --->', token, '<---End paste'];
  await out.write(`${lines.join('\n')}\n`);
}
