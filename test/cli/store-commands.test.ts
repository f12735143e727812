import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTestS3, type TestS3 } from '../servers/test-s3.ts';
import { readTree, writeTree } from '../support/file-tree.ts';
import { makeSyncerWorld, type SyncerWorld } from '../support/run-syncer.ts';
import { section } from '../support/s3-world.ts';

let world: SyncerWorld;
let s3: TestS3;

beforeEach(async () => {
  world = await makeSyncerWorld();
  s3 = await startTestS3();
  await writeFile(world.config, section(s3, 's', { region: s3.region, provider: 'Scaleway' }));
  await writeTree(join(world.dir, 'dir'), {
    a: ['same', 1000],
    b: ['same', 2000],
    'sub/c': ['same', 3000],
    alone: ['other', 1000],
    'note.txt': ['same', 4000],
  });
});

afterEach(async () => {
  await s3.stop();
  await world.remove();
});

async function run(line: string, input = '') {
  const { code, stdout, stderr } = await world.run(line.split(' '), { input });
  return { code, stdout: stdout.toString(), stderr };
}

const names = async () => Object.keys((await readTree(join(world.dir, 'dir'))) ?? {}).sort();
const EVERYTHING = ['a', 'alone', 'b', 'note.txt', 'sub/', 'sub/c'];

test('dedupe asks which of the files to keep', async () => {
  const { code, stdout } = await run('dedupe --by-hash dir', 'x\nkeep\nk\n0\n5\nb\n2\n');
  expect([code, await names()]).toEqual([0, ['alone', 'b', 'sub/']]);
  const lines = stdout.split('\n');
  expect(lines.slice(0, 6)).toEqual([
    '51037a4a37730f52c8732586d3aaa316: 4 duplicates',
    '  1:            4 bytes, 1970-01-01 00:16:40.000000000, a',
    '  2:            4 bytes, 1970-01-01 00:33:20.000000000, b',
    '  3:            4 bytes, 1970-01-01 01:06:40.000000000, note.txt',
    '  4:            4 bytes, 1970-01-01 00:50:00.000000000, sub/c',
    's) Skip and do nothing (default)',
  ]);
});

test.each([
  ['skipping', 's\n', 0],
  ['leaving', 'q\n', 0],
  ['an input that ends', 'k\n', 1],
  ['no input', '', 1],
])('dedupe deletes nothing after %s', async (_, input, code) => {
  expect((await run('dedupe --by-hash dir', input)).code).toBe(code);
  expect(await names()).toEqual(EVERYTHING);
});

test('dedupe obeys filters, and keeps what it does not understand', async () => {
  expect((await run('dedupe --by-hash newest dir --exclude *.txt')).code).toBe(0);
  expect(await names()).toEqual(['alone', 'note.txt', 'sub/', 'sub/c']);
  await writeTree(join(world.dir, 'dir'), { a: 'same' });
  for (const flags of ['rename dir', 'first dir --copy-links']) {
    const { code, stderr } = await run(`dedupe --by-hash ${flags}`);
    expect([code, stderr.split('\n').length]).toEqual([1, 2]);
  }
  expect(await names()).toContain('a');
});

test('dedupe never takes a link and its target for two files, whatever the configuration says', async () => {
  await writeFile(world.config, '[disk]\ntype = local\ncopy_links = true\n');
  await writeTree(join(world.dir, 'links'), {
    to: 'once',
    lnk: '-> to',
    'd/f': 'twice',
    dl: '-> d',
  });
  const before = await readTree(join(world.dir, 'links'));
  for (const mode of ['first', 'newest', 'oldest']) {
    expect((await run(`dedupe --by-hash ${mode} disk:${world.dir}/links`)).code).toBe(0);
  }
  expect(await readTree(join(world.dir, 'links'))).toEqual(before);
});

test('dedupe on S3 asks for times only where the mode needs them', async () => {
  expect((await run('copy dir s:bucket/dir')).code).toBe(0);
  const heads = async (mode: string) => {
    const before = s3.log.count('HeadObject');
    expect((await run(`dedupe --by-hash -n --no-index ${mode} s:bucket/dir`)).code).toBe(0);
    return s3.log.count('HeadObject') - before;
  };
  // One request asks whether the path is a file, one whether the bucket's ETags are MD5s.
  expect(await heads('first')).toBe(2);
  expect(await heads('newest')).toBe(6);
  expect((await run('dedupe --by-hash oldest s:bucket/dir')).code).toBe(0);
  expect((await run('lsf -R --files-only s:bucket/dir')).stdout).toBe('a\nalone\n');
});

test('touch -R takes a prefix of S3 for a directory, unlike rclone', async () => {
  expect((await run('copy dir s:bucket/dir')).code).toBe(0);
  expect((await run('touch -R -t 171030 s:bucket/dir --include *.txt')).code).toBe(0);
  const { stdout } = await run('lsf -R --files-only -F tp s:bucket/dir');
  expect(stdout.split('\n').filter((line) => line.startsWith('2017'))).toEqual([
    '2017-10-30 00:00:00;note.txt',
  ]);
});

