import type { Redis, RedisOptions } from 'ioredis';
import type { ClientCertificate } from '../../backends/http/network-options.ts';
import { trustedAuthorities } from '../../backends/http/trusted-authorities.ts';
import { defined } from '../../core/defined.ts';
import { SyncerError } from '../../core/errors.ts';
import type { QueueAddress } from './queue-address.ts';
import { noDatabase, queueError } from './queue-error.ts';
import {
  isNewEnough,
  OLDEST_QUEUE_VERSION,
  type QueueServer,
  queueServerOf,
} from './queue-server.ts';

/** How the queue is reached; from the global flags. */
export interface QueueNetwork {
  /** Time limit for connecting, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** PEM of further certificate authorities, as text. */
  readonly caCertificates?: string | undefined;
  readonly insecureTls: boolean;
  /** For a server that requires one. */
  readonly clientCertificate?: ClientCertificate | undefined;
}

/** An open queue. */
export interface QueueConnection {
  readonly address: QueueAddress;
  /** As it was when the connection was opened. */
  readonly server: QueueServer;
  /**
   * For scripts and reads. A command without a response, because the connection was lost or for five seconds,
   * rejects and is not sent again: it may have been carried out. `queueError` gives the words.
   */
  readonly redis: Redis;
  /** Another connection, for BullMQ and for news: its commands wait as long as the queue is away, and are sent again. */
  patient(): Redis;
  /** Closes all connections; commands without a response reject. */
  close(): Promise<void>;
}

/** A command that has no response for so long has failed, in milliseconds. */
const COMMAND_TIMEOUT_MS = 5_000;

/** Between two attempts to reach a queue again: from the first to the longest wait, in milliseconds. */
const [FIRST_RETRY_MS, LONGEST_RETRY_MS] = [50, 1_000];

/**
 * Opens the queue. Rejects with `unreachable` (exit code 5) if it cannot be reached, with `access-denied` if it refuses
 * the login, with `config` if it has no such database, with `unsupported` for a server that is too old, evicts keys, or
 * is a cluster; and with the signal's reason.
 */
export async function openQueue(
  address: QueueAddress,
  network: QueueNetwork,
  signal: AbortSignal,
): Promise<QueueConnection> {
  const queue = await connectQueue(address, network, signal);
  const fault = faultOf(queue.server);
  if (fault === undefined) return queue;
  await queue.close();
  throw new SyncerError('unsupported', `the queue at ${address.shown} cannot be used: ${fault}`, {
    advice: `run: syncer doctor --queue ${address.shown}`,
  });
}

/** The same for any server, for `doctor`. Rejects if it cannot be reached, or refuses the login. */
export async function connectQueue(
  address: QueueAddress,
  network: QueueNetwork,
  signal: AbortSignal,
): Promise<QueueConnection> {
  signal.throwIfAborted();
  const client = await import('ioredis');
  const opened: Redis[] = [];
  let wasReached = false;
  const open = (options: RedisOptions) => {
    const redis = new client.Redis({
      ...optionsOf(address, network),
      // A queue that was never reached is an error; one that was reached comes back.
      retryStrategy: (times: number) =>
        wasReached ? Math.min(FIRST_RETRY_MS * 2 ** times, LONGEST_RETRY_MS) : null,
      ...options,
      replyMapping: 'legacy',
    });
    // Connected again, the client goes on in database 0 if its own one is refused.
    redis.on('error', (error) => {
      if (wasReached && isOfSelect(error)) redis.disconnect(true);
    });
    opened.push(redis);
    return redis;
  };
  const close = async () => {
    for (const redis of opened) redis.disconnect();
  };
  const redis = open({ maxRetriesPerRequest: 0, commandTimeout: COMMAND_TIMEOUT_MS });
  let failure: Error | undefined;
  redis.on('error', (error) => {
    failure = error;
  });
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => {});
  const leave = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  try {
    await Promise.race([redis.connect(), aborted.promise]);
    // The client has asked for the database, and works with database 0 if that was refused.
    await redis.select(address.database);
    const server = queueServerOf(await redis.info());
    wasReached = true;
    return {
      address,
      server,
      redis,
      close,
      patient() {
        const more = open({ maxRetriesPerRequest: null });
        more.on('error', () => {});
        return more;
      },
    };
  } catch (thrown) {
    await close();
    signal.throwIfAborted();
    const error = failure ?? thrown;
    throw noDatabase(error, address) ?? queueError(error, address);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

function optionsOf(address: QueueAddress, network: QueueNetwork): RedisOptions {
  const { socket, host, port, isTls, user, password, database } = address;
  const { caCertificates, insecureTls, clientCertificate } = network;
  const trusted = trustedAuthorities(caCertificates, insecureTls, clientCertificate);
  if (isTls) trusted.trustSystem();
  return {
    ...(socket === undefined ? { host, port } : { path: socket }),
    ...defined({ username: user, password }),
    ...(isTls ? { tls: { secureContext: trusted.context, rejectUnauthorized: !insecureTls } } : {}),
    db: database,
    lazyConnect: true,
    connectTimeout: network.connectTimeoutMs,
    disableClientInfo: true,
    connectionName: 'syncer',
  };
}

/** Whether the server has refused a database. */
const isOfSelect = (error: Error & { readonly command?: { readonly name?: string } }): boolean =>
  error.command?.name === 'select';

function faultOf(server: QueueServer): string | undefined {
  const { name, version, evictionPolicy, isCluster } = server;
  if (!isNewEnough(server)) {
    return `${name} ${version} is older than ${OLDEST_QUEUE_VERSION}`;
  }
  if (isCluster) return 'a cluster is not supported; use one server, with a replica if needed';
  if (evictionPolicy === 'noeviction' || evictionPolicy === '') return undefined;
  return `it may evict keys (maxmemory-policy is ${evictionPolicy}); run: redis-cli config set maxmemory-policy noeviction`;
}
