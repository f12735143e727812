import { once } from 'node:events';
import { createServer, type ListenOptions, type Server } from 'node:net';
import { goErrno } from '../../go/go-texts.ts';
import { freeSocketPath, socketCloser } from '../../system/free-socket-path.ts';
import { systemdSockets } from '../../system/systemd-sockets.ts';
import type { FlagValues } from '../flag-table.ts';
import type { Activity, TakeConnection } from '../http/connection.ts';

export interface Listeners {
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
    const opened = descriptors.map((fd) => listen({ fd, ...limits }, ready));
    const servers = await Promise.all(opened).catch((cause: Error) => {
      throw new Error(`failed to use the sockets from systemd: ${cause.message}`, { cause });
    });
    return listeners(servers, servers.map(shownAddress).join(', '));
  }
  const path = flags.socket;
  if (path !== '') {
    const opened = listenAtPath({ path, ...limits }, ready);
    const { close } = await opened.catch((cause: Error) => {
      throw new Error(`error listening on socket: ${cause.message}`, { cause });
    });
    return { shown: `{unix:${path}}`, close };
  }
  const server = await listenOnPort(flags, limits, ready);
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : flags.port;
  return listeners([server], `${flags.ip}:${port}`);
}

/** Opens a Unix socket; one that a server left behind is replaced. Rejects with an error in Go's words. */
export async function listenAtPath(
  place: ListenLimits & { readonly path: string },
  ready: Promise<TakeConnection>,
): Promise<Pick<Listeners, 'close'>> {
  const { path } = place;
  try {
    await freeSocketPath(path);
    const close = socketCloser(await listen(place, ready), path);
    return {
      close() {
        try {
          close();
          return undefined;
        } catch (thrown) {
          return `Failed to remove socket file ${path}: ${goErrno(thrown)}`;
        }
      },
    };
  } catch (thrown) {
    throw new Error(`listen unix ${path}: ${bindFailure(thrown)}`, { cause: thrown });
  }
}

function listeners(servers: readonly Server[], shown: string): Listeners {
  const close = () => {
    for (const server of servers) server.close();
    return undefined;
  };
  return { shown, close };
}

async function listenOnPort(
  { ip, port }: FlagValues,
  limits: ListenLimits,
  ready: Promise<TakeConnection>,
): Promise<Server> {
  try {
    // Go takes `0.0.0.0` for all addresses, also those of IPv6.
    return await listen({ host: ip === '0.0.0.0' ? '' : ip, port, ...limits }, ready);
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

function shownAddress(server: Server): string {
  const address = server.address();
  if (typeof address === 'string' || address === null) return `{unix:${address ?? ''}}`;
  const { address: ip, port } = address;
  return ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;
}

/** How many connections there may be. */
interface ListenLimits {
  readonly maxConnections: number;
  /** Counts connections of several listening sockets together. */
  readonly activity?: Activity;
}

/** A client that has closed its side still gets its answer; a dead one is noticed. */
const SOCKETS = { pauseOnConnect: true, allowHalfOpen: true, noDelay: true, keepAlive: true };

/**
 * Opens an address, an empty host for all, the path of a Unix socket, or an open socket; connections wait until `ready`
 * resolves. Rejects with the error of the system.
 */
export async function listen(
  { maxConnections, activity, ...place }: ListenLimits & ListenOptions & { readonly fd?: number },
  ready: Promise<TakeConnection>,
): Promise<Server> {
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
  await once(server.listen({ ...place, backlog: 4096 }), 'listening');
  return server;
}
