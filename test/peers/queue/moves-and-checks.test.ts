import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  makeQueueWorld,
  objectsNamed,
  outcome,
  type QueueWorld,
} from '../../support/queue-world.ts';
import { HAS_REDIS } from '../../support/redis-server.ts';
import { waitFor } from '../../support/wait-for.ts';

describe.skipIf(!HAS_REDIS)('over a queue', () => {
  let world: QueueWorld;
  beforeEach(async () => {
    world = await makeQueueWorld();
  });
  afterEach(() => world.remove());

  const run = (verb: string, ...flags: string[]) =>
    world.start([verb, 'lake:bucket/a', 'copy:bucket/b', '--queue', world.redis.url, ...flags]);
  const watch = (verb: string, ...flags: string[]) => run(verb, '--no-work', ...flags);

  test('a move deletes each object once its copy is listed, also if a worker is killed', async () => {
    await world.fill('a', objectsNamed('object', 0, 300));
    await world.fill('b', objectsNamed('other', 0, 10));
    const worker = world.worker();
    world.worker();
    const move = watch('move');
    const deleted = () => world.s3.log.count('DeleteObject') + world.s3.log.count('DeleteObjects');
    await waitFor(() => deleted() >= 20, move.ended);
    await world.killChildren(worker);
    expect(outcome(await move.ended, world, 0)).toBe(0);
    expect(await world.contents('a')).toEqual({});
    expect(await world.contents('b')).toEqual({
      ...objectsNamed('object', 0, 300),
      ...objectsNamed('other', 0, 10),
    });
  });

  test('a move is not worked on with --allow, only with --allow-move', async () => {
    await world.fill('a', objectsNamed('object', 0, 5));
    const move = watch('move');
    const careful = world.worker(['--allow', 'lake: -> copy:']);
    await waitFor(() => careful.seen.stderr.includes('--allow-move does not permit'), move.ended);
    const worker = world.worker(['--allow-move', 'lake: -> copy:', '--drain']);
    expect(outcome(await move.ended, world, 0)).toBe(0);
    expect((await worker.ended).code).toBe(0);
    expect(await world.contents('a')).toEqual({});
    expect(Object.keys(await world.contents('b'))).toHaveLength(5);
  });

  test('a move holds its source and its destination', async () => {
    await world.fill('a', objectsNamed('object', 0, 5));
    expect((await watch('move', '--detach').ended).code).toBe(0);
    for (const [source, dest] of [
      ['lake:bucket/other', 'lake:bucket/a/below'],
      ['lake:bucket/other', 'copy:bucket/b'],
    ]) {
      const words = ['sync', source ?? '', dest ?? '', '--queue', world.redis.url, '--detach'];
      const { code, stderr } = await world.start(words).ended;
      expect(code, stderr).toBe(75);
    }
  });

  test('a check counts the differences of all workers, and names them', async () => {
    await world.fill('a', { ...objectsNamed('object', 0, 90), changed: 'long', gone: 'x' });
    await world.fill('b', { ...objectsNamed('object', 0, 90), changed: 's', more: 'x' });
    world.worker();
    const { code, stderr } = await watch('check', '--size-only').ended;
    expect(code, world.logs()).toBe(1);
    for (const name of ['changed', 'gone', 'more']) expect(stderr).toMatch(new RegExp(`${name}: `));
    expect(stderr).toContain('3 differences found');
    const oneWay = await watch('check', '--size-only', '--one-way').ended;
    expect(oneWay.stderr).toContain('2 differences found');
    await world.fill('b', { changed: 'long', gone: 'x' });
    const last = await run('check', '--size-only', '--one-way').ended;
    expect(last.code, last.stderr).toBe(0);
    expect(last.stderr).toContain('0 differences found');
    const refused = await watch('check', '--combined', '-').ended;
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('--combined: the queue holds no lists of names');
  });

  test.each([
    ['hard', 100, 100],
    ['cautious', 100, 99],
  ] as const)('--max-transfer counts the bytes of all workers: %s', async (mode, bytes, most) => {
    await world.fill(
      'a',
      Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`f${i}`, 'xxx'])),
    );
    world.worker();
    world.worker();
    const words = ['--max-transfer', `${bytes}B`, '--cutoff-mode', mode];
    expect(outcome(await watch('copy', ...words).ended, world, 8)).toBe(8);
    const copied = Object.keys(await world.contents('b')).length;
    expect(copied).toBe(Math.floor(most / 3));
  });

  test('--max-delete-size ends a run before the first deletion', async () => {
    await world.fill('b', objectsNamed('extra', 0, 20));
    await world.fill('a', { one: '1' });
    world.worker();
    expect(outcome(await watch('sync', '--max-delete-size', '100B').ended, world, 7)).toBe(7);
    expect(Object.keys(await world.contents('b'))).toHaveLength(21);
    expect(outcome(await watch('sync', '--max-delete-size', '1k').ended, world, 0)).toBe(0);
    expect(Object.keys(await world.contents('b'))).toHaveLength(1);
  });
});
