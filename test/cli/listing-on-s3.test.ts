import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTestS3, type TestS3 } from '../servers/test-s3.ts';
import { writeTree } from '../support/file-tree.ts';
import { someOf } from '../support/in-part.ts';
import { makeSyncerWorld, PROGRAM, type SyncerWorld } from '../support/run-syncer.ts';
import { section } from '../support/s3-world.ts';

let world: SyncerWorld;
let s3: TestS3;
beforeEach(async () => {
  world = await makeSyncerWorld();
  s3 = await startTestS3();
  await writeFile(world.config, section(s3, 's', { region: s3.region }));
  await writeTree(join(world.dir, 'w'), {
    'a.txt': 'aaa',
    'b.jpg': 'bb',
    'dir/c.txt': 'c',
    'dir/d': '',
  });
  expect((await run('copy w s:bucket/w')).code).toBe(0);
});
afterEach(async () => {
  await s3.stop();
  await world.remove();
});

async function run(line: string, input?: string | Uint8Array) {
  const { code, stdout, stderr } = await world.run(
    line.split(' '),
    input === undefined ? {} : { input },
  );
  return { code, stdout: stdout.toString(), log: stderr.split('\n').filter((text) => text !== '') };
}

/** Starts the program with its streams left to the test. */
function start(args: readonly string[]): ChildProcess & { stdin: object; stdout: object } {
  const env = { ...process.env, SYNCER_CONFIG: world.config };
  return spawn(process.execPath, [PROGRAM, ...args], { cwd: world.dir, env });
}

test('delete takes a batch in one request', async () => {
  const before = s3.log.count('DeleteObjects');
  expect((await run('delete s:bucket')).code).toBe(0);
  expect(s3.log.count('DeleteObjects') - before).toBe(1);
  expect((await run('ls s:bucket')).stdout).toBe('');
});

test('a listing of all buckets includes empty ones', async () => {
  expect((await run('mkdir s:empty')).code).toBe(0);
  const { stdout } = await run('lsf -R --dirs-only s:');
  expect(stdout.split('\n').sort()).toEqual([
    '',
    'bucket/',
    'bucket/w/',
    'bucket/w/dir/',
    'empty/',
  ]);
  const told = JSON.parse((await run('lsjson -R s:')).stdout) as { Path: string }[];
  expect(told.find(({ Path }) => Path === 'empty')).toMatchObject({ IsDir: true, IsBucket: true });
  expect((await run('lsf -R --files-only s:')).stdout).not.toContain('empty');
});

test('lsf of names and sizes shows what lsf of all columns shows', async () => {
  const names = 'a.txt\nb.jpg\ndir/c.txt\ndir/d\n';
  expect((await run('lsf -R --files-only s:bucket/w')).stdout).toBe(names);
  const whole = (
    await run('lsf -R --files-only --s3-provider ArvanCloud --format pshT s:bucket/w')
  ).stdout.split('\n');
  const short = (await run('lsf -R --files-only --format ps s:bucket/w')).stdout.split('\n');
  expect(whole.map((line) => line.split(';').slice(0, 2).join(';'))).toEqual(short);
  expect(whole.filter((line) => line !== '' && /;[\da-f]{32};STANDARD$/.test(line))).toHaveLength(
    4,
  );
  expect((await run('lsf -R --files-only --min-age 1h s:bucket/w')).stdout).toBe(names);
  expect((await run('lsf -R --files-only --max-age 1h s:bucket/w')).stdout).toBe('');
});

test('times cost a request a file only where they are wanted', async () => {
  const heads = async (line: string) => {
    const before = s3.log.count('HeadObject');
    expect((await run(line)).code).toBe(0);
    return s3.log.count('HeadObject') - before;
  };
  expect(await heads('ls s:bucket')).toBe(0);
  expect(await heads('lsl s:bucket')).toBe(4);
  expect(await heads('lsl --use-server-modtime s:bucket')).toBe(0);
  expect(await heads('lsjson -R --no-modtime --no-mimetype s:bucket')).toBe(0);
});

