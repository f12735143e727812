import { createServer, type Server } from 'node:net';
import type { Activity } from '../http/connection.ts';
import type { TakeConnection } from '../http/serve-http.ts';

/** Where to listen: an address, empty for all; the path of a Unix socket; an open socket. */
export type ListenChoice = {
  readonly maxConnections: number;
  /** Counts connections of several listening sockets together. */
  readonly activity?: Activity;
} & (
  | { readonly ip: string; readonly port: number }
  | { readonly path: string }
  | { readonly fd: number }
);

/** A client that has closed its side still gets its answer; a dead one is noticed. */
const SOCKETS = { pauseOnConnect: true, allowHalfOpen: true, noDelay: true, keepAlive: true };

/** Opens a port; connections wait until `ready` resolves. Rejects with the error of the system. */
export async function listen(
  choice: ListenChoice,
  ready: Promise<TakeConnection>,
): Promise<Server> {
  const { maxConnections, activity } = choice;
  const server = createServer(SOCKETS, (socket) => {
    socket.on('error', () => {});
    if (activity !== undefined) {
      if (activity.open >= maxConnections) {
        socket.destroy();
        return;
      }
      activity.open++;
      socket.once('close', () => void activity.open--);
    }
    void ready.then((take) => take(socket));
  });
  if (activity === undefined) server.maxConnections = maxConnections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ ...placeOf(choice), backlog: 4096 }, resolve);
  });
  return server;
}

function placeOf(choice: ListenChoice) {
  if ('path' in choice) return { path: choice.path };
  if ('fd' in choice) return { fd: choice.fd };
  return { port: choice.port, ...(choice.ip && { host: choice.ip }) };
}
