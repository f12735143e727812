import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { SyncerError } from '../../core/errors.ts';
import { type CloseSocket, freeSocketPath, socketCloser } from '../../system/free-socket-path.ts';
import { type ListenAddress, shownAddress } from './listen-address.ts';

/** Where and how a server listens. Times in milliseconds, 0 for no limit. */
export interface ListenPlan {
  readonly addresses: readonly ListenAddress[];
  /** Descriptors of open sockets from systemd; the addresses are then ignored. */
  readonly descriptors?: readonly number[];
  readonly tls?: TlsOptions | undefined;
  /** The longest head of a request, in bytes; Node's limit by default. */
  readonly maxHeaderBytes?: number;
  /** For a whole request with its body. */
  readonly requestMs?: number;
}

/**
 * Responds to a request. Never rejects.
 * @param expectsContinue the client waits for `100 Continue` before it sends the body
 */
export type Serve = (
  request: IncomingMessage,
  response: ServerResponse,
  expectsContinue: boolean,
) => Promise<void>;

/** Open listeners. */
export interface OpenListeners {
  /** `http://127.0.0.1:8080`, `unix:///run/x.sock` */
  readonly urls: readonly string[];
  /** The port of the first that has one, otherwise 0. */
  readonly port: number;
  /** Takes no more connections, waits `graceMs` milliseconds for running requests, and ends the others. */
  close(graceMs: number): Promise<void>;
}

/** A connection without traffic is closed after this time, in milliseconds. */
const IDLE_MS = 5 * 60_000;
/** An idle connection is kept for this time, in milliseconds. */
const KEEP_ALIVE_MS = 75_000;

/** Listens at all addresses. Rejects with `other` if one is not available; none is then open. */
export async function openListeners(plan: ListenPlan, serve: Serve): Promise<OpenListeners> {
  const running = new Set<Promise<void>>();
  const servers: Server[] = [];
  const urls: string[] = [];
  const closers: CloseSocket[] = [];
  const closeAll = (which: 'idle' | 'every') => {
    for (const server of servers) {
      if (which === 'idle') server.closeIdleConnections();
      else server.closeAllConnections();
    }
  };
  let isClosing = false;
  let port = 0;
  const run =
    (expectsContinue: boolean) => (request: IncomingMessage, response: ServerResponse) => {
      const work = serve(request, response, expectsContinue).finally(() => {
        running.delete(work);
        if (isClosing) setImmediate(() => closeAll('idle'));
      });
      running.add(work);
    };
  const open = async (place: Place) => {
    const server = await createListener(plan, place.isSecure);
    server.on('request', run(false));
    server.on('checkContinue', run(true));
    // HTTP permits a server to ignore unknown expectations.
    server.on('checkExpectation', run(false));
    await listen(server, place);
    servers.push(server);
    const { at } = place;
    closers.push('path' in at ? socketCloser(server, at.path) : (done) => server.close(done));
    const bound = server.address();
    if (typeof bound === 'object' && bound !== null) port ||= bound.port;
    urls.push(urlOf(bound, place));
  };
  const close = async (graceMs: number) => {
    isClosing = true;
    const closed = closers.map((close) => new Promise<void>((done) => close(done)));
    closeAll('idle');
    const timer = setTimeout(() => closeAll('every'), graceMs);
    await Promise.all(closed);
    clearTimeout(timer);
    await Promise.all(running);
  };
  try {
    for (const place of placesOf(plan)) await open(place);
  } catch (thrown) {
    await close(0);
    throw thrown;
  }
  return { urls, port, close };
}

/** One socket to open. */
interface Place {
  readonly at: { host: string; port: number } | { path: string } | { fd: number };
  readonly shown: string;
  readonly isSecure: boolean;
}

function placesOf({ addresses, descriptors = [], tls }: ListenPlan): readonly Place[] {
  if (descriptors.length > 0) {
    const isSecure = tls !== undefined;
    return descriptors.map((fd) => ({
      at: { fd },
      shown: `the socket ${fd} from systemd`,
      isSecure,
    }));
  }
  return addresses.map((address) => {
    const shown = shownAddress(address);
    if (address.security === 'tls' && tls === undefined) {
      throw new SyncerError('usage', `--addr tls://${shown} needs --cert and --key`);
    }
    const isSecure = tls !== undefined && address.security !== 'plain';
    if ('path' in address) return { at: { path: address.path }, shown, isSecure };
    const { host, port } = address;
    return { at: { host: host === 'localhost' ? '127.0.0.1' : host, port }, shown, isSecure };
  });
}

async function createListener(
  { maxHeaderBytes, requestMs = 0, tls }: ListenPlan,
  isSecure: boolean,
): Promise<Server> {
  const options = {
    noDelay: true,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: requestMs,
    ...(maxHeaderBytes === undefined ? {} : { maxHeaderSize: maxHeaderBytes }),
  };
  const server = isSecure
    ? (await import('node:https')).createServer({ ...options, ...tls })
    : createServer(options);
  server.setTimeout(IDLE_MS);
  return server;
}

async function listen(server: Server, { at, shown }: Place): Promise<void> {
  try {
    if ('path' in at) await freeSocketPath(at.path);
    await new Promise<void>((done, reject) => {
      server.once('error', reject);
      server.listen(at, () => {
        server.off('error', reject);
        done();
      });
    });
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    const why = code === 'EADDRINUSE' ? 'the address is in use; choose another --addr' : message;
    throw new SyncerError('other', `cannot listen on ${shown}: ${why}`, { cause: thrown });
  }
}

function urlOf(bound: string | AddressInfo | null, { shown, isSecure }: Place): string {
  if (typeof bound !== 'object' || bound === null) return `unix://${bound ?? shown}`;
  const host = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
  return `http${isSecure ? 's' : ''}://${host}:${bound.port}`;
}