test('touch goes through links and leaves them', async () => {
  const links = { to: ['kept', 1000], lnk: '-> to', new: '-> made', 'sub/up': '-> ../to' } as const;
  await writeTree(join(world.dir, 'links'), links);
  for (const path of ['lnk', 'sub/up']) {
    expect((await run(`touch -t 171030 links/${path}`)).code).toBe(0);
  }
  expect((await run('touch --links links/lnk')).code).toBe(1);
  expect((await run('touch -L links/new')).code).toBe(1);
  expect((await run('touch --links -t 171030 links/plain')).code).toBe(0);
  expect(await readTree(join(world.dir, 'links'))).toEqual({
    plain: '@1509321600',
    to: 'kept@1509321600',
    lnk: '-> to',
    new: '-> made',
    'sub/': '',
    'sub/up': '-> ../to',
  });
});

test('touch sets the metadata of a new file, as rclone 1.75 does, and not of another', async () => {
  const set = '-M --metadata-set mode=100600 --metadata-set mtime=2001-02-03T04:05:06Z';
  for (const path of ['dir/new', 's:bucket/new', 'dir/a']) {
    expect((await run(`touch -t 171030 ${set} ${path}`)).code).toBe(0);
  }
  const { mode, mtimeMs } = await stat(join(world.dir, 'dir/new'));
  expect([mode & 0o777, mtimeMs]).toEqual([0o600, Date.parse('2001-02-03T04:05:06Z')]);
  const stored = JSON.parse((await run('lsjson -M s:bucket')).stdout);
  expect(stored).toMatchObject([
    { ModTime: expect.stringMatching(/^2001/), Metadata: { mode: '100600' } },
  ]);
  const old = await stat(join(world.dir, 'dir/a'));
  expect([old.mode & 0o077, old.mtimeMs]).toEqual([0o044, Date.parse('2017-10-30T00:00:00Z')]);
  const { code, stderr } = await run('touch -M --metadata-mapper cat dir/other');
  expect([code, stderr]).toEqual([1, expect.stringContaining('--metadata-mapper')]);
});

test('touch asks before every change', async () => {
  expect((await run('touch -i -t 171030 dir', 'n\ny\ns\n')).code).toBe(0);
  const changed = Object.values((await readTree(join(world.dir, 'dir'))) ?? {}).filter((text) =>
    text.endsWith('@1509321600'),
  );
  expect(changed.length).toBe(1);
});

test('a link of S3 cannot be revoked, and that is said', async () => {
  expect((await run('copy dir s:bucket/dir')).code).toBe(0);
  const { code, stdout, stderr } = await run('link --unlink s:bucket/dir/a');
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('cannot be revoked');
});

test('of a provider without storage classes, none is shown or set', async () => {
  expect((await run('copy dir s:bucket/dir --s3-storage-class STANDARD_IA')).code).toBe(0);
  const lines = ['lsf -F T s:bucket/dir --files-only', 'lsjson s:bucket/dir'];
  for (const line of lines) {
    expect((await run(line)).stdout).toContain('STANDARD_IA');
    expect((await run(`${line} --s3-provider Other`)).stdout).not.toContain('STANDARD');
  }
  const { code, stderr } = await run('settier GLACIER s:bucket/dir --s3-provider Other');
  expect([code, stderr]).toEqual([1, expect.stringContaining('does not support settier')]);
  const copy = 'copy s:bucket/dir s:bucket/copy --s3-provider Other';
  expect((await run(copy)).code).toBe(0);
  expect((await run(lines[0]?.replace('dir ', 'copy ') ?? '')).stdout).toMatch(
    /^(STANDARD_IA\n)+$/,
  );
});

test('settier copies what is not there yet', async () => {
  expect((await run('copy dir s:bucket/dir')).code).toBe(0);
  const copies = () => s3.log.count('CopyObject');
  const before = copies();
  expect((await run('settier standard s:bucket/dir')).code).toBe(0);
  expect(copies() - before).toBe(0);
  expect((await run('settier glacier s:bucket/dir -n')).code).toBe(0);
  expect(copies() - before).toBe(0);
  expect((await run('settier glacier s:bucket/dir')).code).toBe(0);
  expect(copies() - before).toBe(5);
});

test('cat puts a separator after each file', async () => {
  expect((await run('cat dir --include [ab] --separator ,')).stdout).toBe('same,same,');
  expect((await run('cat dir --include [ab] --separator , --discard')).stdout).toBe('');
});

test('a file of sums with many faults has three of them told', async () => {
  await writeFile(join(world.dir, 'sums'), 'no\nnone\nnothing\nnot\nnever\n');
  const { code, stderr } = await run('checksum md5 sums dir --one-way');
  expect(code).toBe(0);
  expect(stderr.match(/improperly formatted/g)?.length).toBe(3);
  expect(stderr).toContain('sums: 2 warning(s) suppressed...');
});

test('a file of the sums that is missing is named, whatever sizes and ages are asked for', async () => {
  await writeFile(join(world.dir, 'sums'), `${'0'.repeat(32)}  gone\n`);
  for (const flags of ['--min-size 1k', '--max-age 1d', '--min-age 1d']) {
    const { code, stdout } = await run(`checksum md5 sums dir --one-way --combined - ${flags}`);
    expect([code, stdout], flags).toEqual([1, '+ gone\n']);
  }
  expect((await run('checksum md5 sums dir --one-way --exclude gone')).code).toBe(0);
});
