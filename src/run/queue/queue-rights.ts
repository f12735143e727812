import type { Redis } from 'ioredis';
import { SyncerError } from '../../core/errors.ts';
import type { QueueConnection } from './connect.ts';

/** What a user of the server needs, as words of `ACL SETUSER`; each of them is needed. */
export const QUEUE_RIGHTS: readonly string[] = [
  ...['~syncer:*', '~bull:syncer*', '&syncer:*'],
  ...['+@read', '+@write', '+@scripting', '+@transaction', '+@pubsub', '-@dangerous'],
  ...['+select', '+info', '+time', '+client|setname'],
];

/** A key of each prefix, and a channel; nothing is written to them. */
const [KEY, JOBS_KEY, CHANNEL] = ['syncer:{rights}', 'bull:syncer-rights:x', 'syncer:rights'];

/** Every command that a run sends, its scripts and those of BullMQ included; `K` stands for `KEY`. */
const COMMANDS = `
  get K, set K v, incr K, del K, exists K, expire K 1, pexpire K 1
  hget K f, hset K f v, hdel K f, hgetall K, hvals K, hexists K f, hsetnx K f v, hincrby K f 1, hmget K f, hmset K f v
  lpush K v, lrange K 0 1, lrem K 0 v, ltrim K 0 1, llen K, rpoplpush K K
  sadd K v, srem K v, smembers K, scard K
  zadd K 0 v, zrem K v, zcard K, zrange K 0 1, zrangebyscore K 0 1, zrevrangebyscore K 1 0, zremrangebyscore K 0 1
  zpopmin K, bzpopmin K 1, xadd K * f v, xrange K - +, xtrim K MAXLEN 1
  eval return 0, evalsha 0 0, select 0, info, time`
  .trim()
  .split(/,\s*|\n\s*/)
  .map((line) => line.replaceAll(/\bK\b/g, KEY).split(' '));

/** News are sent on channels: without them workers only look from time to time. */
const NEWS = /^[+&](publish|syncer:\*)$/;

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
      if (/\bkeys?\b/.test(message)) missing.add(word.startsWith('~') ? word : '~syncer:*');
      else missing.add(/\bchannels?\b/.test(message) ? '&syncer:*' : word);
    }
  };
  await add('+@transaction', ['multi']);
  if (missing.size > 0) return [...missing];
  await Promise.all([
    redis.call('syncer.none').catch(() => {}),
    ...COMMANDS.map((command) => add(`+${command[0]}`, command)),
    add('~bull:syncer*', ['exists', JOBS_KEY]),
    add('+publish', ['publish', CHANNEL, 'x']),
    add('+@transaction', ['exec']),
  ]);
  return [...missing];
}

/** Rejects with `access-denied` if the user of the queue lacks something without which no run works. */
export async function checkRights({ redis, address }: QueueConnection): Promise<void> {
  const missing = (await missingRights(redis)).filter((word) => !NEWS.test(word));
  if (missing.length === 0) return;
  throw new SyncerError(
    'access-denied',
    `the queue at ${address.shown} does not permit what a run needs: ${missing.join(' ')}`,
    { advice: `run: syncer doctor --queue ${address.shown}` },
  );
}
