import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeS3World, type S3World } from '../support/s3-world.ts';

let world: S3World;
beforeAll(async () => {
  world = await makeS3World();
  await writeFile(join(world.bucket, 'name'), 'the content');
});
afterAll(() => world.remove());

test('--dump bodies shows requests and answers without credentials', async () => {
  const { code, stderr } = await world.run(['cat', 'store:bucket/name', '--dump', 'bodies']);
  expect(code).toBe(0);
  expect(stderr).toContain('NOTICE: Automatically setting -vv as --dump is enabled');
  expect(stderr).toContain('DEBUG : HTTP REQUEST (req 1)');
  expect(stderr).toMatch(/GET \/bucket\/name HTTP\/1\.1/);
  expect(stderr).toContain('the content');
  expect(stderr).toContain('authorization: REDACTED');
  expect(stderr).not.toContain('Signature=');
});

test.each([
  ['--dump-headers', false],
  ['--dump-bodies', true],
])('%s shows requests, with their bodies: %s', async (flag, hasBodies) => {
  const { code, stderr } = await world.run(['cat', 'store:bucket/name', flag]);
  expect(code).toBe(0);
  expect(stderr).toMatch(/GET \/bucket\/name HTTP\/1\.1/);
  expect(stderr.includes('the content')).toBe(hasBodies);
});

test('--dump auth shows them', async () => {
  const { stderr } = await world.run(['ls', 'store:bucket', '--dump', 'auth']);
  expect(stderr).toMatch(/authorization: AWS4-HMAC-SHA256 Credential=/);
  expect(stderr).not.toContain('<ListBucketResult');
});

test('--dump filters goes to standard output before all else', async () => {
  const { stdout } = await world.run(['ls', 'store:bucket', '--dump', 'filters', '--include', '*']);
  expect(stdout.toString().split('\n').slice(0, 3)).toEqual([
    '--- start filters ---',
    '--- File filter rules ---',
    '+ (^|/)[^/]*$',
  ]);
});

test('headers the user wants are sent and signed where a store wants that', async () => {
  const file = join(world.dir, 'one');
  await writeFile(file, '1');
  const words = ['--header-upload', 'Cache-Control: no-store', '--header', 'x-amz-meta-k: v'];
  const put = await world.run(['copyto', file, 'store:bucket/one', ...words]);
  expect(put).toMatchObject({ code: 0 });
  const { stderr } = await world.run([
    ...['cat', 'store:bucket/one', '--dump', 'headers'],
    ...['--header-download', 'X-Down: 1'],
  ]);
  expect(stderr).toMatch(/x-down: 1/);
  expect(stderr).toMatch(/cache-control: no-store/);
  expect(stderr).toMatch(/x-amz-meta-k: v/);
});

test('flags without a meaning here are accepted and named', async () => {
  const words = ['ls', 'store:bucket', '--use-mmap', '--buffer-size=1M'];
  const quiet = await world.run(words);
  expect(quiet.code).toBe(0);
  expect(quiet.stderr).toBe('');
  const { code, stderr } = await world.run([...words, '--rc', '-v']);
  expect(code).toBe(0);
  const text = 'Ignored (accepted for rclone compatibility):';
  expect(stderr).toContain(`NOTICE: ${text} --rc`);
  expect(stderr).toContain(`INFO  : ${text} --buffer-size, --use-mmap`);
});
