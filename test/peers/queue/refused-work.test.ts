import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  makeQueueWorld,
  objectsNamed,
  outcome,
  type QueueWorld,
} from '../../support/queue-world.ts';
import { HAS_REDIS } from '../../support/redis-server.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import type { Running } from '../../support/run-syncer.ts';
import { waitFor } from '../../support/wait-for.ts';

const REMOTES = { SYNCER_CONFIG_A_TYPE: 'memory', SYNCER_CONFIG_B_TYPE: 'memory' };
const KEY = 'a-shared-key-of-32-characters-00';

describe.skipIf(!HAS_REDIS)('a worker takes no work', () => {
  let world: QueueWorld;
  beforeEach(async () => {
    world = await makeQueueWorld();
    await world.fill('a', objectsNamed('object', 0, 30));
  });
  afterEach(() => world.remove());

  /** Begins a run that no worker works on yet. */
  async function begin(
    flags: readonly string[] = [],
    env: Record<string, string> = {},
  ): Promise<string> {
    const { stdout, ...ended } = await world.sync(['--detach', ...flags], env).ended;
    expect(outcome({ stdout, ...ended }, world, 0)).toBe(0);
    return String(stdout).trim();
  }
  async function expectRefused(worker: Running, why: RegExp | string): Promise<void> {
    await waitFor(() => new RegExp(why).test(worker.seen.stderr), worker.ended);
    expect(worker.seen.stderr).toMatch(why);
    await sleep(500);
    expect(await world.contents('b')).toEqual({});
    for (const write of ['CopyObject', 'PutObject', 'DeleteObject', 'DeleteObjects'] as const) {
      expect(world.s3.log.count(write)).toBe(0);
    }
  }
  /** A worker with a configuration of its own. */
  async function workerWith(sections: string): Promise<Running> {
    const config = join(world.dir, 'other.conf');
    await writeFile(config, sections);
    return world.worker(['--config', config]);
  }

  test('of a bucket at another endpoint, and of another region', async () => {
    await begin();
    const endpoint = world.s3.endpoint.replace('127.0.0.1', 'localhost');
    await expectRefused(
      await workerWith(world.sections({ endpoint })),
      /lake:bucket\/a is at another endpoint here/,
    );
    await expectRefused(
      await workerWith(world.sections({ region: 'eu-9' })),
      /lake:bucket\/a is in another region here/,
    );
  });

  test('of a remote that is a local path on its machine', async () => {
    await begin();
    const sections = `[lake]\ntype = alias\nremote = ${world.dir}\n[copy]\ntype = alias\nremote = ${world.dir}\n`;
    await expectRefused(await workerWith(sections), /every worker would see its own disk/);
  });

  test('with another flag of its own', async () => {
    await begin();
    const worker = world.worker([], { SYNCER_CHECKSUM: 'true' });
    await expectRefused(worker, /--checksum has another value here than in the run/);
  });

  test('of another protocol', async () => {
    const run = await begin();
    const text = await world.redis.cli('hget', 'syncer:runs', run);
    const signed = JSON.parse(text);
    signed.value.protocol += 1;
    await world.redis.cli('hset', 'syncer:runs', run, JSON.stringify(signed));
    await expectRefused(world.worker(), /protocol/);
  });

  test('between places that --allow does not name', async () => {
    await begin();
    const worker = world.worker(['--allow', 'lake: -> copy:bucket/other']);
    await expectRefused(worker, /--allow does not permit lake:bucket\/a -> copy:bucket\/b/);
    const other = world.worker(['--allow', 'lake:bucket -> copy:bucket/b', '--drain']);
    expect(outcome(await other.ended, world, 0)).toBe(0);
    expect(Object.keys(await world.contents('b'))).toHaveLength(30);
  });

  test('that is not signed with its key, or was changed after it was signed', async () => {
    const run = await begin();
    const keyed = world.worker([], { SYNCER_QUEUE_KEY: KEY });
    await expectRefused(
      keyed,
      /it is not signed, and this machine has a key: .*; start it with SYNCER_QUEUE_KEY/,
    );
    await world.redis.cli('flushall');
    const again = await begin([], { SYNCER_QUEUE_KEY: KEY });
    expect(again).not.toBe(run);
    const text = await world.redis.cli('hget', 'syncer:runs', again);
    const forged = text.replace('copy:bucket/b', 'copy:bucket/c');
    expect(forged).not.toBe(text);
    await world.redis.cli('hset', 'syncer:runs', again, forged);
    const careful = world.worker([], { SYNCER_QUEUE_KEY: KEY });
    await expectRefused(
      careful,
      /it has a wrong signature: .*; give all machines the same SYNCER_QUEUE_KEY/,
    );
    await world.redis.cli('hset', 'syncer:runs', again, text);
    const last = world.worker(['--drain'], { SYNCER_QUEUE_KEY: KEY });
    expect(outcome(await last.ended, world, 0)).toBe(0);
    expect(Object.keys(await world.contents('b'))).toHaveLength(30);
  });

  test('from a run with a flag that could make it read files or start programs', async () => {
    const run = await begin();
    for (const word of [
      '--metadata-mapper=touch owned',
      '--log-file=owned',
      '--filter-from=/etc/passwd',
    ]) {
      const signed = JSON.parse(await world.redis.cli('hget', 'syncer:runs', run));
      signed.value.words = [word];
      await world.redis.cli('hset', 'syncer:runs', run, JSON.stringify(signed));
      await expectRefused(
        world.worker(),
        /Not working on run|can't use --queue with --metadata-mapper/,
      );
      expect(await readdir(world.dir)).not.toContain('owned');
    }
  });
});

