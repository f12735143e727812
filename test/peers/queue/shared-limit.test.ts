import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/core/context.ts';
import { SharedLimit } from '../../../src/run/queue/shared-limit.ts';
import { sharedSlowdown } from '../../../src/run/queue/work-in-queue.ts';
import { HAS_REDIS, startRedis, type TestRedis } from '../../support/redis-server.ts';

const never = new AbortController().signal;
let redis: TestRedis;
let clients: Redis[];

describe.skipIf(!HAS_REDIS)('limits of all workers together', () => {
  beforeEach(async () => {
    clients = [];
    redis = await startRedis();
  });
  afterEach(async () => {
    for (const one of clients) one.disconnect();
    await redis.stop();
  });

  const client = () => {
    const options = { maxRetriesPerRequest: 0, retryStrategy: () => 100, commandTimeout: 2_000 };
    const one = new Redis(redis.url.slice('unix:'.length), options);
    one.on('error', () => {});
    clients.push(one);
    return one;
  };
  const limitOf = (worker: string, rate: number) =>
    new SharedLimit({ redis: client(), key: 'syncer:{1}:limit', worker, rate, clock: systemClock });

  /** Takes this often, and gives the seconds that it took. */
  async function seconds(work: () => Promise<unknown>): Promise<number> {
    const before = performance.now();
    await work();
    return (performance.now() - before) / 1000;
  }
  const takeOften = async (limit: SharedLimit, times: number, amount: number) => {
    for (let i = 0; i < times; i++) await limit.take(amount, never);
  };

  test('four workers together stay below it, and little of it is lost', async () => {
    const rate = 1_000_000;
    const limits = ['a', 'b', 'c', 'd'].map((worker) => limitOf(worker, rate));
    const took = await seconds(() =>
      Promise.all(limits.map((limit) => takeOften(limit, 40, 10_000))),
    );
    // 1.6 MB, of which one grant of each worker may be early.
    expect(took).toBeGreaterThan(1.6 - 0.25);
    const [free = 0] = [Number(await redis.cli('get', 'syncer:{1}:limit'))];
    const [now = 0, micro = 0] = (await redis.cli('time')).split('\n').map(Number);
    const reserved = took + (free - now * 1e6 - micro) / 1e6;
    // Each may have a rest of a grant at the end.
    expect(reserved).toBeLessThan(Math.max(took, 1.6) + 4 * 0.25 + 0.25);
  });

  test('a worker alone has all of it, also for requests that are fewer than one in a grant', async () => {
    const limit = limitOf('a', 2);
    expect(await seconds(() => takeOften(limit, 3, 1))).toBeGreaterThan(0.9);
  });

  test('while the queue is away each has its last share, and never more', async () => {
    const [one, two] = [limitOf('a', 100_000), limitOf('b', 100_000)];
    await Promise.all([one.take(1_000, never), two.take(1_000, never)]);
    // Both have heard of two workers.
    await sleep(1_100);
    await Promise.all([one.take(1_000, never), two.take(1_000, never)]);
    await redis.kill();
    await sleep(1_100);
    // Half of the limit: 40,000 at 50,000 a second, of which a burst of a quarter is at hand.
    const took = await seconds(() => takeOften(one, 40, 1_000));
    expect(took).toBeGreaterThan(0.5);
    await redis.restart();
    await sleep(1_500);
    await takeOften(one, 5, 1_000);
    expect(Number(await redis.cli('exists', 'syncer:{1}:limit'))).toBe(1);
  });

  test('a queue that was never there lets nothing through; an aborted wait ends', async () => {
    await redis.kill();
    const limit = limitOf('a', 1_000_000);
    const abort = new AbortController();
    const waiting = limit.take(1, abort.signal);
    const state = await Promise.race([waiting.then(() => 'through'), sleep(1_500, 'waits')]);
    expect(state).toBe('waits');
    abort.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    await expect(limit.take(1, abort.signal)).rejects.toThrow('stopped');
  });

  describe('a server that asks to slow down', () => {
    const slowdownOf = (worker: string) =>
      sharedSlowdown({ redis: client(), key: 'syncer:{1}:slow', worker, clock: systemClock });
    const send = async (slowdown: ReturnType<typeof sharedSlowdown>, requests: number) => {
      for (let i = 0; i < requests; i++) await slowdown.take(never);
    };

    test('halves what all workers send, once, and each gets a share', async () => {
      const [one, two] = [slowdownOf('a'), slowdownOf('b')];
      await Promise.all([send(one, 500), send(two, 500)]);
      await sleep(100);
      await Promise.all([one.exchange(), two.exchange()]);
      expect(one.limit).toBeUndefined();
      for (const slowdown of [one, two]) slowdown.throttled();
      await Promise.all([one.exchange(), two.exchange()]);
      const limit = one.limit ?? two.limit ?? 0;
      expect(limit).toBeGreaterThan(0);
      await one.exchange();
      // Both were asked to slow down by the same overload.
      expect(one.limit).toBeGreaterThanOrEqual(limit);
      expect(one.limit).toBeLessThan(limit * 2);
    });

    test('the limit rises again, and ends', async () => {
      const one = slowdownOf('a');
      await send(one, 1_000);
      one.throttled();
      await one.exchange();
      const low = one.limit ?? 0;
      await sleep(300);
      await one.exchange();
      expect(one.limit).toBeGreaterThan(low);
      // Long ago.
      await redis.cli('hset', 'syncer:{1}:slow', 'at', String(Date.now() - 35_000));
      await one.exchange();
      expect(one.limit).toBeUndefined();
      expect(await redis.cli('exists', 'syncer:{1}:slow')).toBe('0');
    });

    test('the last limit stays while the queue is away', async () => {
      const one = slowdownOf('a');
      await send(one, 100);
      one.throttled();
      await one.exchange();
      const { limit } = one;
      await redis.kill();
      await expect(one.exchange()).rejects.toThrow();
      expect(one.limit).toBe(limit);
    });
  });
});
