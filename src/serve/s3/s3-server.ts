import { resolve } from 'node:path';
import { type ListenAddress, openListeners, type ServedTls } from '../listen/open-listeners.ts';
import { type AccessKey, createAuthenticator } from './auth/authenticate.ts';
import { handleRequest, type RequestReport } from './handle-request.ts';
import { BucketStore } from './store/bucket-store.ts';

/** Starts an S3 server. Rejects with `locked`, `directory-not-found`, `not-a-directory`, or `other` for its address. */
export async function startS3Server(options: {
  /** The directory to serve: each directory in it is a bucket. Created if missing. */
  readonly root: string;
  /** Name or address to listen on; `localhost` (127.0.0.1) by default. */
  readonly host?: string;
  /** 0, the default, selects any free port. */
  readonly port?: number;
  /** Instead of `host` and `port`. */
  readonly addresses?: readonly ListenAddress[];
  readonly tls?: ServedTls | undefined;
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
}) {
  const { authKeys, region = 'us-east-1', readOnly = false, now = Date.now } = options;
  const { host = 'localhost', port: wanted = 0, tls } = options;
  const { addresses = [{ host, port: wanted }] } = options;
  const store = await BucketStore.open(resolve(options.root), readOnly);
  const services = {
    store,
    region,
    readOnly,
    now,
    // Its own name is that of its first port.
    openAt:
      authKeys.length === 0
        ? (addresses.map((each) => ('host' in each ? each.host : '')).find(Boolean) ?? 'localhost')
        : undefined,
    authenticate: createAuthenticator(authKeys, region, now),
    report: (report: RequestReport) => options.onRequest?.(report),
  };
  const close = async (graceMs: number) => {
    await listeners?.close(graceMs);
    await store.close();
  };
  let listeners: Awaited<ReturnType<typeof openListeners>> | undefined;
  try {
    listeners = await openListeners({ addresses, tls }, (...call) =>
      handleRequest(services, ...call),
    );
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
