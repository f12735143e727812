import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { failingNetwork } from '../../support/failing-network.ts';
import {
  makeQueueWorld,
  objectsNamed,
  outcome,
  QUEUE_SEEDS,
  type QueueWorld,
} from '../../support/queue-world.ts';
import { HAS_REDIS } from '../../support/redis-server.ts';
import { waitFor } from '../../support/wait-for.ts';

describe.skipIf(!HAS_REDIS)('a run over a queue', () => {
  let world: QueueWorld;
  beforeEach(async () => {
    world = await makeQueueWorld();
    await world.fill('a', objectsNamed('object', 0, 300));
    await world.fill('b', objectsNamed('extra', 0, 40));
  });
  afterEach(() => world.remove());

  const deletions = () => world.s3.log.count('DeleteObject') + world.s3.log.count('DeleteObjects');
  const copies = () => world.s3.log.count('PutObject');
  const extrasLeft = async () =>
    Object.keys(await world.contents('b')).filter((key) => key.startsWith('extra')).length;

  /** A command that works on its run itself. */
  const workingSync = () =>
    world.start(['sync', 'lake:bucket/a', 'copy:bucket/b', '--queue', world.redis.url]);

  test('ends with one line of what all workers have done', async () => {
    world.worker();
    const ended = await world.sync(['--stats', '1ms']).ended;
    expect(outcome(ended, world, 0)).toBe(0);
    const last = String(ended.stderr).match(/ done: .*/g);
    const done = / done: ranges \d+ done, 0 running, 0 waiting; files \d+ checked, /;
    expect(last).toEqual([expect.stringMatching(done)]);
    expect(last?.[0]).toMatch(/, 300 transferred \(\S+\), 40 deleted$/);
  });

  test('deletes nothing if a page of a listing is refused for good', async () => {
    world.s3.setFaults(({ operation, query }, n) =>
      operation === 'ListObjectsV2' && query.get('prefix')?.startsWith('a') === true && n >= 8
        ? { status: 403, code: 'AccessDenied' }
        : undefined,
    );
    world.worker();
    const ended = await world.sync().ended;
    expect(outcome(ended, world, 1)).toBe(1);
    expect(deletions()).toBe(0);
    expect(await extrasLeft()).toBe(40);
    expect(ended.stderr).toMatch(/AccessDenied|access denied|403/i);
  });

  test('has as many attempts as its command says, not its worker, and names all that failed', async () => {
    world.s3.setFaults(({ operation, key }) =>
      operation === 'PutObject' && key?.endsWith('07')
        ? { status: 403, code: 'AccessDenied' }
        : undefined,
    );
    world.worker();
    const { stdout } = await world.sync(['--retries', '1', '--detach']).ended;
    const run = String(stdout).trim();
    const attach = await world.start(['attach', run, '--queue', world.redis.url]).ended;
    expect(outcome(attach, world, 1)).toBe(1);
    expect(await world.redis.cli('hget', `syncer:{${run}}:run`, 'attempt')).toBe('1');
    const failed = [...String(attach.stdout).matchAll(/ERROR : (\w+): /g)].map(([, name]) => name);
    expect(failed.sort()).toEqual(['object0007', 'object0107', 'object0207']);
  });

  test('ends with 0 once a later attempt has done what failed in the command', async () => {
    let refused = 0;
    world.s3.setFaults(({ operation, key }) =>
      operation === 'PutObject' && key?.endsWith('0007') && refused++ === 0
        ? { status: 403, code: 'AccessDenied' }
        : undefined,
    );
    const sync = workingSync();
    expect(outcome(await sync.ended, world, 0)).toBe(0);
    expect(refused).toBe(2);
    expect(await extrasLeft()).toBe(0);
  });

  test('goes on after a server that stalls just as the run enters', async () => {
    const sync = workingSync();
    await waitFor(() => sync.seen.stderr.includes('is in the queue'));
    world.redis.pause();
    await sleep(6_500);
    world.redis.resume();
    const ended = await sync.ended;
    expect(outcome(ended, world, 0)).toBe(0);
    expect(ended.stderr.match(/waiting up to/g)?.length ?? 0).toBeLessThan(2);
    expect(await extrasLeft()).toBe(0);
  });

  test('has failed if its only command ends with an error: no later worker carries it out', async () => {
    await writeFile(world.config, world.sections().replaceAll(/^no_check_bucket.*$/gm, ''));
    world.s3.setFaults(({ operation }) =>
      operation === 'CreateBucket' ? { status: 403, code: 'AccessDenied' } : undefined,
    );
    const move = world.start(['move', 'lake:bucket/a', 'copy:new', '--queue', world.redis.url]);
    expect(outcome(await move.ended, world, 1)).toBe(1);
    expect(await world.redis.cli('hgetall', 'syncer:runs')).toBe('');
    world.s3.setFaults(() => undefined);
    const copy = world.start(['copy', 'lake:bucket/a', 'copy:new', '--queue', world.redis.url]);
    expect(outcome(await copy.ended, world, 0)).toBe(0);
  });

  test('whose queue is emptied ends with 5 and deletes nothing more; the same command repairs it', async () => {
    world.worker();
    const sync = world.sync();
    await waitFor(() => copies() >= 50, sync.ended);
    expect(copies()).toBeLessThan(300);
    await world.redis.cli('flushall');
    expect(outcome(await sync.ended, world, 5)).toBe(5);
    await sleep(2_000);
    expect(deletions()).toBe(0);
    const again = await world.sync().ended;
    expect(outcome(again, world, 0)).toBe(0);
    expect(await world.contents('b')).toEqual(await world.contents('a'));
  });

  test.each(QUEUE_SEEDS)(
    'makes both sides equal on a network that fails (seed %i)',
    async (seed) => {
      world.s3.setFaults(failingNetwork(seed, 50));
      world.worker();
      world.worker();
      const ended = await world.sync(['--retries', '5']).ended;
      world.s3.setFaults(undefined);
      expect(outcome(ended, world, 0)).toBe(0);
      expect(await world.contents('b')).toEqual(await world.contents('a'));
    },
  );

  test('never deletes what the source had when it was listed last', async () => {
    world.worker();
    const sync = world.sync();
    await waitFor(() => copies() >= 50, sync.ended);
    // The source grows by names that are extra at the destination until now, and shrinks.
    await world.fill('a', { ...objectsNamed('extra', 0, 20), ...objectsNamed('new', 0, 20) });
    await rm(join(world.bucket, 'a/object0299'));
    expect(outcome(await sync.ended, world, 0)).toBe(0);
    const kept = Object.keys(await world.contents('b')).filter((key) => /^extra/.test(key));
    expect(kept.sort()).toEqual(Object.keys(objectsNamed('extra', 0, 20)));
    const next = await world.sync().ended;
    expect(outcome(next, world, 0)).toBe(0);
    expect(await world.contents('b')).toEqual(await world.contents('a'));
  });
});
