import { toSyncerError } from '../../src/core/errors.ts';
import {
  connectQueue,
  isNewEnough,
  missingRights,
  OLDEST_QUEUE_VERSION,
  QUEUE_RIGHTS,
  type QueueConnection,
  type QueueNetwork,
  type QueueServer,
} from '../../src/run/queue/connect.ts';
import { isExposed, type QueueAddress } from '../../src/run/queue/queue-address.ts';
import { isNotPermitted, queueError } from '../../src/run/queue/queue-error.ts';
import { shellWord } from '../../src/system/shell-words.ts';
import { type CheckResult, failed, ok, unknown, warning } from './check.ts';

/** The user that workers should have: only keys of runs, and no command that changes the server. */
const ACL = `acl setuser syncer reset on '>PASSWORD' ${words(QUEUE_RIGHTS)}`;
/** Clocks that differ more than this make leases and dates unreliable, in milliseconds. */
const MOST_SKEW_MS = 5_000;
/** From this part of its limit on, the memory of the queue needs attention. */
const FULL = 0.8;

/** The checks of a queue. */
export async function* queueChecks(
  address: QueueAddress,
  network: QueueNetwork,
  { now, signal }: { readonly now: () => number; readonly signal: AbortSignal },
): AsyncGenerator<CheckResult> {
  const cli = redisCli(address);
  let queue: QueueConnection;
  try {
    queue = await connectQueue(address, network, signal);
  } catch (thrown) {
    signal.throwIfAborted();
    const error = toSyncerError(thrown);
    const mends = isNotPermitted(error) ? setUser(address, QUEUE_RIGHTS) : `${cli} ping`;
    yield failed('queue', error.message, mends);
    return;
  }
  try {
    const { server } = queue;
    yield ok('queue', `${address.shown} answers`);
    yield* serverChecks(server, cli);
    const safe = address.isTls ? 'the connection is encrypted' : 'the queue is on this machine';
    const mend = `syncer doctor --queue ${shellWord(address.shown.replace(/^redis:/, 'rediss:'))}`;
    const open = 'names of objects and the password pass the network in clear text';
    yield isExposed(address) ? warning('tls', open, mend) : ok('tls', safe);
    yield await userCheck(queue);
    yield await clockCheck(queue, now);
  } catch (thrown) {
    signal.throwIfAborted();
    yield failed('queue', queueError(thrown, address).message, `${cli} ping`);
  } finally {
    await queue.close();
  }
}

function* serverChecks(server: QueueServer, cli: string): Generator<CheckResult> {
  const { name, version, evictionPolicy, isAppendOnly, isSaved, isCluster } = server;
  const old = `${name} ${version} is older than ${OLDEST_QUEUE_VERSION}`;
  if (isNewEnough(server)) yield ok('version', `${name} ${version}`);
  else yield failed('version', old, 'apt-get install redis-server');
  if (isCluster) {
    yield failed('cluster', 'a cluster is not supported; use one server, with a replica if needed');
  }
  const policy = `(maxmemory-policy is ${evictionPolicy})`;
  const keep = `${cli} config set maxmemory-policy noeviction`;
  if (evictionPolicy === 'noeviction') yield ok('eviction', `nothing is evicted ${policy}`);
  else yield failed('eviction', `keys of a run may be evicted ${policy}`, keep);
  const lost = 'a restart of the server loses the run: it lists everything again';
  if (isAppendOnly) yield ok('append-only', 'every change is written to disk');
  else yield warning('append-only', lost, `${cli} config set appendonly yes`);
  if (!isSaved) {
    yield failed('disk', 'the server cannot write to its disk', `${cli} info persistence`);
  }
  const { memoryUsed, memoryLimit } = server;
  const megabytes = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
  const used = `${megabytes(memoryUsed)} of ${megabytes(memoryLimit)} used`;
  if (memoryLimit === 0) yield ok('memory', `${megabytes(memoryUsed)} used, without a limit`);
  else if (memoryUsed < FULL * memoryLimit) yield ok('memory', used);
  else yield warning('memory', used, `${cli} config set maxmemory ${memoryLimit * 2}`);
}

/** Whether the login may do what a run needs, and reaches keys of others; looking at both changes nothing. */
async function userCheck({ redis, address }: QueueConnection): Promise<CheckResult> {
  const { user = 'default' } = address;
  try {
    const missing = await missingRights(redis);
    if (missing.length > 0) {
      const text = `the user ${user} lacks what a run needs: ${missing.join(' ')}`;
      return failed('acl', text, setUser(address, missing));
    }
    const isLimited = await redis.exists('other:keys').then(
      () => false,
      (thrown: Error) => thrown.message.startsWith('NOPERM'),
    );
    if (isLimited) return ok('acl', `the user ${user} is limited to some keys`);
    const text = `the user ${user} may read and change everything in the server`;
    const isAlone = address.socket !== undefined;
    return isAlone && user === 'default'
      ? ok('acl', text)
      : warning('acl', text, `${redisCli(asAdministrator(address))} ${ACL}`);
  } catch (thrown) {
    return unknown('acl', queueError(thrown, address).message);
  }
}

function words(rights: readonly string[]): string {
  return rights.map((right) => shellWord(right)).join(' ');
}

/** The command that gives the user of the address these rights. */
function setUser(address: QueueAddress, rights: readonly string[]): string {
  const cli = redisCli(asAdministrator(address));
  return `${cli} acl setuser ${shellWord(address.user ?? 'default')} ${words(rights)}`;
}

/** Only another user may change users. */
function asAdministrator({ user: _, ...address }: QueueAddress): QueueAddress {
  return { ...address, shown: address.shown.replace(/\/\/[^@]*@/, '//') };
}

async function clockCheck({ redis }: QueueConnection, now: () => number): Promise<CheckResult> {
  const before = now();
  const [seconds, microseconds] = await redis.time();
  const there = Number(seconds) * 1000 + Number(microseconds) / 1000;
  // The time of the response lies between the two.
  const ahead = Math.max(0, before - there) - Math.max(0, there - now());
  const text = `this clock and that of the queue differ by ${(Math.abs(ahead) / 1000).toFixed(1)} s`;
  if (Math.abs(ahead) <= MOST_SKEW_MS) return ok('clock', text);
  return failed('clock', text, 'timedatectl set-ntp true');
}

/** `redis-cli` with the address; it asks for the password. A user without one in the address is a password to it. */
function redisCli(address: QueueAddress): string {
  const { socket, user } = address;
  const { shown } = asAdministrator(address);
  const where = socket === undefined ? `-u ${shellWord(shown)}` : `-s ${shellWord(socket)}`;
  return `redis-cli${user === undefined ? '' : ` --askpass --user ${shellWord(user)}`} ${where}`;
}
