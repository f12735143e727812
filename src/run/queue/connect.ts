import type { Redis, RedisOptions } from 'ioredis';
import type { ClientCertificate } from '../../backends/http/network-options.ts';
import { trustedAuthorities } from '../../backends/http/trusted-authorities.ts';
import { defined } from '../../core/defined.ts';
import { SyncerError } from '../../core/errors.ts';
import type { Flags } from '../../shell/flags/flag-table.ts';
import { ownCertificate, readCertificates } from '../remotes/transport-options.ts';
import type { QueueAddress } from './queue-address.ts';
import { queueError } from './queue-error.ts';

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

export interface QueueConnection {
  readonly address: QueueAddress;
  /** As it was when the connection was opened. */
  readonly server: QueueServer;
  /**
   * For scripts and reads. A command without a response, because the connection was lost or for five seconds,
   * rejects and is not sent again: it may have been carried out. `queueError` gives the words.
   */
  readonly redis: Redis;
  /** Another connection, for news: its commands wait as long as the queue is away, and are sent again. */
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
      const { command } = error as { readonly command?: { readonly name?: string } };
      if (wasReached && command?.name === 'select') redis.disconnect(true);
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
    if (!/DB index|SELECT is not allowed/i.test((error as Error).message))
      throw queueError(error, address);
    const text = `the queue at ${address.shown} has no database ${address.database}`;
    const advice = 'write another number, or none for database 0';
    throw new SyncerError('config', text, { advice });
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

function faultOf(server: QueueServer): string | undefined {
  const { name, version, evictionPolicy, isCluster } = server;
  if (!isNewEnough(server)) return `${name} ${version} is older than ${OLDEST_QUEUE_VERSION}`;
  if (isCluster) return 'a cluster is not supported; use one server, with a replica if needed';
  if (evictionPolicy === 'noeviction' || evictionPolicy === '') return undefined;
  return `it may evict keys (maxmemory-policy is ${evictionPolicy}); run: redis-cli config set maxmemory-policy noeviction`;
}

/** What a Redis or Valkey server says about itself. */
export type QueueServer = Readonly<ReturnType<typeof queueServerOf>>;

/** The oldest version with all that is used: streams that are read from behind an entry. */
export const OLDEST_QUEUE_VERSION = '6.2';

/** Reads the response of `INFO`. */
function queueServerOf(info: string) {
  const fields = new Map(
    info.split(/\r?\n/).map((line) => {
      const end = line.indexOf(':');
      return [line.slice(0, end), line.slice(end + 1)];
    }),
  );
  const text = (key: string) => fields.get(key) ?? '';
  const isOk = (key: string) => text(key) === '' || text(key) === 'ok';
  return {
    name: fields.has('valkey_version') ? 'Valkey' : 'Redis',
    /** Of Redis, or the one of Redis that Valkey is compatible with. */
    version: text('redis_version'),
    isCluster: text('redis_mode') === 'cluster' || text('cluster_enabled') === '1',
    /** What it does when its memory is full: `noeviction` keeps everything. */
    evictionPolicy: text('maxmemory_policy'),
    /** In bytes; `memoryLimit` 0: no limit. */
    memoryUsed: Number(text('used_memory')),
    memoryLimit: Number(text('maxmemory')),
    /** Whether it writes each change to disk (`appendonly`). */
    isAppendOnly: text('aof_enabled') === '1',
    /** Whether the last write to disk succeeded. */
    isSaved: isOk('rdb_last_bgsave_status') && isOk('aof_last_write_status'),
  };
}

/** Whether a server has at least `OLDEST_QUEUE_VERSION`. */
export function isNewEnough({ version }: Pick<QueueServer, 'version'>): boolean {
  return version.localeCompare(OLDEST_QUEUE_VERSION, 'en', { numeric: true }) >= 0;
}

/** A server without TLS does not answer a client with TLS: longer waits for a connection do not help. */
const LONGEST_CONNECT_MS = 10_000;

/** How the queue is reached, from the flags. Rejects with `config` for an unreadable file. */
export async function queueNetwork(flags: Flags): Promise<QueueNetwork> {
  const file = flags['ca-cert'];
  const clientCertificate = await ownCertificate(flags);
  return {
    connectTimeoutMs: Math.min(flags.contimeout || LONGEST_CONNECT_MS, LONGEST_CONNECT_MS),
    insecureTls: flags['no-check-certificate'],
    ...(clientCertificate === undefined ? {} : { clientCertificate }),
    ...(file ? { caCertificates: await readCertificates(file) } : {}),
  };
}

/** What a user of the server needs, as words of `ACL SETUSER`; each of them is needed. */
export const QUEUE_RIGHTS: readonly string[] = [
  ...['~syncer:*', '&syncer:*'],
  ...['+@read', '+@write', '+@scripting', '+@transaction', '+@pubsub', '-@dangerous'],
  ...['+select', '+info', '+time', '+client|setname'],
];

/** A key and a channel; nothing is written to them. */
const [KEY, CHANNEL] = ['syncer:{rights}', 'syncer:rights'];

/** Every command that a run sends, and its scripts; `K` stands for `KEY`. */
const COMMANDS = `
  get K, mget K, set K v, del K, exists K, expire K 1, pexpire K 1, pttl K
  hget K f, hset K f v, hdel K f, hgetall K, hvals K, hexists K f, hsetnx K f v, hincrby K f 1, hmget K f
  zadd K 0 v, zrem K v, zcard K, zrevrangebyscore K 1 0, zremrangebyscore K 0 1
  xadd K * f v, xrange K - +, eval return 0, select 0, info, time`
  .trim()
  .split(/,\s*|\n\s*/)
  .map((line) => line.replaceAll(/\bK\b/g, KEY).split(' '));

/**
 * The words of `ACL SETUSER` that the user of a connection lacks. The commands are queued in a transaction that the
 * server discards, as one of them does not exist: it refuses those that the user may not send, and carries out none.
 */
export async function missingRights(redis: Redis): Promise<readonly string[]> {
  const missing = new Set<string>();
  const add = async (word: string, command: readonly string[]) => {
    const [name = '', ...args] = command;
    try {
      await redis.call(name, ...args);
    } catch (thrown) {
      const { message } = thrown as Error;
      if (message.startsWith('EXECABORT')) return;
      if (/\bkeys?\b/.test(message)) missing.add('~syncer:*');
      else missing.add(/\bchannels?\b/.test(message) ? '&syncer:*' : word);
    }
  };
  await add('+@transaction', ['multi']);
  if (missing.size > 0) return [...missing];
  await Promise.all([
    redis.call('syncer.none').catch(() => {}),
    ...COMMANDS.map((command) => add(`+${command[0]}`, command)),
    add('+publish', ['publish', CHANNEL, 'x']),
    add('+@transaction', ['exec']),
  ]);
  return [...missing];
}

/** Rejects with `access-denied` if the user of the queue lacks something without which no run works. */
export async function checkRights({ redis, address }: QueueConnection): Promise<void> {
  // News are sent on channels: without them workers only look from time to time.
  const isNews = (word: string) => /^[+&](publish|syncer:\*)$/.test(word);
  const missing = (await missingRights(redis)).filter((word) => !isNews(word));
  if (missing.length === 0) return;
  throw new SyncerError(
    'access-denied',
    `the queue at ${address.shown} does not permit what a run needs: ${missing.join(' ')}`,
    { advice: `run: syncer doctor --queue ${address.shown}` },
  );
}
