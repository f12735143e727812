import { readFile } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import {
  checkRights,
  connectQueue,
  missingRights,
  QUEUE_RIGHTS,
  type QueueConnection,
} from '../../../src/run/queue/connect.ts';
import { queueAddress } from '../../../src/run/queue/queue-address.ts';
import { HAS_REDIS, startRedis, type TestRedis } from '../../support/redis-server.ts';

const NETWORK = { connectTimeoutMs: 5_000, insecureTls: false };
let redis: TestRedis | undefined;
let queue: QueueConnection | undefined;
afterEach(async () => {
  await queue?.close();
  await redis?.stop();
  redis = undefined;
});

/** Connects as a user with these rights. */
async function open(rights: readonly string[]): Promise<QueueConnection> {
  redis ??= await startRedis({ tcp: true });
  await redis.cli('acl', 'setuser', 'syncer', 'reset', 'on', '>secret', ...rights);
  const env = { SYNCER_QUEUE_PASSWORD: 'secret' };
  const address = queueAddress(redis.tcpUrl?.replace('//', '//syncer@'), env);
  await queue?.close();
  queue = await connectQueue(address, NETWORK, new AbortController().signal);
  return queue;
}

const without = (right: string) => QUEUE_RIGHTS.filter((word) => word !== right);

test.skipIf(!HAS_REDIS)('each right is enough with the others, and missed without', async () => {
  const { redis: all } = await open(QUEUE_RIGHTS);
  expect(await missingRights(all)).toEqual([]);
  for (const command of [['flushall'], ['keys', '*'], ['config', 'get', '*'], ['get', 'other']]) {
    const [name = '', ...args] = command;
    await expect(all.call(name, ...args), name).rejects.toThrow('NOPERM');
  }
  const expected: Readonly<Record<string, string>> = {
    ...{ '~syncer:*': '~syncer:*', '&syncer:*': '&syncer:*' },
    ...{ '+@read': '+hgetall', '+@write': '+hset', '+@scripting': '+eval', '+@pubsub': '+publish' },
    ...{ '+@transaction': '+@transaction', '+time': '+time' },
  };
  for (const [right, word] of Object.entries(expected)) {
    const { redis: less } = await open(without(right));
    expect(await missingRights(less), right).toContain(word);
    // Also of a connection that looked: it is usable, and has written nothing.
    expect(await less.select(0)).toBe('OK');
    expect(await redis?.cli('dbsize'), right).toBe('0');
  }
  for (const right of ['+select', '+info'])
    await expect(open(without(right))).rejects.toThrow('NOPERM');
  await open(without('-@dangerous'));
  expect(await queue?.redis.keys('*')).toEqual([]);
});

test.skipIf(!HAS_REDIS)(
  'a run is refused without what it needs, and works without news',
  async () => {
    await expect(
      checkRights(await open([...QUEUE_RIGHTS, '-xadd', '-hset'])),
    ).rejects.toMatchObject({
      code: 'access-denied',
      message: expect.stringMatching(/does not permit what a run needs: \+hset \+xadd$/),
      advice: expect.stringContaining('run: syncer doctor --queue'),
    });
    await checkRights(await open(without('&syncer:*')));
    await checkRights(await open(without('+@pubsub')));
  },
);

test('the documentation names these rights', async () => {
  const line = /acl setuser .*/.exec(await readFile('docs/many-machines.md', 'utf8'))?.[0] ?? '';
  const words = line.replaceAll("'", '').split(' ').slice(2);
  expect(words).toEqual(['syncer', 'reset', 'on', '>PASSWORD', ...QUEUE_RIGHTS]);
});
