import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { freeRanges } from '../../../commands/ps/run-worker.ts';
import { enterRun } from '../../../src/run/queue/queue-run.ts';
import { rangesInRedis } from '../../../src/run/queue/ranges-in-redis.ts';
import { Ledger } from '../../../src/run/ranges/ledger.ts';
import { HAS_REDIS, startRedis, type TestRedis } from '../../support/redis-server.ts';

const RUN = 'run';

describe.skipIf(!HAS_REDIS)('the ranges of a worker that is gone', () => {
  let server: TestRedis;
  let redis: Redis;
  beforeEach(async () => {
    server = await startRedis({ tcp: true });
    redis = new Redis(server.port, '127.0.0.1');
    await enterRun(redis, { id: RUN, spec: '{}', changes: [['place']] });
  });
  afterEach(async () => {
    redis.disconnect();
    await server.stop();
  });

  test('others take them at once, and those of others stay', async () => {
    const ledger = new Ledger(rangesInRedis(redis, RUN, (command) => command()));
    const first = await ledger.claim('a', 'gone');
    await first?.cut('m');
    const second = await ledger.claim('b', 'gone');
    await second?.cut('t');
    const third = await ledger.claim('c', 'next');
    expect(await ledger.claim('d', 'next')).toBeUndefined();
    expect(await freeRanges(redis, RUN, 'another')).toBe(0);
    expect(await freeRanges(redis, RUN, 'gone')).toBe(2);
    const taken = [await ledger.claim('d', 'next'), await ledger.claim('e', 'next')];
    expect(taken.map((held) => held?.after).sort()).toEqual(['m', undefined]);
    expect(await freeRanges(redis, RUN, 'gone')).toBe(0);
    expect(await third?.done({ files: 1, extra: 0 })).toBe(true);
    // What the one that is gone has sent and comes late.
    expect(await first?.done({ files: 1, extra: 0 })).toBe(false);
  });

  test('a range has a lease from its claim on, as long as it is renewed', async () => {
    const ledger = new Ledger(rangesInRedis(redis, RUN, (command) => command()));
    await ledger.claim('a', 'one');
    const leftMs = await redis.pttl(`syncer:{${RUN}}:lease:a`);
    expect(leftMs).toBeGreaterThan(10_000);
    expect(leftMs).toBeLessThanOrEqual(15_000);
  });
});
