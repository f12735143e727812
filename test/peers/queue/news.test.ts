import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openQueue } from '../../../src/run/queue/connect.ts';
import { queueAddress } from '../../../src/run/queue/queue-address.ts';
import {
  endQueueRun,
  enterRun,
  listenForNews,
  sendNews,
  stopQueueRun,
} from '../../../src/run/queue/queue-run.ts';
import { HAS_REDIS, startRedis } from '../../support/redis-server.ts';
import { waitFor } from '../../support/wait-for.ts';

const forever = new Promise<never>(() => {});

test.skipIf(!HAS_REDIS)('a run sends news when it begins, is to stop and has ended', async () => {
  const server = await startRedis();
  const network = { connectTimeoutMs: 5_000, insecureTls: false };
  const queue = await openQueue(queueAddress(server.url, {}), network, AbortSignal.timeout(60_000));
  try {
    const heard: string[] = [];
    listenForNews(queue, undefined, (news) => heard.push(`all ${news}`));
    const { redis } = queue;
    listenForNews(queue, 'one', (news) => heard.push(`one ${news}`));
    const channels = ['syncer:runs', 'syncer:{one}:news'];
    const heardOn = async () => {
      for (const channel of channels)
        if ((await redis.pubsub('NUMSUB', channel))[1] !== 1) return false;
      return true;
    };
    while (!(await heardOn())) await sleep(5);
    const place = { spec: '{}', changes: [['place']] as const };
    await enterRun(redis, { id: 'one', ...place });
    await sendNews(redis, 'other', 'state');
    await sendNews(redis, 'one', 'ranges');
    await stopQueueRun(redis, 'one', 'soft');
    await waitFor(() => heard.length === 3, forever);
    expect(heard).toEqual(['all state', 'one ranges', 'one state']);
    await endQueueRun(redis, 'one', { how: 'finished', atMs: 0 });
    await waitFor(() => heard.length === 4, forever);
    expect(heard.at(-1)).toBe('one state');
  } finally {
    await queue.close();
    await server.stop();
  }
});
