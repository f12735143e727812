import type { Remote } from '../../core/remote.ts';
import type { OpenParams } from '../backend.ts';
import { DriveRemote } from './drive-remote.ts';
import { openClient } from './open-client.ts';
import { DriveStore } from './store.ts';

export { reconnect } from './reconnect.ts';
export { setUp } from './set-up/set-up.ts';

/** Opens a folder of a drive. Throws `config`; makes no request. */
export async function open(params: OpenParams): Promise<Remote> {
  const { client, keeper, settings } = openClient(params);
  const root = params.root.replace(/^\/+|\/+$/g, '');
  return new DriveRemote(new DriveStore(client, settings, root), keeper);
}
