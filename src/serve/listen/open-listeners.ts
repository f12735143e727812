import { once } from 'node:events';
import { unwatchFile, watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { SecureContextOptions, TlsOptions } from 'node:tls';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import { userText } from '../../core/name-bytes.ts';
import { type CloseSocket, freeSocketPath, socketCloser } from '../../system/free-socket-path.ts';
import {
  type CertificatePair,
  certificateFault,
  RenewedCertificate,
} from '../../system/renewed-certificate.ts';

/** Where and how a server listens. Times in milliseconds, 0 for no limit. */
export interface ListenPlan {
  readonly addresses: readonly ListenAddress[];
  /** Descriptors of open sockets from systemd; the addresses are then ignored. */
  readonly descriptors?: readonly number[];
  readonly tls?: ServedTls | undefined;
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

/** A connection without traffic is closed after this time, in milliseconds. */
const IDLE_MS = 5 * 60_000;
/** An idle connection is kept for this time, in milliseconds. */
const KEEP_ALIVE_MS = 75_000;

/** Listens at all addresses. Rejects with `other` if one is not available; none is then open. */
export async function openListeners(plan: ListenPlan, serve: Serve) {
  const running = new Set<Promise<void>>();
  const servers: Server[] = [];
  const secureServers: TlsServer[] = [];
  /** `http://127.0.0.1:8080`, `unix:///run/x.sock` */
  const urls: string[] = [];
  const closers: CloseSocket[] = [];
  const closeAll = (which: 'idle' | 'every') => {
    for (const server of servers) {
      if (which === 'idle') server.closeIdleConnections();
      else server.closeAllConnections();
    }
  };
  let isClosing = false;
  let endRenewals: (() => void) | undefined;
  /** That of the first address that has one. */
  let port = 0;
  const run =
    (expectsContinue: boolean) => (request: IncomingMessage, response: ServerResponse) => {
      // Node refuses such a body only after the head: nothing may be done before.
      const coding = request.headers['transfer-encoding'] ?? 'chunked';
      if (coding.toLowerCase() !== 'chunked') {
        response.writeHead(501, { connection: 'close' }).end('a body is chunked or has a length\n');
        return;
      }
      const work = serve(request, response, expectsContinue).finally(() => {
        running.delete(work);
        if (isClosing) setImmediate(() => closeAll('idle'));
      });
      running.add(work);
    };
  const open = async ({ at, shown, isSecure }: Place) => {
    const options = {
      noDelay: true,
      keepAliveTimeout: KEEP_ALIVE_MS,
      requestTimeout: plan.requestMs ?? 0,
      ...(plan.maxHeaderBytes === undefined ? {} : { maxHeaderSize: plan.maxHeaderBytes }),
    };
    let server: Server;
    if (isSecure) {
      const { createServer: createSecure } = await import('node:https');
      const secure = createSecure({ ...options, ...plan.tls?.options });
      secureServers.push(secure);
      server = secure;
    } else server = createServer(options);
    server.setTimeout(IDLE_MS);
    server.on('request', run(false));
    server.on('checkContinue', run(true));
    // HTTP permits a server to ignore unknown expectations.
    server.on('checkExpectation', run(false));
    try {
      if ('path' in at) await freeSocketPath(at.path);
      await once(server.listen(at), 'listening');
    } catch (thrown) {
      const { code, message } = thrown as NodeJS.ErrnoException;
      const why = code === 'EADDRINUSE' ? 'the address is in use; choose another --addr' : message;
      throw new SyncerError('other', `cannot listen on ${shown}: ${why}`, { cause: thrown });
    }
    servers.push(server);
    closers.push('path' in at ? socketCloser(server, at.path) : (done) => server.close(done));
    const bound = server.address();
    if (typeof bound !== 'object' || bound === null) urls.push(`unix://${bound ?? shown}`);
    else {
      port ||= bound.port;
      const host = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
      urls.push(`http${isSecure ? 's' : ''}://${host}:${bound.port}`);
    }
  };
  /** Takes no more connections, waits `graceMs` milliseconds for running requests, and ends the others. */
  const close = async (graceMs: number): Promise<void> => {
    isClosing = true;
    endRenewals?.();
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
  endRenewals = plan.tls?.renew((options) => {
    for (const server of secureServers) server.setSecureContext(options);
  });
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

/** Where a server listens: on a port, or on a Unix socket. */
export type ListenAddress = (
  | {
      /** A name or an address, without the brackets of IPv6. */
      readonly host: string;
      readonly port: number;
    }
  | { readonly path: string }
) & {
  /** `plain`: without TLS even if there is a certificate; `tls`: only with one. */
  readonly security?: 'plain' | 'tls';
};

/**
 * Reads `--addr`: `localhost:8080`, `[::1]:8080`, or `:8080` for all interfaces; `unix:///run/x.sock` or `/run/x.sock`;
 * `http://` before it for no TLS, `tls://` for TLS. Throws `usage`.
 */
export function parseListenAddress(text: string): ListenAddress {
  const given = text.trim();
  const [prefix = '', scheme] = /^(http|tls):\/\//.exec(given) ?? [];
  const base = scheme && ({ security: scheme === 'tls' ? 'tls' : 'plain' } as const);
  const rest = given.slice(prefix.length);
  const path = rest.startsWith('unix://') ? rest.slice('unix://'.length) : rest;
  // Node would listen at another path.
  if (path.startsWith('/') && path.isWellFormed()) return { ...base, path };
  const match = /^(?:\[([^\]]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(rest);
  const port = Number(match?.[3] ?? Number.NaN);
  if (match === null || !(port <= 65_535)) {
    const message = `--addr ${text}: an address is host:port, as in localhost:8080, or the path of a socket`;
    throw new SyncerError('usage', message);
  }
  return { ...base, host: match[1] || match[2] || '::', port };
}

/** An address as it was given: `localhost:8080`, `/run/x.sock`. */
export function shownAddress(address: ListenAddress): string {
  if ('path' in address) return address.path;
  const { host, port } = address;
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Node's names of TLS versions. */
const VERSIONS = {
  'tls1.0': 'TLSv1',
  'tls1.1': 'TLSv1.1',
  'tls1.2': 'TLSv1.2',
  'tls1.3': 'TLSv1.3',
} as const;

export interface ServedTls {
  readonly options: TlsOptions;
  /** Gives `use` other options when the files of the certificate are others. @returns ends that */
  renew(use: (options: TlsOptions) => void): () => void;
}

/** The flags of TLS: three paths of PEM files, and the lowest version. */
interface TlsFlags {
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly clientCa: string | undefined;
  readonly minVersion: keyof typeof VERSIONS;
}

/**
 * Reads the certificate, its key and the authority for clients. `undefined` without a certificate. Rejects with `usage`
 * for flags that lack others, and for files that cannot be read or used.
 *
 * @param report takes a renewal, or why the certificate stays
 */
export async function readTls(
  { cert, key, clientCa, minVersion }: TlsFlags,
  report: (level: 'notice' | 'error', text: string) => void,
): Promise<ServedTls | undefined> {
  if ((cert === undefined) !== (key === undefined)) {
    throw new SyncerError('usage', 'TLS needs both --cert and --key');
  }
  if (cert === undefined || key === undefined) {
    if (clientCa === undefined) return undefined;
    throw new SyncerError(
      'usage',
      '--client-ca needs --cert and --key: clients show certificates over TLS only',
    );
  }
  const { createSecureContext } = await import('node:tls');
  const isOld = minVersion === 'tls1.0' || minVersion === 'tls1.1';
  const read = async (): Promise<SecureContextOptions & CertificatePair> => {
    const pair = {
      cert: await readPem('cert', cert),
      key: await readPem('key', key),
      minVersion: VERSIONS[minVersion],
      ...(isOld ? { ciphers: 'DEFAULT@SECLEVEL=0' } : {}),
      ...(clientCa === undefined ? {} : { ca: await readPem('client-ca', clientCa) }),
    };
    try {
      // OpenSSL accepts a certificate and a key of two kinds, and then fails each handshake.
      const fault = certificateFault(pair, { cert, key });
      if (fault !== undefined) throw new Error(fault);
      createSecureContext(pair);
    } catch (cause) {
      const why = (cause as Error).message;
      throw new SyncerError('usage', `cannot use --cert ${cert} with --key ${key}: ${why}`, {
        cause,
      });
    }
    return pair;
  };
  const first = await read();
  const asksClient = clientCa !== undefined;
  return {
    options: { ...first, requestCert: asksClient, rejectUnauthorized: asksClient },
    renew(use) {
      const certificate = new RenewedCertificate(first, read, use);
      return onChange([cert, key, clientCa ?? []].flat(), async () => {
        try {
          const renewed = await certificate.renew();
          if (renewed !== undefined) report('notice', `Loaded the renewed certificate ${cert}`);
        } catch (thrown) {
          const why = (thrown as Error).message;
          report('error', `${why}; the certificate loaded before stays in use`);
        }
      });
    },
  };
}

/** Milliseconds between looks at the files of a certificate. */
const LOOK_MS = 1000;

/**
 * Calls `act` once after the start, and when one of the files, through links, has changed and no other follows.
 *
 * @returns ends that
 */
function onChange(paths: readonly string[], act: () => Promise<void>): () => void {
  let timer: NodeJS.Timeout;
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(act, LOOK_MS).unref();
  };
  for (const path of paths) watchFile(path, { interval: LOOK_MS, persistent: false }, soon);
  soon();
  return () => {
    clearTimeout(timer);
    for (const path of paths) unwatchFile(path, soon);
  };
}

async function readPem(flag: string, path: string): Promise<string> {
  try {
    return userText(await readFile(path));
  } catch (cause) {
    throw new SyncerError('usage', `--${flag}: ${toSyncerError(cause).message}`, { cause });
  }
}
