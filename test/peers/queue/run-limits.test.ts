import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../../commands/index.ts';
import { RequestGate, systemClock } from '../../../src/core/context.ts';
import type { SyncerEvent } from '../../../src/core/events.ts';
import type { QueueLimits } from '../../../src/run/queue/run-spec.ts';
import { runLimits } from '../../../src/run/queue/work-in-queue.ts';
import { RunOpener } from '../../../src/run/remotes/open-remote.ts';
import { backendFlags } from '../../../src/shell/command-line/backend-flags.ts';
import { parseCommandLine } from '../../../src/shell/command-line/parse-command-line.ts';
import { KnownSecrets } from '../../../src/shell/log/known-secrets.ts';
import { startTestS3 } from '../../servers/test-s3.ts';
import { HAS_REDIS, startRedis, type TestRedis } from '../../support/redis-server.ts';
import { makeSyncerWorld } from '../../support/run-syncer.ts';
import { section } from '../../support/s3-world.ts';

const { signal } = new AbortController();

describe.skipIf(!HAS_REDIS)('the limits of a run at its workers', () => {
  let redis: TestRedis;
  let client: Redis;
  let opened: ReturnType<typeof runLimits>[];
  let events: SyncerEvent[];
  beforeEach(async () => {
    redis = await startRedis();
    client = new Redis(redis.url.slice('unix:'.length));
    [opened, events] = [[], []];
  });
  afterEach(async () => {
    for (const one of opened) one.end();
    client.disconnect();
    await redis.stop();
  });

  const worker = (limits: Partial<QueueLimits>, name = 'a') => {
    const context = { clock: systemClock, emit: (event: SyncerEvent) => void events.push(event) };
    const by = { redis: client, run: '1', worker: name, context };
    const one = runLimits(limits, by);
    opened.push(one);
    return one;
  };
  const keys = async () => (await client.keys('*:limit:*')).filter((key) => !/workers$/.test(key));
  const [up, down] = [
    { up: true, down: false },
    { up: false, down: true },
  ];

  test('one bandwidth is for all bytes, two are for uploads and downloads', async () => {
    await worker({ bandwidth: '100M' }).bandwidth?.take(1_000, down, signal);
    expect(await keys()).toEqual(['syncer:{1}:limit:bytes']);
    await client.flushall();
    const both = worker({ bandwidth: '100M:off' }).bandwidth;
    await both?.take(1_000, down, signal);
    expect(await keys()).toEqual([]);
    await both?.take(1_000, up, signal);
    expect(await keys()).toEqual(['syncer:{1}:limit:upload']);
    expect(worker({}).bandwidth).toBeUndefined();
    expect(() => worker({ bandwidth: 'fast' })).toThrow('fast');
  });

  test('requests are counted for all workers together', async () => {
    const limits = { requestsPerSecond: 1_000 };
    await Promise.all(['a', 'b'].map((name) => worker(limits, name).takeRequest(signal)));
    expect(await keys()).toEqual(['syncer:{1}:limit:requests']);
    expect(await client.zcard('syncer:{1}:limit:requests:workers')).toBe(2);
  });

  test('a server that asks one worker to slow down lowers the limit of another', async () => {
    const [one, two] = [worker({}, 'a'), worker({}, 'b')];
    for (let i = 0; i < 100; i++) await two.takeRequest(signal);
    one.emit({ type: 'wait', why: 'retry', ms: 1, what: 'a request' });
    await expect.poll(() => client.exists('syncer:{1}:limit:slow:workers')).toBe(1);
    expect(one.loweredTo()).toBeUndefined();
    one.emit({ type: 'wait', why: 'throttled', ms: 1, what: 'a request' });
    await expect.poll(() => two.loweredTo()).toBeGreaterThan(0);
    expect(events).toHaveLength(2);
  });
});

test('every request of an open remote waits for a limit at the gate, as long as it is used', async () => {
  const [world, s3] = await Promise.all([makeSyncerWorld({ inOwnProcess: true }), startTestS3()]);
  try {
    await mkdir(join(s3.root, 'bucket'));
    await writeFile(world.config, section(s3));
    const vocabulary = { commands: COMMANDS, backendFlags: backendFlags(), env: {}, nowMs: 0 };
    const line = parseCommandLine(['ls', '--config', world.config], vocabulary);
    let requests = 0;
    const requestGate = new RequestGate();
    const context = { signal, clock: systemClock, emit: () => {}, requestGate };
    const opener = new RunOpener({ line, context, env: {}, secrets: new KnownSecrets() });
    const remote = await opener.openDir('store:bucket');
    const end = requestGate.use(async () => void requests++);
    await remote.listPage('', undefined, { signal });
    expect(requests).toBeGreaterThan(0);
    end();
    const before = requests;
    await remote.listPage('', undefined, { signal });
    expect(requests).toBe(before);
    await opener.closeAll();
  } finally {
    await s3.stop();
    await world.remove();
  }
});
