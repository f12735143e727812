import { type BigIntStats, lstatSync, rmSync } from 'node:fs';
import { lstat, rm, stat } from 'node:fs/promises';
import { connect, type Server } from 'node:net';
import { dirname } from 'node:path';

/**
 * Deletes a Unix socket that a killed server left. Rejects with the code `EADDRINUSE` if it is in use, `ENOTSOCK` if
 * something else has that name, and that of the system if there is no such directory, which `listen` does not say.
 */
export async function freeSocketPath(path: string): Promise<void> {
  const found = await lstat(path, { bigint: true }).catch(() => undefined);
  if (found === undefined) {
    await stat(dirname(path));
    return;
  }
  if (!found.isSocket()) {
    throw Object.assign(new Error(`${path} exists and is not a socket`), { code: 'ENOTSOCK' });
  }
  const isListenedAt = await new Promise<boolean>((resolve) => {
    const socket = connect(path);
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', (thrown: NodeJS.ErrnoException) => resolve(thrown.code !== 'ECONNREFUSED'));
  });
  if (isListenedAt) {
    throw Object.assign(new Error(`${path} is in use`), { code: 'EADDRINUSE' });
  }
  // Another server may have replaced it.
  if (fileAt(path) === idOf(found)) await rm(path, { force: true });
}

/**
 * Closes a server that listens at a path, and deletes its socket, but not one that another server has put there: Node
 * would, so the server then stays open without clients until the process exits. Throws if the socket stays.
 */
export type CloseSocket = (closed?: () => void) => void;

/** To be called as soon as the server listens at `path`. */
export function socketCloser(server: Pick<Server, 'close' | 'unref'>, path: string): CloseSocket {
  const own = fileAt(path);
  return (closed = () => {}) => {
    const found = fileAt(path);
    if (found !== undefined && found !== own) {
      server.unref();
      closed();
      return;
    }
    server.close(closed);
    if (found !== undefined && fileAt(path) === own) rmSync(path);
  };
}

function fileAt(path: string): string | undefined {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found && idOf(found);
}

/** Identifies a file: a new one often gets the inode of the one that was deleted just before. */
function idOf({ dev, ino, birthtimeNs }: BigIntStats): string {
  return `${dev},${ino},${birthtimeNs}`;
}
