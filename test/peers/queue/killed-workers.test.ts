import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  killTree,
  makeQueueWorld,
  objectsNamed,
  outcome,
  QUEUE_SEEDS,
  type QueueWorld,
} from '../../support/queue-world.ts';
import { randomFrom } from '../../support/random-from.ts';
import { HAS_REDIS } from '../../support/redis-server.ts';
import { waitFor } from '../../support/wait-for.ts';

const OBJECTS = 300;

describe.skipIf(!HAS_REDIS)('a run over a queue', () => {
  let world: QueueWorld;
  beforeEach(async () => {
    world = await makeQueueWorld();
    await world.fill('a', objectsNamed('object', 0, OBJECTS));
    await world.fill('b', { ...objectsNamed('extra', 0, 60), ...objectsNamed('object', 0, 20) });
  });
  afterEach(() => world.remove());

  const copies = () => world.s3.log.count('PutObject');
  /** Waits until a random number of objects was copied. */
  async function someCopied(seed: number, over: Promise<unknown>): Promise<void> {
    const count = 20 + randomFrom(seed)(OBJECTS / 2);
    await waitFor(() => copies() >= count, over);
    // The run still goes on.
    expect(copies(), world.logs()).toBeGreaterThanOrEqual(count);
    expect(copies()).toBeLessThan(OBJECTS);
  }
  async function expectEqual(): Promise<void> {
    expect(await world.contents('b')).toEqual(await world.contents('a'));
  }

  test('is shared by two workers, and deletes what is extra', async () => {
    const workers = [world.worker(), world.worker()];
    const sync = world.sync();
    expect(outcome(await sync.ended, world, 0)).toBe(0);
    await expectEqual();
    // Objects that were there and equal in size have other times.
    expect(copies()).toBeLessThanOrEqual(OBJECTS);
    for (const worker of workers) expect(worker.seen.stderr).toContain('Working on run');
  });

  test.each(QUEUE_SEEDS)('survives kill -9 of a worker (seed %i)', async (seed) => {
    const [first] = [world.worker(), world.worker()];
    const sync = world.sync();
    await someCopied(seed, sync.ended);
    await killTree(first, 'SIGKILL');
    expect(outcome(await sync.ended, world, 0)).toBe(0);
    await expectEqual();
    // What was on the wire is sent again, no more.
    expect(copies()).toBeLessThanOrEqual(OBJECTS + 2 * 4 * 4);
  });

  test.each(QUEUE_SEEDS)(
    'survives a worker that is suspended for three leases (seed %i)',
    async (seed) => {
      const [first] = [world.worker(), world.worker()];
      const sync = world.sync();
      await someCopied(seed, sync.ended);
      await killTree(first, 'SIGSTOP');
      expect(outcome(await sync.ended, world, 0)).toBe(0);
      await expectEqual();
      const writes = () =>
        copies() + world.s3.log.count('DeleteObjects') + world.s3.log.count('DeleteObject');
      const before = writes();
      await killTree(first, 'SIGCONT');
      await sleep(3_000);
      // What it had sent arrives; nothing else is begun.
      expect(writes() - before).toBeLessThanOrEqual(2 * 4);
      await expectEqual();
    },
  );

  test.each(QUEUE_SEEDS)(
    'goes on without the command that began it, and the same command watches it (seed %i)',
    async (seed) => {
      const workers = [world.worker(), world.worker()];
      const sync = world.sync();
      await someCopied(seed, sync.ended);
      sync.kill('SIGKILL');
      for (const worker of workers) await killTree(worker, 'SIGKILL');
      const copied = copies();
      world.worker();
      const again = world.sync();
      const ended = await again.ended;
      expect(outcome(ended, world, 0)).toBe(0);
      expect(ended.stderr).toMatch(/Run \S+ continues in the queue/);
      await expectEqual();
      expect(copies()).toBeLessThanOrEqual(OBJECTS + 2 * 2 * 4 + 8);
      expect(copies()).toBeGreaterThanOrEqual(copied);
    },
  );

  test.each(QUEUE_SEEDS)('survives kill -9 of the queue (seed %i)', async (seed) => {
    world.worker();
    world.worker();
    const sync = world.sync();
    await someCopied(seed, sync.ended);
    await world.redis.kill();
    await sleep(3_000);
    await world.redis.restart();
    expect(outcome(await sync.ended, world, 0)).toBe(0);
    await expectEqual();
  });

  test('of another command into the same destination is refused', async () => {
    const sync = world.sync(['--detach']);
    expect(outcome(await sync.ended, world, 0)).toBe(0);
    const other = await world.sync(['--checksum']).ended;
    expect(outcome(other, world, 75)).toBe(75);
    expect(other.stderr).toMatch(
      /run \S+ changes copy:bucket\/b: sync lake:bucket\/a -> copy:bucket\/b/,
    );
    // A worker finishes it without any command.
    const worker = await world.worker(['--drain']).ended;
    expect(outcome(worker, world, 0)).toBe(0);
    await expectEqual();
  });
});
