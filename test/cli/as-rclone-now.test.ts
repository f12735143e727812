import { chmod, mkdir, readdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readTree, type Tree, writeTree } from '../support/file-tree.ts';
import { inProcessWorld } from '../support/in-process-world.ts';
import { runInProcess } from '../support/run-in-process.ts';

// What rclone 1.75 does and 1.60.1, which the tests run beside, does not.

const world = inProcessWorld();
const { syncer, names } = world;

describe('rmdirs and delete --rmdirs where a directory only seems to be empty', () => {
  const tree: Tree = { 't/d/a.txt': '1', 't/d/e/x.png': '22', 't/f/g/': '', 't/h/': '' };

  test.each([
    ['rmdirs @t --min-size 1k', ['t/', 't/d/', 't/d/a.txt', 't/d/e/', 't/d/e/x.png']],
    ['rmdirs @t --exclude *.png', ['t/', 't/d/', 't/d/a.txt', 't/d/e/', 't/d/e/x.png']],
    [
      'rmdirs @t --max-depth 1',
      ['t/', 't/d/', 't/d/a.txt', 't/d/e/', 't/d/e/x.png', 't/f/', 't/f/g/'],
    ],
    ['rmdirs @t --max-depth 2', ['t/', 't/d/', 't/d/a.txt', 't/d/e/', 't/d/e/x.png']],
  ])('%s', async (line, left) => {
    await writeTree(world.dir, tree);
    const { code, stderr } = await syncer(line);
    expect([code, await names()], stderr).toEqual([1, left]);
  });

  // rclone ends with 1 here, although the filter was to leave the file.
  test.each([
    ['delete @t --rmdirs --min-size 2B', ['t/', 't/d/', 't/d/a.txt']],
    ['delete @t --rmdirs --exclude a.txt', ['t/', 't/d/', 't/d/a.txt']],
    ['delete @t --rmdirs --max-age 1h', ['t/', 't/d/', 't/d/a.txt', 't/d/e/', 't/d/e/x.png']],
  ])('%s: what the filter leaves is no error', async (line, left) => {
    await writeTree(world.dir, tree);
    const { code, stderr } = await syncer(line);
    expect([code, await names()], stderr).toEqual([0, left]);
    expect(stderr).not.toContain('not empty');
  });

  test('a link that is not listed keeps its directory', async () => {
    await writeTree(world.dir, { 't/l/to': '-> nowhere', 't/e/': '' });
    expect([(await syncer('rmdirs @t')).code, await names()]).toEqual([
      1,
      ['t/', 't/l/', 't/l/to'],
    ]);
  });

  test('in an account of buckets only what is empty goes', async () => {
    await writeTree(world.s3.root, { 'full/a': '1', 'void/': '' });
    expect((await syncer('rmdirs s:full --min-size 1k')).code).toBe(1);
    expect((await syncer('rmdirs s:')).code).toBe(0);
    expect((await syncer('lsf s:')).stdout).toBe('full/\n');
  });
});

test.each([
  ['sync @s @t -L', ['o/', 'p/', 't/', 't/a']],
  ['sync @s @t -L --delete-before', ['o/', 'p/', 't/', 't/a']],
  ['sync @s @t -L --exclude g', ['o/', 'o/e/', 'o/e/g', 'p/', 't/', 't/a', 't/l']],
  ['delete @t -L --rmdirs', ['o/', 'p/', 't/']],
])('%s takes a link to a directory for one', async (line, left) => {
  await writeTree(world.dir, { 's/a': '1', 't/a': '1', 't/l': '-> ../o', 't/d/l': '-> ../../p' });
  await writeTree(world.dir, { 'o/f': '2', 'o/e/g': '3', 'p/h': '4' });
  const { code, stderr } = await syncer(line);
  expect(code, stderr).toBe(0);
  expect((await names()).filter((name) => !name.startsWith('s/'))).toEqual(left);
});

