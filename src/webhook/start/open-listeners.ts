import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { goErrno } from '../../go/go-errno.ts';
import { type CloseSocket, freeSocketPath, socketCloser } from '../../system/free-socket-path.ts';
import { systemdSockets } from '../../system/systemd-sockets.ts';
import type { FlagValues } from '../command-line/flag-table.ts';
import type { Activity } from '../http/connection.ts';
import type { TakeConnection } from '../http/serve-http.ts';

/** Where the server listens. */
export interface Listeners {
  readonly servers: readonly Server[];
  /** As the log names it. */
  readonly shown: string;
  /** Stops listening; what is being served goes on. Gives a line for the log where something is left. */
  close(): string | undefined;
}

/** Opens what systemd or the command line says. Rejects with an error for the log. */
export async function openListeners(
  flags: FlagValues,
  process: Pick<NodeJS.Process, 'env' | 'pid'>,
  ready: Promise<TakeConnection>,
  activity: Activity,
): Promise<Listeners> {
  const limits = { maxConnections: flags['max-connections'], activity };
  const descriptors = systemdSockets(process.env, process.pid);
  if (descriptors.length > 0) {
    const choices = descriptors.map((fd) => listen({ fd, ...limits }, ready));
    const servers = await Promise.all(choices).catch((thrown: Error) => {
      throw new Error(`failed to use the sockets from systemd: ${thrown.message}`, {
        cause: thrown,
      });
    });
    return listeners(servers, servers.map(shownAddress).join(', '));
  }
  if (flags.socket !== '') {
    const path = flags.socket;
    const { server, close } = await listenAtPath({ path, ...limits }, ready).catch(
      (thrown: Error) => {
        throw new Error(`error listening on socket: ${thrown.message}`, { cause: thrown });
      },
    );
    return { servers: [server], shown: `{unix:${path}}`, close: () => closeAtPath(path, close) };
  }
  const server = await listenOnPort(flags, limits, ready);
  return listeners([server], `${flags.ip}:${portOf(server) ?? flags.port}`);
}

/** Opens a Unix socket; one that a server left behind is replaced. Rejects with an error in Go's words. */
export async function listenAtPath(
  choice: ListenChoice & { readonly path: string },
  ready: Promise<TakeConnection>,
): Promise<{ readonly server: Server; readonly close: CloseSocket }> {
  try {
    await freeSocketPath(choice.path);
    const server = await listen(choice, ready);
    return { server, close: socketCloser(server, choice.path) };
  } catch (thrown) {
    throw new Error(`listen unix ${choice.path}: ${bindFailure(thrown)}`, { cause: thrown });
  }
}

function listeners(servers: readonly Server[], shown: string): Listeners {
  const close = () => {
    for (const server of servers) server.close();
    return undefined;
  };
  return { servers, shown, close };
}

function closeAtPath(path: string, close: CloseSocket): string | undefined {
  try {
    close();
    return undefined;
  } catch (thrown) {
    return `Failed to remove socket file ${path}: ${(thrown as Error).message}`;
  }
}

async function listenOnPort(
  flags: FlagValues,
  limits: Pick<ListenChoice, 'maxConnections' | 'activity'>,
  ready: Promise<TakeConnection>,
): Promise<Server> {
  const { ip, port } = flags;
  try {
    // Go takes `0.0.0.0` for all addresses, also those of IPv6.
    return await listen({ ip: ip === '0.0.0.0' ? '' : ip, port, ...limits }, ready);
  } catch (thrown) {
    const noPort = `error listening on port: listen tcp: address ${port}: invalid port`;
    const { code, syscall, message } = thrown as NodeJS.ErrnoException;
    if (code === 'ERR_SOCKET_BAD_PORT') throw new Error(noPort);
    if (syscall === 'getaddrinfo') {
      const reason = code === 'ENOTFOUND' ? 'no such host' : message;
      throw new Error(`error listening on port: listen tcp: lookup ${ip}: ${reason}`);
    }
    const host = ip.includes(':') ? `[${ip}]` : ip;
    const why = bindFailure(thrown);
    throw new Error(`error listening on port: listen tcp ${host}:${port}: ${why}`);
  }
}

function bindFailure(thrown: unknown): string {
  const why = goErrno(thrown);
  return why === (thrown as Error).message ? why : `bind: ${why}`;
}

function portOf(server: Server): number | undefined {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : undefined;
}

function shownAddress(server: Server): string {
  const address = server.address();
  if (typeof address === 'string' || address === null) return `{unix:${address ?? ''}}`;
  const { address: ip, port } = address as AddressInfo;
  return ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;
}

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
  await once(server.listen({ ...placeOf(choice), backlog: 4096 }), 'listening');
  return server;
}

function placeOf(choice: ListenChoice) {
  if ('path' in choice) return { path: choice.path };
  if ('fd' in choice) return { fd: choice.fd };
  return { port: choice.port, ...(choice.ip && { host: choice.ip }) };
}
