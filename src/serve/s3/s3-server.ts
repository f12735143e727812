import { resolve } from 'node:path';
import {
  type ListenAddress,
  openListeners,
  type Serve,
  type ServedTls,
} from '../listen/open-listeners.ts';
import { type AccessKey, createAuthenticator } from './auth/authenticate.ts';
import { handleRequest, type RequestReport } from './handle-request.ts';
import { BucketStore } from './store/bucket-store.ts';

/** What an S3 server serves, and to whom. */
export interface S3ServiceOptions {
  /** The directory to serve: each directory in it is a bucket. Created if missing. */
  readonly root: string;
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

/**
 * Opens what responds to the requests, and locks the directory until `close`. Rejects with `locked`,
 * `directory-not-found` or `not-a-directory`.
 *
 * @param host the server's own name, for requests without keys
 */
export async function openS3Service(options: S3ServiceOptions, host: string) {
  const { authKeys, region = 'us-east-1', readOnly = false, now = Date.now } = options;
  const store = await BucketStore.open(resolve(options.root), readOnly);
  const services = {
    store,
    region,
    readOnly,
    now,
    openAt: authKeys.length === 0 ? host : undefined,
    authenticate: createAuthenticator(authKeys, region, now),
    report: (report: RequestReport) => options.onRequest?.(report),
  };
  const serve: Serve = (...call) => handleRequest(services, ...call);
  return { serve, close: () => store.close() };
}

/** Starts an S3 server. Rejects as `openS3Service`, and with `other` for its address. */
export async function startS3Server(
  options: S3ServiceOptions & {
    /** Name or address to listen on; `localhost` (127.0.0.1) by default. */
    readonly host?: string;
    /** 0, the default, selects any free port. */
    readonly port?: number;
    /** Instead of `host` and `port`. */
    readonly addresses?: readonly ListenAddress[];
    readonly tls?: ServedTls | undefined;
  },
) {
  const { host = 'localhost', port: wanted = 0, tls } = options;
  const { addresses = [{ host, port: wanted }] } = options;
  // Its own name is that of its first port.
  const name = addresses.map((each) => ('host' in each ? each.host : '')).find(Boolean);
  const service = await openS3Service(options, name ?? 'localhost');
  const close = async (graceMs: number) => {
    await listeners?.close(graceMs);
    await service.close();
  };
  let listeners: Awaited<ReturnType<typeof openListeners>> | undefined;
  try {
    listeners = await openListeners({ addresses, tls }, service.serve);
  } catch (error) {
    await close(0);
    throw error;
  }
  const { urls, port } = listeners;
  let closing: Promise<void> | undefined;
  return {
    /** `http://127.0.0.1:8080`; several are separated by commas. */
    endpoint: urls.join(', '),
    port,
    /** Ends all connections, running requests after `graceMs`, closes all files and unlocks the directory. */
    close: (graceMs = 0): Promise<void> => {
      closing ??= close(graceMs);
      return closing;
    },
  };
}
