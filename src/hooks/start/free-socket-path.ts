import { lstat, rm } from 'node:fs/promises';
import { connect } from 'node:net';

/**
 * Takes away a Unix socket that nobody listens at any more, as a server leaves it that was killed. Rejects with an
 * error of the code `EADDRINUSE` where somebody does, or where something else has that name.
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
