import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { endLeases } from '../../../commands/ps/run-worker.ts';
import { queueName } from '../../../src/run/queue/queue-run.ts';
import { HAS_REDIS, startRedis, type TestRedis } from '../../support/redis-server.ts';

const RUN = 'run';
const NEVER = new Promise<void>(() => {});

describe.skipIf(!HAS_REDIS)('the leases of a worker that is gone', () => {
  let server: TestRedis;
  const opened: (Worker | Redis)[] = [];
  beforeEach(async () => {
    server = await startRedis({ tcp: true });
  });
  afterEach(async () => {
    for (const one of opened.splice(0))
      await (one instanceof Worker ? one.close(true) : one.disconnect());
    await server.stop();
  });

  function connect(): Redis {
    const redis = new Redis(server.port, '127.0.0.1', { maxRetriesPerRequest: null });
    redis.on('error', () => {});
    opened.unshift(redis);
    return redis;
  }
  /** A worker whose jobs never end, and that does not look for lost ones. */
  function work(): { readonly worker: Worker; readonly taken: string[] } {
    const taken: string[] = [];
    const options = { lockDuration: 3_600_000, stalledInterval: 3_600_000, skipLockRenewal: true };
    const process = ({ id }: { readonly id?: string }) => {
      taken.push(id ?? '');
      return NEVER;
    };
    const connection = connect();
    const worker = new Worker(queueName(RUN), process, { connection, concurrency: 2, ...options });
    opened.unshift(worker);
    return { worker, taken };
  }

  test('end by their tokens: others take its ranges, and those of others stay', async () => {
    const { Queue } = await import('bullmq');
    const redis = connect();
    const jobs = new Queue(queueName(RUN), { connection: redis });
    const gone = work();
    for (const jobId of ['a', 'b']) await jobs.add('range', {}, { jobId });
    await expect.poll(() => gone.taken.length).toBe(2);
    const next = work();
    await jobs.add('range', {}, { jobId: 'c' });
    await expect.poll(() => next.taken).toEqual(['c']);
    await gone.worker.pause(true);
    expect(await endLeases(redis, RUN, 'another')).toBe(0);
    expect(await endLeases(redis, RUN, gone.worker.id)).toBe(2);
    await expect.poll(() => next.taken.length).toBe(2);
    expect(['a', 'b']).toContain(next.taken[1]);
    expect(await endLeases(redis, RUN, gone.worker.id)).toBe(0);
    const key = jobs.toKey('c');
    expect(await redis.get(`${key}:lock`)).toMatch(`${next.worker.id}:`);
    await jobs.close();
  });
});