test.each([
  ['moveto @t/a @u/x/y', ['a: Skipped move to y']],
  ['moveto @t/a @u/a', ['a: Skipped move']],
  [
    'sync @t @u --suffix .s',
    ['a: Skipped copy', 'c: Skipped move to c.s', 'c: Skipped copy', 'd/e: Skipped copy'],
  ],
  [
    'sync @t @u --backup-dir @bak',
    ['a: Skipped copy', 'c: Skipped move', 'c: Skipped copy', 'd/e: Skipped copy'],
  ],
  [
    'sync @t @u --track-renames',
    ['c: Skipped copy', 'd/e: Skipped copy', 'ren: Skipped move to a'],
  ],
  ['rcat @t/new', ['new: Skipped upload from pipe']],
  [
    'purge @t',
    [
      'a: Skipped delete',
      'c: Skipped delete',
      'd/e: Skipped delete',
      'd: Skipped remove directory',
      'empty: Skipped remove directory',
    ],
  ],
])('%s --dry-run tells what it would do', async (line, told) => {
  await writeTree(world.dir, { 't/a': 'same', 't/c': 'new', 't/d/e': '3', 't/empty/': '' });
  await writeTree(world.dir, {
    'u/c': 'older',
    ...(line.includes('renames') && { 'u/ren': 'same' }),
  });
  const before = await readTree(world.dir);
  const words = [...line.replaceAll('@', `${world.dir}/`).split(' '), '--dry-run'];
  const { code, stderr } = await runInProcess(words, world.env, { input: 'data' });
  const skipped = stderr.match(/\S+: Skipped .*(?= as --dry-run)/g) ?? [];
  const ofFiles = skipped.filter(
    (text) => !/modification time/.test(text) && !text.startsWith('/'),
  );
  expect([code, ofFiles.sort()], stderr).toEqual([0, told.sort()]);
  expect(await readTree(world.dir)).toEqual(before);
});

test('purge -v tells each file and directory that goes', async () => {
  await writeTree(world.dir, { 't/a': '1', 't/d/e': '2', 't/empty/': '', 't/link': '-> a' });
  const { code, stderr } = await syncer('purge @t -v');
  const told = stderr.match(/(?<=INFO {2}: )\S+: (Deleted|Removing directory)/g) ?? [];
  expect([code, told.filter((text) => !text.startsWith('/')).sort()]).toEqual([
    0,
    [
      'a: Deleted',
      'd/e: Deleted',
      'd: Removing directory',
      'empty: Removing directory',
      'link: Deleted',
    ],
  ]);
});

test.each(['touch @t/link', 'touch @t/link --no-create', 'touch @t/link -L'])(
  '%s is refused where the link leads to no file, and leaves it',
  async (line) => {
    await writeTree(world.dir, { 't/link': '-> ../made' });
    const { code, stderr } = await syncer(line);
    expect([code, stderr]).toEqual([1, expect.stringContaining('t/link is a symbolic link')]);
    expect(await readTree(world.dir)).toEqual({ 't/': '', 't/link': '-> ../made' });
  },
);

test.each([
  ['lsf @t', 9],
  ['mkdir @new', 9],
  ['rmdirs @t', 9],
  ['delete @t', 9],
  ['purge @t', 9],
  ['touch @new', 9],
  ['md5sum @t', 9],
  ['dedupe --by-hash first @t', 9],
  ['check @t @t', 9],
  ['copy @t @same', 9],
  ['move @t @same', 9],
  ['move @t @new', 9],
  ['move @t @other', 0],
  ['moveto @t/a @b', 0],
  ['move @t @other --dry-run', 9],
  ['copy @t @other --dry-run', 0],
  ['cat @t/a', 0],
])('%s --error-on-no-transfer ends with %i', async (line, code) => {
  await writeTree(world.dir, { 't/a': '1', 'same/a': '1', 'other/c': '2' });
  expect((await syncer(`${line} --error-on-no-transfer`)).code).toBe(code);
});

test.each(['copyto @t/a @d/a', 'moveto @t/a @d/a', 'copy @t/a @d'])(
  '%s --no-check-dest keeps the old file with --suffix, and leaves it with --immutable',
  async (line) => {
    await writeTree(world.dir, { 't/a': 'new', 'd/a': 'older' });
    expect((await syncer(`${line} --no-check-dest --immutable`)).code).not.toBe(0);
    expect((await syncer(`${line} --no-check-dest --suffix .b`)).code).toBe(0);
    expect(await readTree(join(world.dir, 'd'))).toMatchObject({
      a: 'new@1000000000',
      'a.b': 'older@1000000000',
    });
  },
);

