import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { SyncerError } from '../../core/errors.ts';
import { type AccessKey, createAuthenticator } from './auth/authenticate.ts';
import { handleRequest, type RequestReport } from './handle-request.ts';
import { BucketStore } from './store/bucket-store.ts';

/** The options of a server. */
export interface S3ServerOptions {
  /** The directory to serve: each directory in it is a bucket. Created if missing. */
  readonly root: string;
  /** Name or address to listen on; `localhost` (127.0.0.1) by default. */
  readonly host?: string;
  /** 0 selects any free port. */
  readonly port: number;
  /** The keys with access; none: everyone, without signatures. */
  readonly authKeys: readonly AccessKey[];
  /** The region for signatures; `us-east-1` by default. */
  readonly region?: string;
  /** Refuse every operation that changes something. */
  readonly readOnly?: boolean;
  /** Called after every request. */
  readonly onRequest?: (report: RequestReport) => void;
  /** Milliseconds since the epoch, for the dates of signatures and locks; the machine's clock by default. */
  readonly now?: () => number;
}

/** A running server. */
export interface S3Server {
  /** `http://127.0.0.1:8080` */
  readonly endpoint: string;
  readonly port: number;
  /** Ends all connections, closes all files and unlocks the directory. Incomplete objects are never visible. */
  close(): Promise<void>;
}

/** A connection without traffic is closed after this time, in milliseconds. */
const IDLE_MS = 5 * 60_000;
/** An idle connection is kept for this time, in milliseconds. */
const KEEP_ALIVE_MS = 75_000;

/**
 * Starts an S3 server for a directory. Rejects with a `SyncerError`: `locked` if another server writes to the
 * directory, `directory-not-found`, `not-a-directory`, or `other` if the address is not available.
 */
export async function startS3Server(options: S3ServerOptions): Promise<S3Server> {
  const { authKeys, region = 'us-east-1', readOnly = false, now = Date.now } = options;
  const host = options.host ?? 'localhost';
  const store = await BucketStore.open(resolve(options.root), readOnly);
  const running = new Set<Promise<void>>();
  const services = {
    ...{ store, region, readOnly, now },
    openAt: authKeys.length === 0 ? host : undefined,
    authenticate: createAuthenticator(authKeys, region, now),
    report: (report: RequestReport) => options.onRequest?.(report),
  };
  const server = createServer({
    noDelay: true,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Large objects over slow connections have no time limit.
    requestTimeout: 0,
  });
  server.setTimeout(IDLE_MS);
  const listener =
    (expectsContinue: boolean): RequestListener =>
    (request, response) => {
      const work = handleRequest(services, request, response, expectsContinue);
      running.add(work);
      void work.finally(() => running.delete(work));
    };
  server.on('request', listener(false));
  server.on('checkContinue', listener(true));
  // HTTP permits a server to ignore unknown expectations.
  server.on('checkExpectation', listener(false));
  try {
    await listen(server, host === 'localhost' ? '127.0.0.1' : host, options.port);
  } catch (error) {
    await store.close();
    throw error;
  }
  const { port, address, family } = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  const close = async () => {
    const closed = new Promise<void>((done) => server.close(() => done()));
    server.closeAllConnections();
    await closed;
    await Promise.all(running);
    await store.close();
  };
  return {
    endpoint: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    port,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((done, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'EADDRINUSE'
          ? 'the address is in use; choose another --addr'
          : error.message;
      reject(
        new SyncerError('other', `cannot listen on ${host}:${port}: ${why}`, { cause: error }),
      );
    });
    server.listen({ host, port }, done);
  });
}
