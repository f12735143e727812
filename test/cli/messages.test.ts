import { appendFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeS3World, type S3World, section } from '../support/s3-world.ts';
import { startServe } from './start-serve.ts';

let world: S3World;
beforeAll(async () => {
  world = await makeS3World();
  const nobody = { access_key_id: '', secret_access_key: '' };
  const nowhere = { endpoint: 'http://no-such-host.invalid' };
  await appendFile(world.config, section(world.s3, 'nobody', nobody));
  await appendFile(world.config, section(world.s3, 'nowhere', nowhere));
  await mkdir(join(world.dir, 'src'));
  await mkdir(world.bucket, { recursive: true });
  await writeFile(join(world.bucket, 'a'), 'a');
});
afterAll(() => world.remove());

const MISSING = 'no such file or directory';

test.each<[words: string[], line: string]>([
  [
    ['ls', 'src', '--filter-from', '/no/x'],
    `Failed to ls: cannot read --filter-from /no/x: ${MISSING}`,
  ],
  [
    ['ls', 'src', '--files-from', '/no/x'],
    `Failed to ls: cannot read --files-from /no/x: ${MISSING}`,
  ],
  [
    ['md5sum', 'src', '--output-file', '/no/x'],
    `Failed to md5sum: cannot write to --output-file /no/x: ${MISSING}`,
  ],
  [
    ['check', 'src', 'src', '--combined', '/no/x'],
    `Failed to check: cannot write to the report --combined /no/x: ${MISSING}`,
  ],
  [['lsd', 'store'], 'Failed to lsd: directory not found: DIR/store; did you mean store:?'],
  [
    ['ls', 'store/bucket'],
    'Failed to ls: directory not found: DIR/store/bucket; did you mean store:bucket?',
  ],
  [['lsd', 'other'], 'Failed to lsd: directory not found: DIR/other; check the path'],
  [
    ['sync', 'store', 'dst'],
    'Failed to sync: directory not found: DIR/store; did you mean store:?',
  ],
  [
    ['ls', 'store:nosuch'],
    'Failed to ls: bucket nosuch not found; check its name; "syncer lsd store:" lists the buckets',
  ],
  [
    ['ls', 'nobody:bucket'],
    'Failed to ls: cannot list bucket bucket: access denied; the request had no key: set access_key_id and secret_access_key, or env_auth (AccessDenied)',
  ],
  [
    ['ls', 'nowhere:bucket', '--low-level-retries', '1'],
    'Failed to ls: cannot resolve host no-such-host.invalid; check the name and your network',
  ],
  [
    ['serve', 's3', 'nodir'],
    'Failed to serve: cannot serve nodir: no such directory; create it first: mkdir -p nodir',
  ],
  [
    ['serve', 'http', 'nodir'],
    'Failed to serve: cannot serve nodir: directory not found: DIR/nodir; create it first: syncer mkdir nodir',
  ],
  [
    ['mount', 'no dir', 'src'],
    "Failed to mount: cannot mount no dir: directory not found: DIR/no dir; create it first: syncer mkdir 'no dir'",
  ],
  [
    ['serve', 'webdav', 'store'],
    'Failed to serve: cannot serve store: directory not found: DIR/store; did you mean store:?',
  ],
  [['ncdu', '-f', '/no/x'], `ncdu: cannot read /no/x: ${MISSING}`],
  [['job', 'x', '--', 'ls', 'src'], 'job: a job runs one of copy,'],
  [['hooks', '--control', 'none'], 'hooks: no hook server listens at none; start it with'],
])('%j', async (words, line) => {
  const { stderr } = await world.run(words);
  const last = stderr.trimEnd().split('\n').at(-1)?.replaceAll(world.dir, 'DIR');
  expect(last).toMatch(/^\S+ \S+ ERROR : /);
  expect(last?.slice(28)).toContain(line);
  expect(await readdir(world.dir)).not.toContain('nodir');
});

test.each(['--bwlimit', '--bwlimit-file'])('%s names itself', async (flag) => {
  const { stderr, code } = await world.run(['copy', 'src', 'dst', flag, 'fast']);
  expect(code).toBe(2);
  expect(stderr).toMatch(`Error: invalid value for flag ${flag}: not a size: "fast"`);
});

test('a server that is stopped by Ctrl-C has no error', async () => {
  const { running } = await startServe(world, [world.bucket]);
  running.kill('SIGINT');
  const { code, stderr } = await running.ended;
  expect(code).toBe(130);
  expect(stderr).toMatch(/NOTICE: Stopped by Ctrl-C\n$/);
  expect(stderr).not.toContain('ERROR');
});
