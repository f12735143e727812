import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SyncerError } from '../../../src/core/errors.ts';
import type { Remote } from '../../../src/core/remote.ts';
import { deleteOne } from '../../../src/core/remote-calls.ts';
import type { Verb } from '../../../src/engine/action.ts';
import { ALL } from '../../../src/engine/consent.ts';
import { Budget } from '../../../src/engine/loss/budget.ts';
import { passAllFilter } from '../../../src/filter/filter.ts';
import { openQueue } from '../../../src/run/queue/connect.ts';
import { LEASE } from '../../../src/run/queue/lease-watch.ts';
import { queueAddress } from '../../../src/run/queue/queue-address.ts';
import {
  enterRun,
  listEndedSpecs,
  listenForNews,
  listRunSpecs,
  readQueueErrors,
  readRunSpec,
  readRunState,
  stopQueueRun,
} from '../../../src/run/queue/queue-run.ts';
import { rangesInRedis } from '../../../src/run/queue/ranges-in-redis.ts';
import { workRun } from '../../../src/run/queue/work-run.ts';
import { syncTask } from '../../../src/run/ranges/work-range.ts';
import {
  contentsOf,
  type Files,
  plainOptions,
  quietContext,
  remoteBut,
  remoteWith,
} from '../../support/memory-world.ts';
import { randomLedgerRun } from '../../support/random-ledger-run.ts';
import { HAS_REDIS, startRedis, type TestRedis } from '../../support/redis-server.ts';

const BUCKET = { emptyDirs: false, pageSize: 5 };
const named = (from: number, to: number, content = 'x'): Files =>
  Object.fromEntries(
    Array.from({ length: to - from }, (_, i) => [`f${String(from + i).padStart(4, '0')}`, content]),
  );

const NO_COUNTS = {
  ...{ files: 0, bytes: 0, totalFiles: 0, totalBytes: 0 },
  ...{ checks: 0, deletes: 0, errors: 0, rate: 0 },
};
const NETWORK = { connectTimeoutMs: 5_000, insecureTls: false };
const unhurried = <T>(command: () => Promise<T>) => command();