test('a sync with --delete-excluded makes no directory for what --compare-dest has', async () => {
  await writeTree(world.dir, { 't/surplus': '1', 'c/d/f': '22' });
  const bucket = `compared-${world.count}`;
  expect((await syncer(`copy @c s:${bucket}`)).code).toBe(0);
  const { code, stderr } = await syncer(`sync s:${bucket} @t --compare-dest @c --delete-excluded`);
  expect([code, await names()], stderr).toEqual([0, ['c/', 'c/d/', 'c/d/f', 't/']]);
});

test.each(['copy', 'move'])('%s within a store sets metadata', async (verb) => {
  await writeTree(world.dir, { f: 'x' });
  const up = `copy -M @ s:${verb}-from --metadata-set colour=red --metadata-set shape=round`;
  expect((await syncer(up)).code).toBe(0);
  const line = `${verb} -M s:${verb}-from s:${verb}-to --metadata-set colour=blue -v`;
  const { code, stderr } = await syncer(line);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('f: Copied (server-side copy)');
  const { stdout } = await syncer(`lsjson -M s:${verb}-to`);
  expect(JSON.parse(String(stdout))).toMatchObject([
    { Path: 'f', Metadata: { colour: 'blue', shape: 'round' } },
  ]);
});

describe('times of directories', () => {
  const source: Tree = { 't/d/f': '1', 't/d/e/g': '2', 't/d/h/i': '3', 't/empty/': '' };
  const SECOND = 1_100_000_000;

  /** Gives all directories below `t` the same time, and those of `late` a later one. */
  async function age(t: string, late: readonly string[] = []): Promise<void> {
    for (const entry of await readdir(join(world.dir, t), {
      recursive: true,
      withFileTypes: true,
    })) {
      if (!entry.isDirectory()) continue;
      const second = late.includes(entry.name) ? SECOND + 99 : SECOND;
      await utimes(join(entry.parentPath, entry.name), second, second);
    }
  }

  const times = async (...paths: string[]) =>
    Promise.all(paths.map(async (path) => (await stat(join(world.dir, path))).mtimeMs / 1000));

  test.each([
    ['sync @t @u', ['d', 'd/e', 'd/h']],
    ['copy @t @u --create-empty-src-dirs', ['d', 'd/e', 'd/h', 'empty']],
    ['move @t @u --create-empty-src-dirs', ['d', 'd/e', 'd/h', 'empty']],
    ['sync @t @u --track-renames', ['d', 'd/e', 'd/h']],
  ])('%s keeps them', async (line, dirs) => {
    await writeTree(world.dir, { ...source, 'u/d/old': 'surplus' });
    await age('t');
    expect((await syncer(line)).code).toBe(0);
    expect(await times(...dirs.map((path) => `u/${path}`))).toEqual(dirs.map(() => SECOND));
  });

  test.each([
    ['', SECOND],
    [' --no-traverse', undefined],
  ])('those of files in a list are kept, with their modes%s', async (flag, kept) => {
    await writeTree(world.dir, {
      ...source,
      list: 'd/e/f\nd/h/g\n',
      't/d/e/f': 'f',
      't/d/h/g': 'g',
    });
    await chmod(join(world.dir, 't/d'), 0o700);
    await age('t');
    expect((await syncer(`copy @t @u --files-from @list -M${flag}`)).code).toBe(0);
    const [time = 0] = await times('u/d');
    expect(time === SECOND).toBe(kept === SECOND);
    if (kept === undefined) return;
    expect((await stat(join(world.dir, 'u/d'))).mode & 0o777).toBe(0o700);
    await age('u', ['e']);
    expect((await syncer('copy @t @u --files-from @list')).code).toBe(0);
    expect(await times('u/d', 'u/d/e', 'u/d/h')).toEqual([SECOND, SECOND, SECOND]);
  });

  test('--create-empty-src-dirs sets none that is right', async () => {
    await writeTree(world.dir, source);
    await age('t');
    const line = 'copy @t @u --create-empty-src-dirs -v';
    expect((await syncer(line)).code).toBe(0);
    expect((await syncer(line)).stderr).not.toContain('Set directory modification time');
  });

  test('only one that differs is set, and what a deletion changes is set again', async () => {
    await writeTree(world.dir, source);
    await age('t');
    expect((await syncer('sync @t @u')).code).toBe(0);
    await writeTree(world.dir, { 'u/d/h/surplus': 'x' });
    await age('u', ['e']);
    const { stderr } = await syncer('sync @t @u -v');
    expect(stderr.match(/\S+: Set directory modification time .*/g)).toEqual([
      'd/h: Set directory modification time (using DirSetModTime)',
      'd/e: Set directory modification time (using DirSetModTime)',
    ]);
    expect(await times('u/d', 'u/d/e', 'u/d/h')).toEqual([SECOND, SECOND, SECOND]);
  });

  test.each(['--no-update-dir-modtime', '--size-only', '--update', '--review', '--dry-run'])(
    '%s leaves one that is newer alone',
    async (flag) => {
      await writeTree(world.dir, source);
      await age('t');
      expect((await syncer('sync @t @u')).code).toBe(0);
      await age('u', ['e']);
      const { stderr } = await syncer(`sync @t @u ${flag}`);
      expect(await times('u/d/e')).toEqual([SECOND + 99]);
      const skipped = 'd/e: Skipped set directory modification time as --dry-run is set';
      expect(stderr.includes(skipped)).toBe(flag === '--dry-run');
    },
  );

  test('one that an applied plan writes into keeps its time, and no other is touched', async () => {
    await writeTree(world.dir, source);
    await age('t');
    expect((await syncer('sync @t @u')).code).toBe(0);
    await writeTree(world.dir, { 't/d/e/new': 'x' });
    await age('t');
    await age('u', ['h']);
    expect((await syncer('sync @t @u --review --save @plan')).code).toBe(0);
    expect((await syncer('apply @plan')).code).toBe(0);
    expect(await times('u/d/e', 'u/d/h')).toEqual([SECOND, SECOND + 99]);
  });

  test('--interactive changes no time of a directory where everything is declined', async () => {
    await writeTree(world.dir, { ...source, 'u/d/f': 'other' });
    await age('t');
    await age('u', ['d']);
    await runInProcess(['copy', `${world.dir}/t`, `${world.dir}/u`, '--interactive'], world.env, {
      input: 'n\n'.repeat(9),
    });
    expect(await times('u/d')).toEqual([SECOND + 99]);
  });

  test('one on a bucket has none to copy', async () => {
    await mkdir(world.dir, { recursive: true });
    await writeTree(world.dir, source);
    expect((await syncer(`copy @t s:dirs-${world.count}`)).code).toBe(0);
    expect((await syncer(`copy s:dirs-${world.count} @u -v`)).stderr).not.toContain(
      'Set directory',
    );
  });
});

test.each(['', ' --s3-upload-cutoff 0', ' --s3-upload-cutoff 0 --s3-chunk-size 5Mi'])(
  'a condition of --header-upload that is not met stops the upload%s',
  async (how) => {
    await writeTree(world.dir, { 't/a': 'old' });
    const to = `s:conditions-${world.count}`;
    const copy = (condition: string) =>
      runInProcess(
        ['copy', `${world.dir}/t`, to, '--header-upload', condition, ...how.split(' ').slice(1)],
        world.env,
      );
    expect(await copy('If-None-Match: *')).toMatchObject({ code: 0 });
    await writeTree(world.dir, { 't/a': 'newer', 't/b': 'new' });
    const { code, stderr } = await copy('If-None-Match: *');
    expect(code).toBe(1);
    expect(stderr).toContain('/a was not written: it does not meet the condition if-none-match: *');
    expect(
      String((await syncer(`cat ${to}`)).stdout)
        .split('')
        .sort()
        .join(''),
    ).toBe('delnow');
    expect((await copy('If-Match: "0123456789abcdef0123456789abcdef"')).code).toBe(1);
    expect(String((await syncer(`cat ${to}/a`)).stdout)).toBe('old');
  },
);
