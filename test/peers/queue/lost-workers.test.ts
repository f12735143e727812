import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SeenRequest } from '../../servers/fault.ts';
import { type Forward, forwardTo } from '../../support/forward-to.ts';
import {
  makeQueueWorld,
  objectsNamed,
  outcome,
  type QueueWorld,
} from '../../support/queue-world.ts';
import { HAS_REDIS } from '../../support/redis-server.ts';
import type { Running } from '../../support/run-syncer.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Names that a holder takes at once at first. */
const SLICE = 16;

describe.skipIf(!HAS_REDIS)('a run over a queue', { timeout: 300_000 }, () => {
  let world: QueueWorld;
  let forward: Forward | undefined;
  beforeEach(async () => {
    world = await makeQueueWorld();
    await world.fill('a', objectsNamed('object', 0, 300));
    await world.fill('b', objectsNamed('extra', 0, 40));
  });
  afterEach(async () => {
    forward?.close();
    await world.remove();
  });

  /** A worker whose requests can be told from those of others. */
  const workerNamed = (name: string, flags: readonly string[] = [], url = world.redis.url) =>
    world.worker(['--user-agent', name, ...flags], {}, url);
  const isOf = (name: string, { headers }: SeenRequest) => headers['user-agent'] === name;
  const requestsOf = (name: string) =>
    world.s3.log.requests.filter((request) => isOf(name, request));

  test('with a key that kills each worker leaves the names beside it, names them, and deletes nothing', async () => {
    const workers = new Map<string, Running>();
    world.s3.setFaults(({ operation, key, headers }) => {
      if (operation !== 'GetObject' || key !== 'a/object0100') return undefined;
      const worker = workers.get(headers['user-agent'] ?? '');
      if (worker !== undefined) void world.killChildren(worker);
      return { hang: 'before' };
    });
    for (const name of ['one', 'two']) workers.set(name, workerNamed(name));
    const ended = await world.sync().ended;
    expect(outcome(ended, world, 1)).toBe(1);
    const copied = await world.contents('b');
    const left = Object.keys(await world.contents('a')).filter((key) => !(key in copied));
    expect(left).toContain('object0100');
    expect(left.length).toBeLessThanOrEqual(SLICE);
    expect(Object.keys(copied).filter((key) => key.startsWith('extra'))).toHaveLength(40);
    for (const operation of ['DeleteObject', 'DeleteObjects'] as const) {
      expect(world.s3.log.count(operation)).toBe(0);
    }
    const named = /names behind "(\w+)" up to "(\w+)" were not finished/.exec(ended.stderr);
    expect(named, ended.stderr).not.toBeNull();
    const [, after = '', last = ''] = named ?? [];
    expect(left.filter((key) => key <= after || key > last)).toEqual([]);
    expect(world.logs()).toMatch(/[12] ranges? of the lost program can be taken by others now/);
  });

  test('goes on without a worker that the queue cannot reach, which stops before another one has its names', async () => {
    forward = await forwardTo(world.redis.port);
    const through = `redis://127.0.0.1:${new URL(forward.endpoint).port}`;
    // What it has taken lasts for longer than its lease.
    workerNamed('one', ['--tpslimit', '1'], through);
    const sync = world.sync();
    await waitFor(() => requestsOf('one').some(({ operation }) => operation === 'PutObject'));
    forward.silence();
    const { length: before } = world.s3.log.requests;
    const itsRanges = new Set(requestsOf('one').map(beginsRange));
    workerNamed('two');
    expect(outcome(await sync.ended, world, 0)).toBe(0);
    expect(await world.contents('b')).toEqual(await world.contents('a'));
    const after = world.s3.log.requests.slice(before);
    const lastOfOne = after.findLastIndex((request) => isOf('one', request));
    const taken = after.findIndex((request) => {
      const range = beginsRange(request);
      return isOf('two', request) && range !== undefined && itsRanges.has(range);
    });
    // It went on without the queue for a while.
    expect(lastOfOne).toBeGreaterThan(-1);
    expect(taken).toBeGreaterThan(lastOfOne);
  });
});

/** The range of names whose listing a request begins. */
function beginsRange({ operation, query }: SeenRequest): string | undefined {
  const isFirst = !query.has('continuation-token') && query.get('max-keys') !== '1';
  if (operation !== 'ListObjectsV2' || !isFirst) return undefined;
  return `${query.get('prefix')} ${query.get('start-after') ?? ''}`;
}
