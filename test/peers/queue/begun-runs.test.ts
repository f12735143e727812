import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { QUEUE_RIGHTS } from '../../../src/run/queue/connect.ts';
import { makeQueueWorld, objectsNamed, type QueueWorld } from '../../support/queue-world.ts';
import { HAS_REDIS } from '../../support/redis-server.ts';

describe.skipIf(!HAS_REDIS)('a run that there is', () => {
  let world: QueueWorld;
  beforeEach(async () => {
    world = await makeQueueWorld();
    await world.fill('a', objectsNamed('object', 0, 3));
    await world.fill('b', objectsNamed('extra', 0, 3));
  });
  afterEach(() => world.remove());

  /** Begins a run that no worker works on yet. */
  async function begin(...flags: string[]): Promise<string> {
    const { stdout } = await world.sync(['--detach', ...flags]).ended;
    return String(stdout).trim();
  }

  test('is not joined by a command with other limits or filters, which no worker would keep', async () => {
    const run = await begin('--max-delete', '9');
    for (const flag of [
      ...['--max-delete=2', '--max-duration=1h', '--bwlimit=1M', '--tpslimit=9'],
      ...['--retries=9', '--exclude=x*'],
    ]) {
      const [name = ''] = flag.split('=');
      const { code, stderr } = await world.sync(['--max-delete=9', flag, '--detach']).ended;
      expect(code, stderr).toBe(75);
      expect(stderr).toContain(`with another value of ${name}`);
      expect(stderr).toContain(`syncer stop ${run} --queue`);
    }
    expect(await begin('--max-delete', '9')).toBe(run);
    expect(Object.keys(await world.contents('b'))).toHaveLength(3);
  });

  test('and cannot be read hides no other one, and stop removes it', async () => {
    const run = await begin();
    const ps = (...words: string[]) =>
      world.start(['ps', '--queue', world.redis.url, ...words]).ended;
    const stop = (id: string, ...words: string[]) =>
      world.start(['stop', id, '--queue', world.redis.url, ...words]).ended;
    const entry = await world.redis.cli('hget', 'syncer:runs', run);
    const damage: readonly (readonly [id: string, ...command: string[]])[] = [
      ['no-json', 'hset', 'syncer:runs', 'no-json', '{'],
      ['no-run', 'hset', 'syncer:runs', 'no-run', '{"value":{}}'],
      ['lost', 'hset', 'syncer:runs', 'lost', entry.replaceAll(run, 'lost')],
    ];
    for (const [id, ...command] of damage) {
      await world.redis.cli(...command);
      const { code, stdout, stderr } = await ps();
      expect(code, id).toBe(1);
      expect(String(stdout)).toContain('lake:bucket/a');
      expect(stderr).toContain(`run ${id}: `);
      expect(stderr).not.toMatch(/undefined|WRONGTYPE/);
      expect(String((await stop(id, '--now')).stdout)).toContain('was removed');
      expect((await ps()).code, id).toBe(0);
    }
    for (const key of ['run', 'ranges', 'workers']) {
      const damaged = await begin();
      await world.redis.cli('del', `syncer:{${damaged}}:${key}`);
      await world.redis.cli('set', `syncer:{${damaged}}:${key}`, 'other');
      const { code, stderr } = await ps('--json');
      expect(code, key).toBe(1);
      expect(stderr).toContain('a key that syncer has not written');
      expect(String((await stop(damaged)).stdout)).toContain('was removed');
      expect((await ps()).code, key).toBe(0);
    }
    const last = await begin();
    expect((await stop(last)).code).toBe(0);
    expect((await stop(last)).stderr).toContain(`run ${last} has ended already`);
  });

  test('of another protocol is not joined, and a worker whose run has ended ends in order', async () => {
    const run = await begin();
    const entry = JSON.parse(await world.redis.cli('hget', 'syncer:runs', run));
    entry.value.protocol += 1;
    await world.redis.cli('hset', 'syncer:runs', run, JSON.stringify(entry));
    for (const flag of ['--detach', '--slots=1']) {
      const words = ['sync', 'lake:bucket/a', 'copy:bucket/b', '--retries=2', flag];
      const { code, stderr } = await world.start([...words, '--queue', world.redis.url]).ended;
      expect(code, stderr).toBe(1);
      expect(stderr).toContain('this machine has an older protocol');
    }
    expect(Object.keys(await world.contents('b'))).toEqual(
      Object.keys(objectsNamed('extra', 0, 3)),
    );
    const gone = await world.sync([], { SYNCER_JOINED_RUN: 'gone' }).ended;
    expect(gone).toMatchObject({ code: 0, stderr: '' });
  });

  test('works as the user of the documentation, who is refused nothing', async () => {
    await world.redis.cli('acl', 'setuser', 'syncer', 'reset', 'on', '>secret', ...QUEUE_RIGHTS);
    const url = world.redis.tcpUrl?.replace('//', '//syncer@') ?? '';
    const env = { SYNCER_QUEUE_PASSWORD: 'secret' };
    world.worker([], env, url);
    const limits = ['--max-delete=9', '--bwlimit=1M', '--max-transfer=1G', '--max-duration=1h'];
    const words = ['lake:bucket/a', 'copy:bucket/b', '--queue', url, '--no-work'];
    for (const verb of ['sync', 'check']) {
      const flags = verb === 'sync' ? limits : [];
      const { code, stderr } = await world.start([verb, ...words, ...flags], { env }).ended;
      expect(code, stderr).toBe(0);
    }
    expect((await world.start(['ps', '--queue', url], { env }).ended).code).toBe(0);
    expect(Object.keys(await world.contents('b'))).toHaveLength(3);
    expect(await world.redis.cli('acl', 'log')).toBe('');
  });

  test('has --max-duration from its beginning by the clock of the queue, whatever that of the command is', async () => {
    const behind = 'const{now}=Date;Date.now=()=>now()-86400000';
    const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(behind)}` };
    const run = await world.sync(['--detach', '--max-duration=1h'], env).ended;
    expect(run.code, run.stderr).toBe(0);
    const worker = await world.worker(['--drain']).ended;
    expect(worker.code, worker.stderr).toBe(0);
    expect(await world.contents('b')).toEqual(objectsNamed('object', 0, 3));
    const listed = await world.start(['ps', '--queue', world.redis.url, '--json']).ended;
    const [{ begunMs, ended }] = JSON.parse(String(listed.stdout));
    expect(ended.atMs - begunMs).toBeLessThan(3_600_000);
  });

  test('is found by a worker with --queue; two addresses are refused', async () => {
    await begin();
    const worker = (...words: string[]) => world.start(['worker', ...words, '--drain']).ended;
    const { url } = world.redis;
    const two = await worker(url, '--queue', `${url}?db=1`);
    expect(two.code).toBe(1);
    expect(two.stderr).toContain('the address of the queue is given twice');
    expect((await worker('--queue', url)).code).toBe(0);
    expect(await world.contents('b')).toEqual(objectsNamed('object', 0, 3));
  });

  test('is worked on by a worker whose whole address is in SYNCER_QUEUE, and in another database', async () => {
    await world.redis.cli('acl', 'setuser', 'syncer', 'reset', 'on', '>s:c/r', ...QUEUE_RIGHTS);
    const login = world.redis.tcpUrl?.replace('//', '//syncer@') ?? '';
    const database = `${world.redis.url}?db=3`;
    const queues: readonly (readonly [url: string, variable: string, password: string])[] = [
      [login, login.replace('@', ':s%3Ac%2Fr@'), 's:c/r'],
      [database, database, ''],
    ];
    for (const [url, variable, password] of queues) {
      await world.fill('b', objectsNamed('extra', 0, 3));
      const words = ['sync', 'lake:bucket/a', 'copy:bucket/b', '--queue', url, '--detach'];
      const env = { SYNCER_QUEUE_PASSWORD: password };
      expect((await world.start(words, { env }).ended).code).toBe(0);
      const worker = world.start(['worker', '--drain'], { env: { SYNCER_QUEUE: variable } });
      const { code, stderr } = await worker.ended;
      expect(code, stderr).toBe(0);
      expect(stderr).toContain(`Waiting for runs in the queue at ${url}`);
      expect(await world.contents('b')).toEqual(objectsNamed('object', 0, 3));
    }
  });

  test('and has lost its ranges does not succeed', async () => {
    const run = await begin();
    await world.redis.cli('del', `syncer:{${run}}:ranges`);
    const sync = world.sync();
    const worker = world.worker(['--drain']);
    expect((await sync.ended).code).toBe(1);
    await worker.ended;
    expect(Object.keys(await world.contents('b'))).toHaveLength(3);
  });
});
