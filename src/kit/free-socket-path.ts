import { lstat, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname } from 'node:path';

/**
 * Deletes a Unix socket that a killed server left. Rejects with the code `EADDRINUSE` if it is in use, `ENOTSOCK` if
 * something else has that name, and that of the system if there is no such directory, which `listen` does not say.
 */
export async function freeSocketPath(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) {
    await stat(dirname(path));
    return;
  }
  if (!found.isSocket()) {
    throw Object.assign(new Error(`${path} exists and is not a socket`), { code: 'ENOTSOCK' });
  }
  if (await isListenedAt(path)) {
    throw Object.assign(new Error(`${path} is in use`), { code: 'EADDRINUSE' });
  }
  await rm(path, { force: true });
}

function isListenedAt(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', (thrown: NodeJS.ErrnoException) => resolve(thrown.code !== 'ECONNREFUSED'));
  });
}
