import { afterEach, describe, expect, test } from 'vitest';
import { queueChecks } from '../../../commands/doctor/queue-checks.ts';
import { openQueue, QUEUE_RIGHTS } from '../../../src/run/queue/connect.ts';
import { queueAddress } from '../../../src/run/queue/queue-address.ts';
import { endQueueRun, enterRun } from '../../../src/run/queue/queue-run.ts';
import { rangesInRedis } from '../../../src/run/queue/ranges-in-redis.ts';
import { Ledger } from '../../../src/run/ranges/ledger.ts';
import { HAS_REDIS, startRedis, type TestRedis } from '../../support/redis-server.ts';
import { collect } from '../../unit/commands/doctor/collect.ts';

const NETWORK = { connectTimeoutMs: 5_000, insecureTls: false };
const { signal } = new AbortController();
let redis: TestRedis | undefined;
afterEach(async () => {
  await redis?.stop();
  redis = undefined;
});

async function start(options: Parameters<typeof startRedis>[0] = {}): Promise<TestRedis> {
  redis = await startRedis(options);
  return redis;
}

const checks = (url: string, env: NodeJS.ProcessEnv = {}, now = () => Date.now()) =>
  collect(queueChecks(queueAddress(url, env), NETWORK, { now, signal }));

describe.skipIf(!HAS_REDIS)('the checks of a queue', () => {
  test('one that is as it should be', async () => {
    const { url } = await start({ appendOnly: true });
    const found = await checks(url);
    expect(Object.keys(found)).toEqual([
      ...['queue', 'version', 'eviction', 'append-only', 'memory', 'tls', 'acl', 'clock'],
    ]);
    for (const text of Object.values(found)) expect(text).toMatch(/^ok: /);
  });

  test('what is wrong, each with the command that mends it', async () => {
    const words = ['--maxmemory-policy', 'allkeys-lru', '--maxmemory', '1500000'];
    const { url, folder } = await start({ words });
    const cli = `redis-cli -s ${folder}/s`;
    const found = await checks(url, {}, () => Date.now() + 60_000);
    expect(found['eviction']).toContain(`$ ${cli} config set maxmemory-policy noeviction`);
    expect(found['append-only']).toMatch(/^warning: .* \$ .* config set appendonly yes$/);
    expect(found['memory']).toMatch(/^(warning|ok): \d+\.\d MiB of 1\.4 MiB used/);
    expect(found['clock']).toMatch(/^failed: .* differ by (60|59)\.\d s \$ timedatectl/);
    // The commands do what they say.
    const said = found['eviction']?.split(`${cli} `)[1]?.split(' ') ?? [];
    await redis?.cli(...said);
    await redis?.cli('config', 'set', 'appendonly', 'yes');
    const again = await checks(url);
    expect(again['eviction']).toMatch(/^ok: /);
    expect(again['append-only']).toMatch(/^ok: /);
  });

  test('a user who may do everything, and the one of the ACL that it names', async () => {
    const acl = ['user default on >first ~* &* +@all'];
    const { tcpUrl = '' } = await start({ acl, tcp: true });
    const before = await checks(tcpUrl, { SYNCER_QUEUE_PASSWORD: 'first' });
    expect(before['acl']).toContain('the user default may read and change everything');
    expect(JSON.stringify(before)).not.toContain('first');
    const words = (before['acl']?.split(' acl setuser ')[1] ?? '').replaceAll("'", '').split(' ');
    const named = words.map((word) => word.replace('>PASSWORD', '>second'));
    await redis?.cli('-a', 'first', '--no-auth-warning', 'acl', 'setuser', ...named);

    const url = tcpUrl.replace('//', '//syncer@');
    const env = { SYNCER_QUEUE_PASSWORD: 'second' };
    expect((await checks(url, env))['acl']).toBe('ok: the user syncer is limited to some keys');
    const queue = await openQueue(queueAddress(url, env), NETWORK, signal);
    const run = { id: '1', spec: '{}', changes: [['place']] as const };
    expect(await enterRun(queue.redis, run)).toBe('1');
    const ledger = new Ledger(rangesInRedis(queue.redis, '1', (command) => command()));
    const held = await ledger.claim('token', 'worker');
    expect(await held?.done({ files: 7, extra: 0 })).toBe(true);
    await endQueueRun(queue.redis, '1', { how: 'finished', atMs: 0 });
    await queue.close();
  });

  test('a user who lacks rights, with the command that gives them', async () => {
    const { tcpUrl = '' } = await start({ tcp: true });
    const url = tcpUrl.replace('//', '//syncer@');
    const check = async (...rights: string[]) => {
      await redis?.cli('acl', 'setuser', 'syncer', 'reset', 'on', '>second', ...rights);
      return checks(url, { SYNCER_QUEUE_PASSWORD: 'second' });
    };
    const found = await check(...QUEUE_RIGHTS, '-xadd', 'resetchannels');
    const said = /^failed: .*: (.*) \$ redis-cli -u redis:\/\/127\S+ acl setuser syncer (.*)$/.exec(
      found['acl'] ?? '',
    );
    expect(said?.[1]).toBe('+xadd &syncer:*');
    const words = said?.[2]?.replaceAll("'", '').split(' ') ?? [];
    expect((await check(...QUEUE_RIGHTS, '-xadd', 'resetchannels', ...words))['acl']).toMatch(
      /^ok/,
    );
    expect((await check('~syncer:*'))['queue']).toContain("acl setuser syncer '~syncer:*'");
  });

  test('one that cannot be reached', async () => {
    expect(await checks('unix:/nowhere/s')).toEqual({
      queue: expect.stringMatching(
        /^failed: cannot reach the queue .* \$ redis-cli -s \/nowhere\/s ping$/,
      ),
    });
  });
});
