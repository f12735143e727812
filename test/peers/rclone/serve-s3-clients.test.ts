import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, unlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findProgram, runProgram } from '../../cli/run-client.ts';
import { startTestS3, type TestS3 } from '../../servers/test-s3.ts';

const ODD = [
  'sp ace',
  'pl+us',
  'per%cent',
  'ümläut',
  '日本',
  'emoji😀',
  'quo"te',
  "ap'os",
  'am&p',
  'ha#sh',
];
const ODDER = ['que?st', 'semi;c', 'back\\slash', '[br]', 'tilde~', '.dot', 'trail '];

let s3: TestS3;
let base: string;
let source: string;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'syncer-clients-'));
  source = join(base, 'source');
  s3 = await startTestS3({ root: join(base, 'buckets') });
  await mkdir(join(source, 'sub/deep'), { recursive: true });
  for (const name of [...ODD, ...ODDER]) await writeFile(join(source, name), `${name}\n`);
  await writeFile(join(source, 'a.txt'), 'hello\n');
  await writeFile(join(source, 'empty'), '');
  await writeFile(join(source, 'sub/b.bin'), randomBytes(200_000));
  await writeFile(join(source, 'sub/deep/big.bin'), randomBytes(13_000_000));
  await utimes(join(source, 'a.txt'), 981_173_106.5, 981_173_106.5);
});
afterAll(async () => {
  await s3.stop();
  await rm(base, { recursive: true });
});

const rclone = await findProgram('rclone');
const s3cmd = await findProgram('s3cmd');

describe.skipIf(rclone === undefined)(`rclone ${rclone ?? '(not installed: skipped)'}`, () => {
  const run = (...args: string[]) =>
    runProgram('rclone', ['--s3-chunk-size', '5M', '--s3-upload-cutoff', '5M', ...args], {
      RCLONE_CONFIG: '/dev/null',
      RCLONE_LOW_LEVEL_RETRIES: '1',
      RCLONE_RETRIES: '1',
      RCLONE_CONFIG_T_TYPE: 's3',
      RCLONE_CONFIG_T_PROVIDER: 'Other',
      RCLONE_CONFIG_T_ENDPOINT: s3.endpoint,
      RCLONE_CONFIG_T_ACCESS_KEY_ID: s3.accessKeyId,
      RCLONE_CONFIG_T_SECRET_ACCESS_KEY: s3.secretAccessKey,
      RCLONE_CONFIG_T_REGION: s3.region,
    });
  const ok = async (...args: string[]) => {
    const { code, output } = await run(...args);
    expect(code, output).toBe(0);
    return output;
  };

  test('makes a bucket, copies into it and finds both sides equal', async () => {
    await ok('mkdir', 'T:rclone');
    await ok('copy', source, 'T:rclone/x');
    await ok('check', source, 'T:rclone/x');
    await ok('check', '--download', source, 'T:rclone/x');
    expect(s3.log.count('UploadPart')).toBe(3);
    const names = await readdir(join(s3.root, 'rclone/x'));
    expect(names).toEqual(expect.arrayContaining([...ODD, ...ODDER]));
  });

  test('finds nothing to do in a second run, and the times as they were', async () => {
    expect(await ok('sync', '-v', source, 'T:rclone/x')).toContain('nothing to transfer');
    expect(await ok('lsl', '--include', 'a.txt', 'T:rclone/x')).toContain('.500000000 a.txt');
  });

  test('copies and moves inside the server', async () => {
    await ok('copy', 'T:rclone/x', 'T:rclone/y');
    await ok('check', 'T:rclone/x', 'T:rclone/y');
    const big = ['T:rclone/x/sub/deep/big.bin', 'T:rclone/z/big'] as const;
    await ok('copyto', '--s3-copy-cutoff', '5M', ...big);
    expect(s3.log.count('UploadPartCopy')).toBe(3);
    await ok('move', 'T:rclone/y', 'T:rclone/w');
    await ok('check', source, 'T:rclone/w');
  });

  test('reads parts, hashes and listings of both versions', async () => {
    expect(await ok('cat', '--offset', '1', '--count', '3', 'T:rclone/x/a.txt')).toBe('ell');
    expect(await ok('md5sum', 'T:rclone/x/a.txt')).toContain('b1946ac92492d2347c6235b4d2611184');
    const flags = [[], ['--s3-list-version', '1'], ['--s3-list-url-encode', 'true']];
    for (const flag of flags) {
      const listed = await ok('lsf', '-R', '--files-only', ...flag, 'T:rclone/x');
      expect(listed.trimEnd().split('\n')).toHaveLength(ODD.length + ODDER.length + 4);
    }
  });

  test('gives a link that anybody can read', async () => {
    const url = (await ok('link', '--expire', '1m', 'T:rclone/x/a.txt')).trim();
    expect(await (await fetch(url)).text()).toBe('hello\n');
  });

  test('syncs with deletion', async () => {
    await unlink(join(source, 'ha#sh'));
    await writeFile(join(source, 'a.txt'), 'changed\n');
    await ok('sync', source, 'T:rclone/x');
    await ok('check', source, 'T:rclone/x');
    expect(await readdir(join(s3.root, 'rclone/x'))).not.toContain('ha#sh');
    expect(await readFile(join(s3.root, 'rclone/x/a.txt'), 'utf8')).toBe('changed\n');
  });

  test('sets versioning, cleans up, and purges', async () => {
    await ok('backend', 'versioning', 'T:rclone', 'Enabled');
    await ok('backend', 'versioning', 'T:rclone', 'Suspended');
    await ok('cleanup', 'T:rclone');
    await ok('mkdir', 'T:purged');
    await ok('copy', source, 'T:purged');
    await ok('purge', 'T:purged');
    expect(await readdir(s3.root)).toEqual(['rclone']);
  });

  test('is refused with another secret', async () => {
    const { code, output } = await run('--s3-secret-access-key', 'x', 'lsd', 'T:');
    expect(code).not.toBe(0);
    expect(output).toContain('SignatureDoesNotMatch');
  });
});

