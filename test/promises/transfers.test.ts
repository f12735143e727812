import { readdirSync } from 'node:fs';
import { appendFile, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { promiseWorld, STORAGES, WAYS } from './promise-world.ts';

const world = promiseWorld();

const FILES = {
  'a.txt': ['first', 1_600_000_000],
  'dir/b.txt': ['second', 1_700_000_000],
} as const;
const HELD = { 'a.txt': 'first@1600000000', 'dir/b.txt': 'second@1700000000' };

describe.each(WAYS)('from %s to %s', (from, to) => {
  test('a copied file has the content and the modification time of its source', async () => {
    const [source, dest] = [world.place(from), world.place(to)];
    await source.put(FILES);
    await world.done(`copy ${source.at} ${dest.at}`);
    expect(await dest.files()).toEqual(HELD);
    expect(await source.files()).toEqual(HELD);
  });

  test('move deletes each source file and leaves its copy', async () => {
    const [source, dest] = [world.place(from), world.place(to)];
    await source.put(FILES);
    await world.done(`move ${source.at} ${dest.at}`);
    expect(await dest.files()).toEqual(HELD);
    expect(await source.files()).toEqual({});
  });
});

describe.each(STORAGES)('to %s', (to) => {
  test('copy deletes nothing at the destination', async () => {
    const [source, dest] = [world.place('a disk'), world.place(to)];
    await source.put(FILES);
    await dest.put({ 'own.txt': 'stays', 'dir/own.txt': 'stays too' });
    await world.done(`copy ${source.at} ${dest.at}`);
    expect(await dest.contents()).toEqual({
      'a.txt': 'first',
      'dir/b.txt': 'second',
      'own.txt': 'stays',
      'dir/own.txt': 'stays too',
    });
  });

  test('sync makes the destination identical to the source', async () => {
    const [source, dest] = [world.place('a disk'), world.place(to)];
    await source.put(FILES);
    const large = 'n'.repeat(300_000);
    await source.put({ 'large.bin': [large, 1_600_000_000] });
    await dest.put({
      'a.txt': 'old',
      'large.bin': 'old',
      'extra.txt': 'x',
      'gone/deep/extra.txt': 'y',
    });
    await world.done(`sync ${source.at} ${dest.at}`);
    expect(await dest.files()).toEqual({ ...HELD, 'large.bin': `${large}@1600000000` });
  });

  test('a second sync transfers and deletes nothing', async () => {
    const [source, dest] = [world.place('a disk'), world.place(to)];
    await source.put(FILES);
    await world.done(`sync ${source.at} ${dest.at}`);
    const { stderr } = await world.done(`sync ${source.at} ${dest.at} -v --stats 0`);
    expect(stderr).not.toMatch(/Copied|Deleted|Updated|Moved/);
    expect(await dest.files()).toEqual(HELD);
  });

  test('a file with another time and the same content gets the time', async () => {
    const [source, dest] = [world.place('a disk'), world.place(to)];
    await source.put({ 'a.txt': ['same', 1_600_000_000] });
    await dest.put({ 'a.txt': ['same', 1_500_000_000] });
    const { stderr } = await world.done(`copy ${source.at} ${dest.at} -v --stats 0`);
    expect(await dest.files()).toEqual({ 'a.txt': 'same@1600000000' });
    if (to !== 'S3') expect(stderr).not.toMatch(/Copied/);
  });

  test.each([
    'copy @src DEST',
    'sync @src DEST',
    'move @src DEST',
    'delete DEST',
    'purge DEST',
    'deletefile DEST/own.txt',
    'moveto DEST/own.txt DEST/other.txt',
    'mkdir DEST/new',
    'touch DEST/touched.txt',
    'bisync @src DEST',
  ])('`--dry-run` changes nothing: %s', async (line) => {
    const [source, dest] = [world.place('a disk'), world.place(to)];
    await source.put(FILES);
    await dest.put({
      'own.txt': 'stays',
      'a.txt': 'old',
      'dir/b.txt': ['second', 1_500_000_000],
    });
    const before = await dest.files();
    const words = line.replace('@src', source.at).replaceAll('DEST', dest.at);
    await world.done(`${words} --dry-run`);
    expect(await dest.files()).toEqual(before);
    expect(await source.files()).toEqual(HELD);
  });

  test('files that a filter excludes are neither copied nor deleted', async () => {
    const [source, dest] = [world.place('a disk'), world.place(to)];
    await source.put({ 'a.txt': 'a', 'a.log': 'not copied' });
    await dest.put({ 'b.log': 'not deleted', 'b.txt': 'deleted' });
    await world.done(`sync ${source.at} ${dest.at} --exclude *.log`);
    expect(await dest.contents()).toEqual({ 'a.txt': 'a', 'b.log': 'not deleted' });
  });

  test('delete deletes the files that the filters select, and no others', async () => {
    const dest = world.place(to);
    await dest.put({ 'a.tmp': '1', 'dir/b.tmp': '22', 'a.txt': '3', 'big.tmp': 'x'.repeat(600) });
    await world.done(`delete ${dest.at} --include *.tmp --max-size 500B`);
    expect(Object.keys(await dest.contents()).sort()).toEqual(['a.txt', 'big.tmp']);
  });

  test('`--backup-dir` keeps every file that a sync replaces or deletes', async () => {
    const [source, dest, backup] = [world.place('a disk'), world.place(to), world.place(to)];
    await source.put({ 'a.txt': ['new', 1_600_000_000] });
    await dest.put({ 'a.txt': 'old', 'dir/gone.txt': 'deleted' });
    await world.done(`sync ${source.at} ${dest.at} --backup-dir ${backup.at}`);
    expect(await dest.contents()).toEqual({ 'a.txt': 'new' });
    expect(await backup.contents()).toEqual({ 'a.txt': 'old', 'dir/gone.txt': 'deleted' });
  });

  test('`--max-delete` stops a sync with exit code 7', async () => {
    const [source, dest] = [world.place('a disk'), world.place(to)];
    await source.put({ 'a.txt': 'a' });
    await dest.put({ 'x1.txt': '1', 'x2.txt': '2', 'x3.txt': '3' });
    const { code } = await world.syncer(`sync ${source.at} ${dest.at} --max-delete 1`);
    expect(code).toBe(7);
    expect(Object.keys(await dest.contents())).toHaveLength(3);
  });

  test('purge deletes a directory with all that is in it, and nothing beside it', async () => {
    const [dest, beside] = [world.place(to), world.place(to)];
    await dest.put(FILES);
    await beside.put(FILES);
    await world.done(`purge ${dest.at}`);
    expect(await dest.files()).toEqual({});
    expect(await beside.files()).toEqual(HELD);
  });

  test('rmdir refuses a directory or bucket that is not empty', async () => {
    const dest = world.place(to);
    await dest.put(FILES);
    const { code } = await world.syncer(`rmdir ${to === 'S3' ? dest.at.split('/')[0] : dest.at}`);
    expect(code).not.toBe(0);
    expect(await dest.files()).toEqual(HELD);
  });

  test('rcat replaces a file with its standard input, and cat prints it', async () => {
    const dest = world.place(to);
    await dest.put({ 'a.txt': 'old' });
    const written = await world.syncer(`rcat ${dest.at}/a.txt`, { input: 'from a pipe' });
    expect(written.code, written.stderr).toBe(0);
    expect(await dest.contents()).toEqual({ 'a.txt': 'from a pipe' });
    const { stdout } = await world.done(`cat ${dest.at}/a.txt --head 4`);
    expect(stdout.toString()).toBe('from');
  });

  test('check names every file that differs or is missing, and ends with 1', async () => {
    const [source, dest] = [world.place('a disk'), world.place(to)];
    await source.put({ 'equal.txt': 'equal', 'other.txt': 'one size', 'missing.txt': 'm' });
    await dest.put({ 'equal.txt': 'equal', 'other.txt': 'another size', 'extra.txt': 'e' });
    const { code, stdout } = await world.syncer(`check ${source.at} ${dest.at} --combined -`);
    expect(code).toBe(1);
    expect(stdout.toString().trim().split('\n').sort()).toEqual([
      '* other.txt',
      '+ missing.txt',
      '- extra.txt',
      '= equal.txt',
    ]);
    expect((await world.syncer(`check ${source.at} ${source.at}`)).code).toBe(0);
  });

  test('check finds other content of the same size and time with `--checksum` and `--download`', async () => {
    const [source, dest] = [world.place('a disk'), world.place(to)];
    await source.put({ 'a.txt': 'aaaa' });
    await dest.put({ 'a.txt': 'bbbb' });
    expect((await world.syncer(`check ${source.at} ${dest.at} --download`)).code).toBe(1);
    if (to !== 'a drive')
      expect((await world.syncer(`check ${source.at} ${dest.at} --checksum`)).code).toBe(1);
  });

  test('an interrupted copy leaves the old file under its name, and no part under a new one', async () => {
    const [source, dest] = [world.place('a disk'), world.place(to)];
    await source.put({ 'large.bin': 'n'.repeat(6_000_000), 'new.bin': 'n'.repeat(6_000_000) });
    await dest.put({ 'large.bin': 'old' });
    for (const [signal, code] of [
      ['SIGKILL', null],
      ['SIGTERM', 143],
      ['SIGINT', 130],
    ] as const) {
      const run = world.start(`copy ${source.at} ${dest.at} --bwlimit 1M -vv --stats 0`);
      await waitFor(() => /large\.bin/.test(run.seen.stderr), run.ended);
      // The old one, and both that are being written.
      if (to === 'a disk') await waitFor(() => readdirSync(dest.at).length >= 3, run.ended);
      run.kill(signal);
      expect((await run.ended).code).toBe(code);
      expect((await dest.contents())['large.bin']).toBe('old');
      expect(Object.keys(await dest.contents())).not.toContain('new.bin');
    }
    await world.done(`copy ${source.at} ${dest.at}`);
    expect((await dest.contents())['large.bin']).toBe('n'.repeat(6_000_000));
    expect((await dest.contents())['new.bin']).toBe('n'.repeat(6_000_000));
  });
});

test('a download that is cut off leaves the old file, and move leaves the source', async () => {
  const [source, dest] = [world.place('S3'), world.place('a disk')];
  await source.put({ 'a.txt': 'x'.repeat(100_000) });
  await dest.put({ 'a.txt': 'old' });
  world.s3.setFaults(({ operation }) =>
    operation === 'GetObject' ? { truncate: true, afterBytes: 5000 } : undefined,
  );
  const { code } = await world.syncer(
    `move ${source.at} ${dest.at} --retries 1 --low-level-retries 1`,
  );
  world.s3.setFaults(undefined);
  expect(code).toBe(5);
  expect(await dest.contents()).toEqual({ 'a.txt': 'old' });
  expect(Object.keys(await source.contents())).toEqual(['a.txt']);
});

test.each(['S3', 'a drive'] as const)(
  'an upload that arrives changed is not believed, and move leaves the source: to %s',
  async (to) => {
    const [source, dest] = [world.place('a disk'), world.place(to)];
    await source.put({ 'a.txt': 'right content' });
    const fault = { corruptUpload: true, at: 2 } as const;
    const writes = ['putContent', 'putFragment'];
    world.s3.setFaults(({ operation }) => (operation === 'PutObject' ? fault : undefined));
    world.graph.setFaults(({ operation }) => (writes.includes(operation) ? fault : undefined));
    const { code } = await world.syncer(
      `move ${source.at} ${dest.at} --retries 1 --low-level-retries 1`,
    );
    world.s3.setFaults(undefined);
    world.graph.setFaults(undefined);
    expect(code).not.toBe(0);
    expect(await source.contents()).toEqual({ 'a.txt': 'right content' });
    expect(await dest.contents()).toEqual({});
  },
);

test('a directory in many pages is listed whole, and sync keeps all of it', async () => {
  const [source, dest] = [world.place('S3'), world.place('a disk')];
  const paths = ['a/1', 'b/2', 'c/3', 'd/4', 'e/5', 'f', 'g', 'h'];
  const files = Object.fromEntries(paths.map((path) => [path, path]));
  await source.put(files);
  await dest.put(files);
  const { stdout } = await world.done(`lsf ${source.at} --s3-list-chunk 2`);
  expect(stdout.toString()).toBe('a/\nb/\nc/\nd/\ne/\nf\ng\nh\n');
  await world.done(`sync ${source.at} ${dest.at} --s3-list-chunk 2`);
  expect(await dest.contents()).toEqual(files);
});

test('sync deletes nothing if a listing fails', async () => {
  const [source, dest] = [world.place('S3'), world.place('a disk')];
  await source.put({ 'a.txt': 'a', 'dir/b.txt': 'b' });
  await dest.put({ 'dir/b.txt': 'b', 'extra.txt': 'stays' });
  world.s3.setFaults(({ operation, query }) =>
    operation === 'ListObjectsV2' && (query.get('prefix') ?? '').endsWith('dir/')
      ? { status: 403 }
      : undefined,
  );
  const { code } = await world.syncer(`sync ${source.at} ${dest.at} --retries 1`);
  world.s3.setFaults(undefined);
  expect(code).not.toBe(0);
  expect(await dest.contents()).toEqual({ 'a.txt': 'a', 'dir/b.txt': 'b', 'extra.txt': 'stays' });
});

test('sync deletes nothing if a transfer fails', async () => {
  const [source, dest] = [world.place('S3'), world.place('a disk')];
  await source.put({ 'a.txt': 'a', 'b.txt': 'b' });
  await dest.put({ 'extra.txt': 'stays' });
  world.s3.setFaults(({ operation, key }) =>
    operation === 'GetObject' && key.endsWith('b.txt') ? { status: 403 } : undefined,
  );
  const { code } = await world.syncer(`sync ${source.at} ${dest.at} --retries 1`);
  world.s3.setFaults(undefined);
  expect(code).not.toBe(0);
  expect(await dest.contents()).toEqual({ 'a.txt': 'a', 'extra.txt': 'stays' });
});

test('a source that does not exist deletes nothing', async () => {
  const dest = world.place('a disk');
  await dest.put(FILES);
  expect((await world.syncer(`sync @missing ${dest.at}`)).code).toBe(3);
  expect((await world.syncer(`sync s:missing ${dest.at}`)).code).toBe(3);
  expect((await world.syncer(`sync d:missing ${dest.at}`)).code).toBe(3);
  expect(await dest.files()).toEqual(HELD);
});

test('a web page with status 200 is not an empty listing', async () => {
  const [source, dest] = [world.place('S3'), world.place('a drive')];
  await source.put(FILES);
  await dest.put(FILES);
  world.graph.setLie({ lie: 'html-200' });
  const { code } = await world.syncer(`sync ${dest.at} ${source.at} --retries 1`);
  world.graph.setLie(undefined);
  expect(code).not.toBe(0);
  expect(await source.files()).toEqual(HELD);
});

test('one place under two names is not emptied by a move or a sync onto itself', async () => {
  const place = world.place('a disk');
  await place.put(FILES);
  await symlink(place.at, join(world.dir, 'other-name'));
  await world.syncer(`move ${place.at} @other-name`);
  expect(await place.files()).toEqual(HELD);
  await world.syncer(`sync @other-name ${place.at}`);
  expect(await place.files()).toEqual(HELD);
  await world.syncer(`move ${place.at} ${place.at}`);
  expect(await place.files()).toEqual(HELD);
});

test('a file that grows while it is copied is an error, and never a mixture', async () => {
  const [source, dest] = [world.place('a disk'), world.place('a disk')];
  await mkdir(dest.at);
  await source.put({ 'log.txt': 'x'.repeat(4_000_000) });
  const run = world.start(
    `copy ${source.at} ${dest.at} --bwlimit 1M -vv --stats 0 --retries 1 --low-level-retries 1`,
  );
  await waitFor(() => readdirSync(dest.at).length > 0, run.ended);
  await appendFile(join(source.at, 'log.txt'), 'more');
  expect((await run.ended).code).not.toBe(0);
  expect(await dest.contents()).toEqual({});
});

test('listings are in the formats of rclone', async () => {
  const place = world.place('a disk');
  await place.put(FILES);
  await mkdir(join(place.at, 'empty'));
  const printed = async (line: string) => (await world.done(line)).stdout.toString();
  expect((await printed(`ls ${place.at}`)).split('\n').sort()).toEqual([
    '',
    '        5 a.txt',
    '        6 dir/b.txt',
  ]);
  expect(await printed(`lsl ${place.at}/a.txt`)).toBe(
    '        5 2020-09-13 12:26:40.000000000 a.txt\n',
  );
  expect(await printed(`md5sum ${place.at}/a.txt`)).toBe(
    '8b04d5e3775d298e78455efc5ca404d5  a.txt\n',
  );
  expect(await printed(`size ${place.at} --json`)).toBe('{"count":2,"bytes":11,"sizeless":0}\n');
  expect(await printed(`lsf -R ${place.at}`)).toBe('a.txt\ndir/\nempty/\ndir/b.txt\n');
  expect(await printed(`tree ${place.at} --noreport`)).toBe(
    '/\n├── a.txt\n├── dir\n│   └── b.txt\n└── empty\n',
  );
  expect(await printed(`lsjson ${place.at}/a.txt`)).toContain(
    '"Path":"a.txt","Name":"a.txt","Size":5',
  );
});