test('--use-server-modtime: ages are those of the objects, without a request for each', async () => {
  const before = s3.log.count('HeadObject');
  const old = '--use-server-modtime --min-age 1h s:bucket';
  for (const line of [`ls ${old}`, `tree ${old}`, `delete -n ${old}`]) {
    const { stdout, log } = await run(line);
    expect([stdout, ...log].join(), line).not.toContain('a.txt');
  }
  expect((await run('lsf --use-server-modtime --max-age 1h -R s:bucket')).stdout).toBe(
    'w/a.txt\nw/b.jpg\nw/dir/c.txt\nw/dir/d\nw/\nw/dir/\n',
  );
  expect(s3.log.count('HeadObject')).toBe(before);
});

test('rcat streams in parts', async () => {
  const large = Buffer.alloc(6_000_000, 'y');
  expect((await run('rcat s:bucket/large', large)).code).toBe(0);
  expect((await world.run(['cat', 's:bucket/large'])).stdout.equals(large)).toBe(true);
  expect(s3.log.count('CompleteMultipartUpload')).toBe(1);
});

const SIZES: readonly (readonly [given: number, has: number])[] = [
  [5, 3],
  [2, 3],
  [300_000, 200_000],
  [100_000, 200_000],
  [7_000_000, 6_000_000],
  [6_000_000, 7_000_000],
];

test.each(someOf(SIZES, 3))('rcat with --size %i stores nothing of %i bytes', async (size, has) => {
  expect((await run(`rcat s:bucket/new --size ${size}`, Buffer.alloc(has))).code).toBe(5);
  expect((await run('lsf s:bucket')).stdout).not.toContain('new');
  expect((await run(`rcat s:bucket/new --size ${has}`, Buffer.alloc(has))).code).toBe(0);
  expect((await run('size s:bucket/new')).stdout).toContain(`(${has} Byte)`);
});

test('mkdir, rmdir and purge of buckets', async () => {
  expect((await run('mkdir s:fresh')).code).toBe(0);
  expect((await run('lsf s:')).stdout).toBe('bucket/\nfresh/\n');
  expect((await run('rmdir s:fresh')).code).toBe(0);
  const { code, log } = await run('rmdir s:bucket');
  expect([code, log.length]).toEqual([1, 1]);
  expect(log[0]).toContain('syncer purge s:bucket');
  expect((await run('mkdir s:bucket/dir')).log[0]).toContain('does nothing');
  expect((await run('purge s:bucket/nowhere')).code).toBe(0);
  expect((await run('purge s:bucket')).code).toBe(0);
  expect((await run('purge s:bucket')).code).toBe(3);
});

test('rcat that is interrupted leaves nothing, visible or not', async () => {
  const program = start(['rcat', 's:bucket/large']);
  program.stdin?.on('error', () => {});
  program.stdin?.write(Buffer.alloc(12_000_000, 'z'));
  while (s3.log.count('UploadPart') === 0) await sleep(20);
  program.kill('SIGINT');
  expect(await once(program, 'close')).toEqual([130, null]);
  expect(s3.log.count('CompleteMultipartUpload')).toBe(0);
  expect(s3.log.count('AbortMultipartUpload')).toBe(1);
  expect((await run('lsf s:bucket')).stdout).toBe('w/\n');
});

test('a reader that goes ends a listing without a message', async () => {
  const names = Array.from({ length: 2000 }, (_, i) => `many/${'n'.repeat(200)}${i}`);
  await writeTree(world.dir, Object.fromEntries(names.map((name) => [name, ''])));
  const program = start(['ls', 'many']);
  const log = text(program.stderr as NodeJS.ReadableStream);
  await once(program.stdout as NodeJS.ReadableStream, 'data');
  (program.stdout as NodeJS.ReadableStream & { destroy(): void }).destroy();
  const ended = await once(program, 'close');
  // The shell tells the signal as exit code 141.
  expect([
    [141, null],
    [null, 'SIGPIPE'],
  ]).toContainEqual(ended);
  expect(await log).toBe('');
});