describe.skipIf(s3cmd === undefined)(`s3cmd ${s3cmd ?? '(not installed: skipped)'}`, () => {
  const run = async (...args: string[]) => {
    const host = new URL(s3.endpoint).host;
    const config = join(base, 's3cfg');
    const keys = `access_key = ${s3.accessKeyId}\nsecret_key = ${s3.secretAccessKey}\n`;
    const place = `host_base = ${host}\nhost_bucket = ${host}\nuse_https = False\nsignature_v2 = False\n`;
    await writeFile(config, `[default]\n${keys}${place}bucket_location = us-east-1\n`);
    return runProgram('s3cmd', ['-c', config, '--no-progress', ...args], {});
  };
  const ok = async (...args: string[]) => {
    const { code, output } = await run(...args);
    expect(code, output).toBe(0);
    return output;
  };

  test('puts, lists, gets, in parts too', async () => {
    await ok('mb', 's3://s3cmd');
    await ok('put', join(source, 'a.txt'), 's3://s3cmd/a.txt');
    expect(await ok('ls', 's3://s3cmd/')).toContain('s3://s3cmd/a.txt');
    const big = join(source, 'sub/deep/big.bin');
    await ok('put', '--multipart-chunk-size-mb=5', big, 's3://s3cmd/big');
    await ok('get', '--force', 's3://s3cmd/big', join(base, 'big'));
    expect((await readFile(join(base, 'big'))).equals(await readFile(big))).toBe(true);
    expect(await ok('info', 's3://s3cmd/big')).toContain('13000000');
  });

  test('syncs there and back', async () => {
    await ok('sync', `${source}/`, 's3://s3cmd/sync/');
    const back = join(base, 'back');
    await mkdir(back);
    await ok('sync', 's3://s3cmd/sync/', `${back}/`);
    expect((await readdir(back, { recursive: true })).sort()).toEqual(
      (await readdir(source, { recursive: true })).sort(),
    );
  });

  test('copies, moves, changes, deletes', async () => {
    await ok('cp', 's3://s3cmd/a.txt', 's3://s3cmd/a2.txt');
    await ok('mv', 's3://s3cmd/a2.txt', 's3://s3cmd/a3.txt');
    await ok('modify', '--add-header=x-amz-meta-k: v', 's3://s3cmd/a3.txt');
    expect((await ok('info', 's3://s3cmd/a3.txt')).toLowerCase()).toContain('x-amz-meta-k');
    await ok('setacl', '--acl-public', 's3://s3cmd/a.txt');
    expect(await ok('multipart', 's3://s3cmd')).not.toContain('big');
    await ok('del', '--recursive', '--force', 's3://s3cmd/');
    await ok('rb', 's3://s3cmd');
    expect(await readdir(s3.root)).not.toContain('s3cmd');
  });
});
