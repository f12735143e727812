import { lstat, rm } from 'node:fs/promises';
import { connect } from 'node:net';

/**
 * Deletes a Unix socket that a killed server left. Rejects with the code `EADDRINUSE` if it is in use, or if something
 * else has that name.
 */
export async function freeSocketPath(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isSocket() || (await isListenedAt(path))) {
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
