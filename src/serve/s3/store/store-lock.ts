import { statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { SyncerError } from '../../../core/errors.ts';

/**
 * Makes sure that only one server writes to a folder: an abstract socket of Linux named after the folder,
 * which the kernel takes away with the process, however it ends. Resolves to what frees the folder.
 */
export async function lockFolder(root: string): Promise<() => Promise<void>> {
  const { dev, ino } = statSync(root);
  const server = createServer((socket) => socket.destroy());
  try {
    await listen(server, `\0syncer-serve-s3-${dev}-${ino}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new SyncerError(
      'locked',
      `cannot serve ${root}: another server already serves this folder; stop it, or use --read-only`,
      { path: root, cause: error },
    );
  }
  server.unref();
  return () => new Promise((resolve) => server.close(() => resolve()));
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