describe.skipIf(!HAS_REDIS)('a run over a queue', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  const open = () => openQueue(queueAddress(redis.url, {}), NETWORK, new AbortController().signal);

  /** A worker, with what others see of it. */
  async function work(
    run: string,
    source: Remote,
    dest: Remote,
    more: Partial<Rules> = {},
    verb: Verb = 'sync',
  ) {
    const queue = await open();
    const { context } = quietContext();
    const rules = {
      ...{ run, id: randomUUID(), version: '1', slots: 2, namesARange: 50, retries: 1 },
      limits: {},
      tell: () => {},
      counts: () => NO_COUNTS,
      ...more,
    };
    const deletes = verb === 'sync' ? 'after' : 'off';
    const options = { ...plainOptions, deletes } as const;
    const setup = { context, filter: passAllFilter, consent: ALL, budget: new Budget() };
    const task = syncTask(setup, { verb, source, dest, options }, 2);
    try {
      return await workRun(setup, task, queue, rules);
    } finally {
      await queue.close();
    }
  }
  type Rules = Parameters<typeof workRun>[3];

  async function begin(run: string) {
    const queue = await open();
    const entered = { id: run, spec: '{}', changes: [[`place of ${run}`]] as const };
    expect(await enterRun(queue.redis, entered)).toBe(run);
    return queue;
  }

  test('three workers make the destination equal and delete what is extra', async () => {
    const queue = await begin('three');
    const other = {
      id: 'other',
      spec: '{}',
      changes: [['below', 'place of three']] as const,
    };
    expect(await enterRun(queue.redis, other)).toBe('three');
    expect(await readRunSpec(queue.redis, 'three')).toBe('{}');
    const source = await remoteWith(named(0, 800), BUCKET);
    const dest = await remoteWith({ ...named(300, 500, 'old'), ...named(800, 850) }, BUCKET);
    const ends = await Promise.all([1, 2, 3].map(() => work('three', source, dest)));
    expect(ends.map(({ how }) => how)).toEqual(['finished', 'finished', 'finished']);
    expect(await contentsOf(dest)).toEqual(await contentsOf(source));
    expect(await queue.redis.keys('syncer:{three}:lease:*')).toEqual([]);
    await queue.close();
  });

  test('an error leaves everything that is extra, and is reported', async () => {
    const queue = await begin('errors');
    const source = await remoteWith(named(0, 100), BUCKET);
    const inner = await remoteWith(named(200, 220), BUCKET);
    const dest = remoteBut(inner, {
      write: (given, op) =>
        given.path === 'f0050'
          ? Promise.reject(new SyncerError('access-denied', 'no access'))
          : inner.write(given, op),
    });
    expect((await work('errors', source, dest)).how).toBe('failed');
    expect(Object.keys(await contentsOf(inner))).toHaveLength(119);
    const { errors } = await readQueueErrors(queue.redis, 'errors', '0');
    expect(errors).toMatchObject([{ code: 'access-denied' }]);
    await queue.close();
  });

  test('a worker that coordinates sends news when others can take a part of its slow range', async () => {
    const queue = await begin('slow');
    let written = 0;
    const heardAt: number[] = [];
    listenForNews(queue, 'slow', (news) => news === 'ranges' && heardAt.push(written));
    const source = await remoteWith(named(0, 400), BUCKET);
    const inner = await remoteWith({}, BUCKET);
    const dest = remoteBut(inner, {
      async write(given, op) {
        await setTimeout(10);
        written++;
        return inner.write(given, op);
      },
    });
    expect((await work('slow', source, dest)).how).toBe('finished');
    expect(heardAt.filter((at) => at > 0 && at < 400)).not.toEqual([]);
    await queue.close();
  });

  test('too many deletions end the run before the first one', async () => {
    const queue = await begin('limit');
    const source = await remoteWith(named(0, 20), BUCKET);
    const dest = await remoteWith(named(10, 60), BUCKET);
    expect((await work('limit', source, dest, { limits: { maxDelete: 39 } })).how).toBe(
      'too-many-deletes',
    );
    expect(Object.keys(await contentsOf(dest))).toHaveLength(60);
    await queue.close();
  });

  test('a move deletes at the source what a later listing shows at the destination', async () => {
    const queue = await begin('move');
    const source = await remoteWith(named(0, 300), BUCKET);
    const dest = await remoteWith({ ...named(100, 150), ...named(900, 910) }, BUCKET);
    const all = { ...(await contentsOf(dest)), ...(await contentsOf(source)) };
    const ends = await Promise.all([1, 2].map(() => work('move', source, dest, {}, 'move')));
    expect(ends.map(({ how }) => how)).toEqual(['finished', 'finished']);
    expect(await contentsOf(source)).toEqual({});
    expect(await contentsOf(dest)).toEqual(all);
    await queue.close();
  });

  test('a move deletes nothing at the source if anything was not copied', async () => {
    const queue = await begin('no move');
    const source = await remoteWith(named(0, 100), BUCKET);
    const inner = await remoteWith({}, BUCKET);
    const dest = remoteBut(inner, {
      write: (given, op) =>
        given.path === 'f0099'
          ? Promise.reject(new SyncerError('access-denied', 'no access'))
          : inner.write(given, op),
    });
    expect((await work('no move', source, dest, {}, 'move')).how).toBe('failed');
    expect(Object.keys(await contentsOf(source))).toHaveLength(100);
    await queue.close();
  });

  test.each([
    ['too-many-deletes', { maxDelete: 99 }],
    ['too-large-deletes', { maxDeleteBytes: 99 }],
  ] as const)('a move that would delete too much ends before: %s', async (how, limits) => {
    const queue = await begin(how);
    const source = await remoteWith(named(0, 100), BUCKET);
    const dest = await remoteWith({}, BUCKET);
    expect((await work(how, source, dest, { limits }, 'move')).how).toBe(how);
    expect(Object.keys(await contentsOf(source))).toHaveLength(100);
    await queue.close();
  });

  test('what changes after it was copied is copied again, and deleted after another look', async () => {
    const queue = await begin('late');
    const source = await remoteWith(named(0, 30), BUCKET);
    const inner = await remoteWith({}, BUCKET);
    let written = 0;
    let isChanged = false;
    const dest = remoteBut(inner, {
      async write(given, op) {
        written++;
        return inner.write(given, op);
      },
    });
    const changing = remoteBut(source, {
      async delete(files, op, how) {
        const [file] = files;
        if (!isChanged && file !== undefined) {
          isChanged = true;
          await deleteOne(inner, { ...file, path: 'f0029' }, op);
        }
        return source.delete(files, op, how);
      },
    });
    const two = { retries: 2, namesARange: 10 };
    expect((await work('late', changing, dest, two, 'move')).how).toBe('finished');
    expect(written).toBe(31);
    expect(await contentsOf(source)).toEqual({});
    expect(Object.keys(await contentsOf(inner))).toHaveLength(30);
    const { errors } = await readQueueErrors(queue.redis, 'late', '0');
    expect(errors).toMatchObject([{ message: /changed since it was copied/ }]);
    await queue.close();
  });

  test('a stopped run ends everywhere', async () => {
    const queue = await begin('stopped');
    const source = await remoteWith(named(0, 400), BUCKET);
    const inner = await remoteWith({}, BUCKET);
    const dest = remoteBut(inner, {
      async write(given, op) {
        await setTimeout(50);
        return inner.write(given, op);
      },
    });
    const ends = Promise.all([1, 2].map(() => work('stopped', source, dest)));
    await setTimeout(500);
    expect(await stopQueueRun(queue.redis, 'stopped', 'soft')).toBe(true);
    expect((await ends).map(({ how }) => how)).toEqual(['stopped', 'stopped']);
    expect(Object.keys(await contentsOf(inner)).length).toBeLessThan(400);
    await queue.close();
  });

  test('a run that is stopped softly ends when its files are finished, however long they take', async () => {
    const queue = await begin('soft');
    const source = await remoteWith(named(0, 2), BUCKET);
    const inner = await remoteWith({}, BUCKET);
    let begun = 0;
    const dest = remoteBut(inner, {
      async write(given, op) {
        begun++;
        await setTimeout(2 * LEASE.renewMs, undefined, { signal: op.signal });
        return inner.write(given, op);
      },
    });
    const end = work('soft', source, dest);
    await expect.poll(() => begun).toBe(2);
    expect(await stopQueueRun(queue.redis, 'soft', 'soft')).toBe(true);
    expect((await end).how).toBe('stopped');
    expect(Object.keys(await contentsOf(inner))).toHaveLength(2);
    await queue.close();
  });

  test('a run without workers is stopped at once, and listed among those that have ended', async () => {
    const queue = await begin('idle');
    expect(await stopQueueRun(queue.redis, 'idle', 'soft')).toBe(true);
    const state = await readRunState(queue.redis, 'idle');
    expect(state).toMatchObject({ stop: 'soft', ended: { how: 'stopped' } });
    expect(await listRunSpecs(queue.redis)).not.toHaveProperty('idle');
    expect(Object.entries(await listEndedSpecs(queue.redis))[0]).toEqual(['idle', '{}']);
    expect(await stopQueueRun(queue.redis, 'idle', 'now')).toBe(false);
    await queue.close();
  });

  test.each([
    ['phase', 'gone'],
    ['attempt', 'x'],
    ['begunMs', '-1'],
    ['stop', 'never'],
    ['reached', 'finished'],
    ['ended', '{"how":"well","atMs":5}'],
  ])('a state that syncer has not written ends the work on a run: %s %s', async (field, value) => {
    const run = `damaged ${field}`;
    const queue = await begin(run);
    await queue.redis.hset(`syncer:{${run}}:run`, field, value);
    const source = await remoteWith(named(0, 20), BUCKET);
    const dest = await remoteWith(named(10, 60), BUCKET);
    await expect(work(run, source, dest)).rejects.toMatchObject({
      message: `the queue has a damaged entry in syncer:{${run}}:run`,
    });
    expect(Object.keys(await contentsOf(dest))).toHaveLength(50);
    await queue.close();
  });

  test('a lease without an end, which nothing renews, ends the work on a run', async () => {
    const run = 'damaged lease';
    const queue = await begin(run);
    await queue.redis.set(`syncer:{${run}}:lease`, 'junk');
    const sides = [await remoteWith(named(0, 20), BUCKET), await remoteWith({}, BUCKET)] as const;
    const message = `the queue has a damaged entry in syncer:{${run}}:lease`;
    await expect(work(run, ...sides)).rejects.toMatchObject({ message });
    await queue.close();
  });

  test.each([
    ['text', '', 'garbage'],
    ['a list', '', '[]'],
    ['a range with another state', '', '{"state":"gone","files":0,"extra":0}'],
    ['a range whose end is no name', '', '{"state":"open","last":5,"files":0,"extra":0}'],
    ['a range with less than no files', '', '{"state":"done","files":0,"extra":-5}'],
    ['a range at another place', '"x"', '{"state":"open","after":"y","files":0,"extra":0}'],
  ])(
    '%s among the ranges ends the work on a run, and nothing is deleted',
    async (what, key, text) => {
      const run = `damaged ${what}`;
      const queue = await begin(run);
      await queue.redis.hset(`syncer:{${run}}:ranges`, key, text);
      const source = await remoteWith(named(0, 20), BUCKET);
      const dest = await remoteWith(named(10, 60), BUCKET);
      await expect(work(run, source, dest)).rejects.toMatchObject({
        code: 'other',
        message: `the queue has a damaged entry in syncer:{${run}}:ranges`,
      });
      expect(Object.keys(await contentsOf(dest)).length).toBeGreaterThanOrEqual(50);
      await queue.close();
    },
  );

  const RUNS = Number(process.env['SYNCER_TEST_LEDGER_RUNS'] ?? 10);

  test(`${RUNS} random runs of the ledger in the server`, { timeout: RUNS * 30_000 }, async () => {
    const queue = await open();
    for (let seed = 1; seed <= RUNS; seed++) {
      const run = `random-${seed}`;
      await enterRun(queue.redis, { id: run, spec: '{}', changes: [[run]] });
      const store = () => rangesInRedis(queue.redis, run, unhurried);
      await randomLedgerRun(seed, store(), store);
    }
    await queue.close();
  });
});
