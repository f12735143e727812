import { createServer, type Server, type Socket } from 'node:net';
import type { Activity } from '../http/activity.ts';
import {
  type ConnectionLimits,
  type RequestHandler,
  serveConnection,
} from '../http/serve-connection.ts';

/** Takes over a connection that was accepted. */
export type TakeConnection = (socket: Socket) => void;

/** Where to listen: at an address, empty for every one; at the path of a Unix socket; on a socket that is open. */
export type ListenChoice = {
  readonly maxConnections: number;
  /** Counts connections of several listening sockets together. */
  readonly activity?: Activity;
} & (
  | { readonly ip: string; readonly port: number }
  | { readonly path: string }
  | { readonly fd: number }
);

/** A client that has sent all it wants to send still gets its answer. */
const HALF_OPEN = { pauseOnConnect: true, allowHalfOpen: true };

/** Opens a port; what connects before `ready` has resolved waits. Rejects with the error of the system. */
export async function listen(
  choice: ListenChoice,
  ready: Promise<TakeConnection>,
): Promise<Server> {
  const { maxConnections, activity } = choice;
  const server = createServer(HALF_OPEN, (socket) => {
    socket.on('error', () => {});
    if (activity !== undefined) {
      if (activity.open >= maxConnections) {
        socket.destroy();
        return;
      }
      activity.opened();
      socket.once('close', () => activity.closed());
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

/** How connections are served with HTTP. */
export function plainConnections(handle: RequestHandler, limits: ConnectionLimits): TakeConnection {
  return (socket) => void serveConnection(socket, handle, limits);
}
