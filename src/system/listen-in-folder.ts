import { once } from 'node:events';
import { rm, stat } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { makeFolder } from './make-folder.ts';

/** A socket that listens. It does not keep the process alive. */
interface ListeningSocket {
  readonly path: string;
  readonly connections: ReadonlySet<Socket>;
  /** Takes no more connections and deletes the socket. */
  close(): Promise<void>;
}

/**
 * Listens at `name` in the first of these directories that can be used, which it creates for this user only. Rejects
 * with the last error of the system if there is none.
 *
 * @param isPrivate no other user may enter the directory
 */
export async function listenInFolder(
  folders: readonly string[],
  name: string,
  serve: (socket: Socket) => void,
  isPrivate = false,
): Promise<ListeningSocket> {
  const connections = new Set<Socket>();
  const server = createServer((socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket)).on('error', () => {});
    serve(socket);
  });
  let failure = new Error('the path of the socket would be too long');
  for (const folder of folders) {
    const path = join(folder, name);
    // The longest path of a unix socket.
    if (Buffer.byteLength(path) > 107) continue;
    try {
      await makeFolder(folder, 0o700);
      if (isPrivate) {
        const { uid, mode } = await stat(folder);
        if (uid !== (process.geteuid?.() ?? uid) || (mode & 0o077) !== 0) continue;
      }
      await once(server.listen(path), 'listening');
      server.unref();
      const close = async () => {
        server.close();
        await rm(path, { force: true });
      };
      return { path, connections, close };
    } catch (thrown) {
      failure = thrown as Error;
    }
  }
  throw failure;
}
