import { chmod } from 'node:fs/promises';
import { dirname } from 'node:path';
import { umask } from 'node:process';
import { makeFolder } from '../../files/make-folder.ts';
import type { ControlServices } from '../control/answer-control.ts';
import { serveControl, serverControlPath } from '../control/serve-control.ts';
import { listenAtPath } from './open-listeners.ts';

const MAX_PEERS = 64;

/** The path of a control socket that was asked for by its path or `auto`; `undefined` if there is none. */
export function controlPath(
  wanted: string,
  { env, getuid }: Pick<NodeJS.Process, 'env' | 'getuid'>,
): string | undefined {
  if (wanted === 'auto') return serverControlPath(env, getuid?.() ?? -1);
  return wanted === '' ? undefined : wanted;
}

/**
 * Opens the control socket, which only the user of the server may use. Rejects with an error for the log.
 *
 * @param wanted its path, or `auto`
 * @returns takes it away
 */
export async function openControl(
  wanted: string,
  process: Pick<NodeJS.Process, 'env' | 'getuid'>,
  services: Promise<ControlServices>,
): Promise<() => void> {
  const path = controlPath(wanted, process);
  if (path === undefined) {
    throw new Error(
      'error opening the control socket: neither RUNTIME_DIRECTORY nor XDG_RUNTIME_DIR is set; give its path',
    );
  }
  // No other user may connect before the mode of the socket is set.
  const before = umask(0o177);
  try {
    const take = services.then((found) => (socket: Parameters<typeof serveControl>[0]) => {
      serveControl(socket, found);
    });
    if (wanted === 'auto') await makeOwnFolder(dirname(path));
    const { close } = await listenAtPath({ path, maxConnections: MAX_PEERS }, take);
    await chmod(path, 0o600);
    return () => closeQuietly(close);
  } catch (thrown) {
    const why = (thrown as Error).message;
    throw new Error(`error opening the control socket: ${why}`, { cause: thrown });
  } finally {
    umask(before);
  }
}

function closeQuietly(close: () => void): void {
  try {
    close();
  } catch {
    // What stays is replaced by the next server.
  }
}

async function makeOwnFolder(folder: string): Promise<void> {
  const before = umask(0o077);
  try {
    await makeFolder(folder, 0o700);
  } finally {
    umask(before);
  }
}