test('a file that is gone when its time is asked for is told as it was listed, and is no error', async () => {
  const failing = (status: number) =>
    s3.setFaults(({ operation, key }) =>
      operation === 'HeadObject' && key === 'w/b.jpg' ? { status } : undefined,
    );
  failing(404);
  const gone = await run('lsl --no-index s:bucket/w');
  expect(gone.code).toBe(0);
  expect(gone.stdout).toMatch(/^ {8}2 .* b\.jpg$/m);
  expect(gone.log).toEqual([expect.stringMatching(/NOTICE: b\.jpg: Failed to read metadata: /)]);
  const aged = await run('lsf --no-index --min-age 2100-01-01 s:bucket/w');
  expect(aged).toMatchObject({ code: 0, stdout: 'a.txt\ndir/\n', log: [] });
  const young = await run('delete --no-index --max-age 100y s:bucket/w');
  expect(young).toMatchObject({ code: 0, log: [] });
  s3.setFaults(undefined);
  expect((await run('copy w s:bucket/w')).code).toBe(0);
  failing(403);
  const refused = await run('lsf --no-index --files-only --max-age 100y s:bucket/w');
  expect(refused).toMatchObject({ code: 1, stdout: 'a.txt\n' });
  expect(refused.log[0]).toContain('b.jpg: error listing: ');
});

test.each(['', ' --no-history'])('purge -v%s logs each object', async (flag) => {
  const { code, log } = await run(`purge s:bucket/w -v${flag}`);
  const gone = log.flatMap((line) => /INFO {2}: (.*): Deleted$/.exec(line)?.[1] ?? []);
  expect([code, gone.sort()]).toEqual([0, ['a.txt', 'b.jpg', 'dir/c.txt', 'dir/d']]);
});

test('cat fails if what it printed is not what the object holds; of a part nothing is known', async () => {
  s3.setFaults(({ operation }) => (operation === 'GetObject' ? { corrupt: true } : undefined));
  const whole = await run('cat s:bucket/w/a.txt');
  expect([whole.code, whole.stdout.length]).toEqual([1, 3]);
  expect(whole.log.join('\n')).toMatch(/a\.txt: .*corrupted on transfer: md5 hash differ/);
  expect((await run('cat s:bucket/w --discard')).code).toBe(1);
  expect((await run('cat s:bucket/w --discard --ignore-checksum')).code).toBe(0);
  s3.setFaults(undefined);
  await writeFile(join(world.dir, 'large'), 'x'.repeat(6 * 1024 ** 2));
  await run('copyto large s:bucket/parts/large --s3-upload-cutoff 5Mi');
  s3.setFaults(({ operation }) => (operation === 'GetObject' ? { corrupt: true } : undefined));
  expect((await run('cat s:bucket/parts --discard')).code).toBe(1);
  expect((await run('cat s:bucket/w/a.txt --head 2')).code).toBe(0);
  s3.setFaults(undefined);
  expect((await run('cat s:bucket/w/a.txt')).stdout).toBe('aaa');
});

test('purge --dry-run names each object by one listing', async () => {
  const before = s3.log.count('ListObjectsV2');
  const { code, log } = await run('purge s:bucket -n');
  const named = log.map((line) => /NOTICE: (.*): Skipped (.*) as --dry-run/.exec(line)?.slice(1));
  expect([code, named]).toEqual([
    0,
    [
      ['w/a.txt', 'delete'],
      ['w/b.jpg', 'delete'],
      ['w/dir/c.txt', 'delete'],
      ['w/dir/d', 'delete'],
      ['S3 bucket bucket', 'remove directory'],
    ],
  ]);
  expect(s3.log.count('ListObjectsV2') - before).toBeLessThanOrEqual(2);
  expect((await run('ls s:bucket')).stdout).toContain('w/dir/c.txt');
});