/** Keys and values of a Redis as one text. */
const EVERYTHING = `
local all = {}
for _, key in ipairs(redis.call('KEYS', '*')) do
  all[#all + 1] = key
  local type = redis.call('TYPE', key).ok
  local values = { type }
  if type == 'hash' then values = redis.call('HGETALL', key) end
  if type == 'string' then values = { redis.call('GET', key) } end
  if type == 'stream' then values = { cjson.encode(redis.call('XRANGE', key, '-', '+')) } end
  if type == 'list' then values = redis.call('LRANGE', key, 0, -1) end
  if type == 'zset' then values = redis.call('ZRANGE', key, 0, -1) end
  for _, value in ipairs(values) do all[#all + 1] = value end
end
return table.concat(all, ' ')`;

/** The command lines of a worker, the programs it has started, and another program. */
async function commandLines(worker: number, other: number): Promise<string> {
  const read = (path: string) => readFile(path, 'utf8').catch(() => '');
  const children = await read(`/proc/${worker}/task/${worker}/children`);
  const pids = [worker, other, ...children.trim().split(' ')];
  return (await Promise.all(pids.map((pid) => read(`/proc/${pid}/cmdline`)))).join('\n');
}

describe.skipIf(!HAS_REDIS)('secrets', () => {
  test('of configurations and of the address are in no key, value, log or command line', async () => {
    const world = await makeQueueWorld();
    try {
      await world.fill('a', objectsNamed('object', 0, 120));
      const password = 'MARKER-of-the-queue';
      await world.redis.cli('config', 'set', 'requirepass', password);
      const { secretAccessKey, accessKeyId } = world.s3;
      const marked = { sse_customer_key_md5: 'MARKER-unused', session_token: '' };
      await writeFile(world.config, world.sections(marked));
      const env = { SYNCER_QUEUE_PASSWORD: password, SYNCER_QUEUE_KEY: `MARKER-${KEY}` };
      const worker = world.worker(['-vv'], env);
      const sync = world.sync(['-vv'], env);
      const login = ['-a', password, '--no-auth-warning'];
      let isOver = false;
      const over = sync.ended.finally(() => {
        isOver = true;
      });
      let [held, lines] = ['', ''];
      while (!isOver) {
        held += await world.redis.cli(...login, 'eval', EVERYTHING, '0');
        lines += await commandLines(worker.pid, sync.pid);
        await sleep(100);
      }
      expect(outcome(await over, world, 0)).toBe(0);
      expect(lines).toContain('--queue');
      expect(held).toContain('lake:bucket/a');
      for (const text of [held, lines, world.logs()]) {
        for (const secret of ['MARKER', secretAccessKey, accessKeyId]) {
          expect(text.includes(secret), secret).toBe(false);
        }
      }
    } finally {
      await world.remove();
    }
  });
});

test.each(['--dry-run', '--interactive', '--trash'])(
  '%s with --queue is refused in one line',
  async (flag) => {
    const words = ['sync', 'a:x', 'b:x', '--queue', 'redis://127.0.0.1:1', '-v', flag];
    const { code, stdout, stderr } = await runInProcess(words, { HOME: '/none', ...REMOTES });
    expect([code, stdout]).toEqual([1, '']);
    const lines = stderr.replace(/^.*Config file .*\n/, '');
    expect(lines).toMatch(/^[^\n]*: can't use --queue with[^\n]*\n$/);
  },
);

test.each([
  ...['-c', '--max-delete=5', '--include=x', '--retries=7', '--update'].map(
    (flag) => [flag, 2] as const,
  ),
  ...['--dry-run', '--interactive', '--header=X: 1', '--retries-sleep=5s'].map(
    (flag) => [flag, 1] as const,
  ),
])('a worker refuses %s, which its runs would ignore or refuse', async (flag, exit) => {
  const words = ['worker', 'redis://127.0.0.1:1', flag];
  const { code, stderr } = await runInProcess(words, { HOME: '/none' });
  expect(code, stderr).toBe(exit);
  expect(stderr).toMatch(/can't use syncer worker with --/);
});

test.each(['sync', 'copy', 'move', 'check'])(
  '%s has flags of runs over a queue only with --queue',
  async (verb) => {
    for (const flag of ['--no-work', '--detach', '--slots=2']) {
      const words = [verb, 'a:x', 'b:y', flag];
      const { code, stderr } = await runInProcess(words, { HOME: '/none', ...REMOTES });
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining(`${flag.split('=')[0]} needs --queue`),
      ]);
    }
  },
);
