import { chmod, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CreateMultipartUploadCommand, PutBucketVersioningCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestGraph, type TestGraph } from '../servers/graph/start-graph.ts';
import { sdkClient } from '../servers/sdk-client.ts';
import { writeTree } from '../support/file-tree.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { makeS3World, type S3World, section } from '../support/s3-world.ts';

interface Check {
  readonly group: string;
  readonly check: string;
  readonly verdict: string;
  readonly text: string;
  readonly mend: string | null;
}

let world: S3World;
let graph: TestGraph;
const SECRET = 'a-marker-that-must-not-be-seen';

beforeAll(async () => {
  [world, graph] = await Promise.all([
    makeS3World(),
    startTestGraph({ drives: [{ type: 'business' }] }),
  ]);
});
afterAll(() => Promise.all([world.remove(), graph.stop()]));
beforeEach(() => configure({}));

async function configure(more: Readonly<Record<string, string>>, drive = {}): Promise<void> {
  const keys = { ...graph.section(), graph_url: graph.graphUrl, ...drive };
  const lines = Object.entries(keys).map(([key, value]) => `${key} = ${value}\n`);
  await writeFile(world.config, `${section(world.s3, 'store', more)}[d]\n${lines.join('')}`);
  await chmod(world.config, 0o600);
}

async function doctor(...args: string[]) {
  const { code, stdout, stderr } = await world.run(['doctor', '--json', ...args], {
    env: { AWS_EC2_METADATA_DISABLED: 'true' },
  });
  const text = stdout.toString();
  expect(text + stderr).not.toContain(SECRET);
  expect(text + stderr).not.toContain(world.s3.secretAccessKey);
  const { checks } = JSON.parse(text) as { checks: readonly Check[] };
  const of = (group: string) =>
    Object.fromEntries(
      checks.filter((one) => one.group === group).map((one) => [one.check, one] as const),
    );
  // Mounts of other tests and programs come and go.
  const isOwn = ({ group }: Check) => group !== 'mount';
  const failed = checks.filter((one) => isOwn(one) && one.verdict === 'failed');
  return { code, of, checks, failed };
}

test('without arguments nothing is asked of any remote, and nothing is written', async () => {
  const before = world.s3.log.count();
  const { failed, of } = await doctor();
  expect(failed).toEqual([]);
  expect(of('remotes')).toMatchObject({ store: { verdict: 'ok' }, d: { verdict: 'ok' } });
  expect(Object.keys(of('program'))).toContain('native');
  expect(world.s3.log.count()).toBe(before);
});

describe('S3', () => {
  test('a bucket is only read, its versions and uploads are shown', async () => {
    const client = sdkClient(world.s3);
    await client.send(
      new PutBucketVersioningCommand({
        ...{ Bucket: 'bucket', VersioningConfiguration: { Status: 'Enabled' } },
      }),
    );
    await client.send(new CreateMultipartUploadCommand({ Bucket: 'bucket', Key: 'half' }));
    client.destroy();
    const before = { ...world.s3.log.counts() };
    const { failed, of } = await doctor('store:bucket');
    expect(failed).toEqual([]);
    expect(of('store:bucket')).toMatchObject({
      connection: { verdict: 'ok' },
      clock: { verdict: 'ok' },
      list: { verdict: 'ok' },
      credentials: { verdict: 'ok', text: 'access_key_id of the remote' },
      'unfinished-uploads': { verdict: 'ok', text: expect.stringMatching(/^1 with 0 B, 0 of/) },
    });
    const changing = Object.entries(world.s3.log.counts()).filter(
      ([operation, count]) =>
        /^(Put|Delete|Create|Copy|Abort)/.test(operation) &&
        count !== (before as Record<string, number>)[operation],
    );
    expect(changing).toEqual([]);
  });

  test('--write writes, reads and deletes one object', async () => {
    const { of } = await doctor('store:bucket', '--write');
    expect(of('store:bucket')).toMatchObject({
      ...{ write: { verdict: 'ok' }, read: { verdict: 'ok' }, delete: { verdict: 'ok' } },
      'conditional-writes': { verdict: 'ok' },
    });
    expect(await world.objects()).toEqual({});
    expect((await doctor('store:bucket', '--write', '-n')).of('store:bucket')).not.toHaveProperty(
      'write',
    );
  });

  test.each([
    [{ secret_access_key: SECRET }, 'list', 'syncer config edit store'],
    [{ endpoint: 'http://127.0.0.1:1' }, 'connection', 'syncer config edit store'],
    [{ secret_access_key: `\${env:NOPE}` }, 'config', 'syncer config show store'],
  ])('%j fails with the command that fixes it', async (keys, check, mend) => {
    await configure(keys);
    const { code, of } = await doctor('store:bucket', '--low-level-retries', '1');
    expect(code).toBe(1);
    expect(of('store:bucket')[check]).toMatchObject({ verdict: 'failed', mend });
  });

  test('a missing bucket ends the checks of the remote', async () => {
    const { of } = await doctor('store:nosuch');
    expect(of('store:nosuch')['list']).toMatchObject({
      verdict: 'failed',
      mend: 'syncer lsd store:',
    });
    expect(of('store:nosuch')).not.toHaveProperty('versioning');
  });
});

