import { existsSync } from 'node:fs';
import { SyncerError } from '../../core/errors.ts';
import { ControlClient } from '../../webhook/control/control-client.ts';
import { controlPaths } from '../../webhook/control/control-socket.ts';

/**
 * Connects to the hook server with the control socket `path`, or at the default paths. Rejects with `SyncerError` if
 * there is none.
 */
export async function openControl(
  path: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<ControlClient> {
  if (path !== undefined) return await ControlClient.open(path);
  const places = controlPaths(env);
  const found = places.find((place) => existsSync(place));
  if (found !== undefined) return await ControlClient.open(found);
  throw new SyncerError(
    'no-answer',
    `no hook server found at ${places.join(' or ')}; start one with webhook -control auto, or give its socket with --control`,
  );
}