describe('own files of syncer at a remote', () => {
  const findings = async (...spec: string[]) =>
    (await doctor(...spec)).checks.filter(({ check }) => check === 'own-files');

  test('are named, and what was left has the command that removes it', async () => {
    expect(await findings('store:bucket')).toMatchObject([{ verdict: 'ok', text: 'none' }]);
    const id = '20260101-101112-7k3f';
    const record = { id, host: 'there', command: 'syncer sync a b', generation: 1, beat: 2 };
    const put = async (isReleased: boolean) => {
      const path = join(world.bucket, '.syncer-lock');
      await writeFile(path, JSON.stringify({ ...record, isReleased }));
      const hourAgo = Date.now() / 1000 - 3600;
      await utimes(path, hourAgo, hourAgo);
    };
    await writeTree(world.bucket, { '.syncer-guard': 'x', [`.syncer-trash/${id}/file`]: 'old' });
    await put(false);
    const [guard, lock, trash] = await findings('store:bucket');
    expect(guard).toMatchObject({
      verdict: 'ok',
      text: '.syncer-guard: the marker of --guard marker',
    });
    expect(lock).toMatchObject({
      verdict: 'warning',
      text: expect.stringMatching(
        /^\.syncer-lock: run \S+ on there holds the lock, and has not renewed it for (1 h|60 min)/,
      ),
    });
    expect(trash).toMatchObject({
      verdict: 'warning',
      text: expect.stringMatching(
        /^\.syncer-trash: what 1 run deleted and replaced, the oldest \d+ days ago$/,
      ),
    });
    for (const { mend } of [lock, trash].filter((one) => one !== undefined)) {
      const words = mend?.split(' ').slice(1) ?? [];
      const { code, stderr } = await world.run(words);
      expect([mend, code, stderr]).toEqual([mend, 0, expect.any(String)]);
    }
    expect(await findings('store:bucket')).toMatchObject([
      { verdict: 'ok' },
      { verdict: 'ok', text: '.syncer-lock: no run holds the lock' },
    ]);
    await rm(join(world.bucket, '.syncer-guard'));
    await rm(join(world.bucket, '.syncer-lock'));
  });

  test('of a local directory, too', async () => {
    await writeTree(join(world.dir, 'local'), { '.syncer-lock': 'something else' });
    expect(await findings(join(world.dir, 'local'))).toMatchObject([
      { verdict: 'warning', text: expect.stringContaining('is not a lock of syncer') },
    ]);
  });
});

describe('a drive', () => {
  test('in order', async () => {
    const { failed, of } = await doctor('d:');
    expect(failed).toEqual([]);
    expect(of('d:')).toMatchObject({
      drive: { verdict: 'ok', text: 'a business drive' },
      login: { verdict: 'ok', text: 'renewed automatically if used every 90 days' },
      quota: { verdict: 'ok' },
      throttling: { verdict: 'ok' },
    });
  });

  test('a login that has ended', async () => {
    const { refresh_token: _, ...token } = graph.newToken(-60) as unknown as Record<
      string,
      unknown
    >;
    await configure({}, { token: JSON.stringify(token) });
    const { code, of } = await doctor('d:');
    expect(code).toBe(1);
    expect(of('d:')['list']).toMatchObject({
      verdict: 'failed',
      mend: 'syncer config reconnect d:',
    });
  });

  test('a login that ends soon', async () => {
    const { refresh_token: _, ...token } = graph.newToken(3600) as unknown as Record<
      string,
      unknown
    >;
    await configure({}, { token: JSON.stringify(token) });
    expect((await doctor('d:')).of('d:')['login']).toMatchObject({
      ...{ verdict: 'warning', text: 'ends in less than a day and cannot be renewed' },
    });
  });
});

test('--fix closes the configuration to others; the text has no escape codes in a pipe', async () => {
  await chmod(world.config, 0o644);
  const failed = await world.run(['doctor'], { env: { COLUMNS: '80' } });
  expect(failed.code).toBe(1);
  expect(failed.stdout.toString()).toContain(`$ chmod 600 ${world.config}\n`);
  expect(failed.stdout.toString()).not.toContain('\x1b');
  // Mounts of other tests may fail, too.
  expect(failed.stderr).toMatch(/doctor: \d+ checks? failed\n$/);
  const own = async () => (await doctor()).failed.map(({ check }) => check);
  const dry = await world.run(['doctor', '--fix', '-n']);
  expect([dry.code, await own()]).toEqual([1, ['config-mode']]);
  const fixed = await world.run(['doctor', '--fix']);
  expect(fixed.stdout.toString()).toMatch(/\b1 fixed\b/);
  expect(await own()).toEqual([]);
  const { code, checks } = await doctor();
  expect(code).toBe(checks.some(({ verdict }) => verdict === 'failed') ? 1 : 0);
});

test('on a terminal it has colours, without NO_COLOR', async () => {
  const env = { HOME: world.dir, SYNCER_CONFIG: world.config, TERM: 'xterm', LC_ALL: 'C.UTF-8' };
  const { stdout } = await runInProcess(['doctor'], env, { isTerminal: true });
  expect(stdout).toContain('\x1b[32m  ✓  \x1b[0m');
  expect(stdout).not.toContain('␛');
  const plain = await runInProcess(['doctor'], { ...env, NO_COLOR: '1' }, { isTerminal: true });
  expect(plain.stdout).not.toMatch(/\x1b\[3\d/);
});
