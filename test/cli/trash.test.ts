import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readTree, type Tree, writeTree } from '../support/file-tree.ts';
import { someOf } from '../support/in-part.ts';
import { inProcessWorld } from '../support/in-process-world.ts';

const world = inProcessWorld();
const { syncer, lastRun } = world;

const TREE: Tree = {
  ...{ 'b/same': ['1', 5], 'b/x': ['old', 5], 'b/d/extra': ['gone', 6], 'b/k ö/ä': ['ü', 7] },
  ...{ 'a/same': ['1', 5], 'a/x': ['newer', 7] },
};

interface Listed {
  readonly Path: string;
  readonly Size: number;
  readonly Run: string;
  readonly Change: string | null;
  readonly Kept: string;
}

async function listed(line: string): Promise<readonly Listed[]> {
  const { stdout, stderr, code } = await syncer(`trash ls ${line} --json`);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as readonly Listed[];
}

/** `path change kept` of what is in the trash. */
async function names(line: string): Promise<readonly string[]> {
  return (await listed(line)).map(({ Path, Change, Kept }) => `${Path} ${Change} ${Kept}`);
}

const held = async (spec: string) =>
  (await syncer(`lsf -R --files-only ${spec} --format psh --hash md5`)).stdout;

/** The files of the folder of the test. */
const files = async () => (await world.names()).filter((name) => !name.endsWith('/'));

const state = () => join(world.env.HOME, '.local/state/syncer/runs');

/** Runs `task` as on a machine without the history of earlier runs. */
async function withoutHistory(task: () => Promise<void>): Promise<void> {
  await rename(state(), `${state()}.aside`);
  try {
    await task();
  } finally {
    await rm(state(), { recursive: true, force: true });
    await rename(`${state()}.aside`, state());
  }
}

async function prepared(to: string, versions: string): Promise<void> {
  await rm(world.dir, { recursive: true, force: true });
  await writeTree(world.dir, TREE);
  if (to === '@b') return;
  const bucket = to.split('/')[0] ?? '';
  await syncer(`mkdir ${bucket}`);
  if (versions !== '') await syncer(`backend versioning ${bucket} ${versions}`);
  expect((await syncer(`sync @b ${to} --no-history`)).code).toBe(0);
}

const PLACES: readonly (readonly [place: string, spec: string, versions: string])[] = [
  ['a disk', '@b', ''],
  ['S3 without versions', 's:trashN/to', ''],
  ['S3 with versions', 's:trashN/to', 'Enabled'],
];

describe.each(someOf(PLACES, 2))('%s', (_, spec, versions) => {
  const place = () => spec.replace('N', `${world.count}`);
  const at = versions === '' ? 'trash' : 'versions';

  test('deleted files are listed, restored, deleted again by undo, and deleted for good', async () => {
    const to = place();
    await prepared(to, versions);
    const before = await held(to);
    expect((await syncer(`sync @a ${to} --trash`)).code).toBe(0);
    const run = await lastRun();
    const replaced = versions === '' ? [`x replaced ${at}`] : [];
    const all = [`d/extra deleted ${at}`, `k ö/ä deleted ${at}`, ...replaced];
    expect(await names(to)).toEqual(all);
    const line = (await syncer(`trash ls ${to} d`)).stdout;
    expect(line).toMatch(new RegExp(`^ +4 {2}[\\d-]+ [\\d:]+ {2}${run} {2}deleted {3}d/extra\n$`));

    const dry = await syncer(`trash restore ${to} d -n`);
    expect(dry.stderr).toContain('d/extra: Skipped copy as --dry-run is set');
    expect(await names(to)).toEqual(all);

    const restored = await syncer(`trash restore ${to} d/extra`);
    expect([restored.code, restored.stdout], restored.stderr).toEqual([0, 'Restored 1 file\n']);
    expect(await names(to)).toEqual(all.filter((each) => !each.startsWith('d/')));
    const undone = await syncer(`undo ${await lastRun()}`);
    expect(undone.code, undone.stderr).toBe(0);
    expect(await held(to)).not.toContain('d/extra');
    expect((await names(to)).some((each) => each.startsWith('d/extra deleted'))).toBe(true);

    const forced = await syncer(`trash restore ${to} --run ${run} --force`);
    expect(forced.code, forced.stderr).toBe(0);
    if (versions === '') expect(await held(to)).toBe(before);

    await syncer(`sync @a ${to} --trash`);
    const emptied = await syncer(`trash empty ${to} --older-than 0s`);
    expect(emptied.code, emptied.stderr).toBe(0);
    expect(emptied.stdout).toMatch(/^Deleted [2-9] files \(\d+ B\) from the trash\n$/);
    expect(await names(to)).toEqual([]);
    const after = await syncer(`undo ${await lastRun()}`);
    expect(after.code, after.stderr).toBe(4);
  });

  test.skipIf(versions !== '')('the history knows what --trash-keep has deleted', async () => {
    const to = place();
    await prepared(to, versions);
    await syncer(`delete ${to} --trash --include extra`);
    const run = await lastRun();
    await syncer(`sync @a ${to} --trash --trash-keep 0s`);
    const { stdout } = await syncer(`history ${run}`);
    expect(stdout).toContain('\nCannot be undone, none of its paths is kept\n');
  });

  test('the history knows what was deleted from the trash for good', async () => {
    const to = place();
    await prepared(to, versions);
    await syncer(`delete ${to} --trash`);
    const run = await lastRun();
    const told = async () => (await syncer(`history ${run}`)).stdout.split('\n')[2];
    await syncer(`trash empty ${to} d -n`);
    expect(await told()).toMatch(/^Can be undone until \S+$/);
    expect((await syncer(`trash empty ${to} d`)).stdout).toContain('Deleted 1 file');
    expect(await told()).toMatch(/^Can be undone until \S+, except for 1 path$/);
    await syncer(`trash empty ${to} --older-than 0s`);
    expect(await told()).toBe('Cannot be undone, none of its paths is kept');
  });

  test('a file that is there again is left without --force', async () => {
    const to = place();
    await prepared(to, versions);
    await syncer(`delete ${to}/d --trash`);
    await syncer(`copy @a ${to}/d --no-history`);
    await writeFile(join(world.dir, 'extra'), 'another');
    await syncer(`copyto @extra ${to}/d/extra --no-history`);
    const { code, stdout, stderr } = await syncer(`trash restore ${to}`);
    expect([code, stdout], stderr).toEqual([22, 'Restored 0 files, 1 left in the trash\n']);
    expect(stderr).toContain('d/extra: Left in the trash: another file has its path');
    expect((await syncer(`cat ${to}/d/extra`)).stdout).toBe('another');
    expect((await syncer(`trash restore ${to} --force`)).code).toBe(0);
    expect((await syncer(`cat ${to}/d/extra`)).stdout).toBe('gone');
    expect((await syncer(`undo ${await lastRun()}`)).code).toBe(0);
    expect((await syncer(`cat ${to}/d/extra`)).stdout).toBe('another');
  });

  test.skipIf(versions !== '')(
    'without a history, the trash itself says what is in it',
    async () => {
      const to = place();
      await prepared(to, versions);
      const before = await held(to);
      await syncer(`sync @a ${to} --trash`);
      await withoutHistory(async () => {
        expect(await names(to)).toEqual(['d/extra null trash', 'k ö/ä null trash', 'x null trash']);
        const { stderr } = await syncer(`trash ls ${to}`);
        expect(stderr).toContain('1 run is not in the history of this user');
        expect((await syncer(`trash restore ${to} --force`)).code).toBe(0);
        expect(await held(to)).toBe(before);
        expect(await names(to)).toEqual(['x replaced trash']);
      });
    },
  );
});

test('the trash of buckets, of places below and of the one above', async () => {
  await prepared(`s:above${world.count}/to`, '');
  const bucket = `above${world.count}`;
  await syncer(`sync @a s:${bucket}/to --trash`);
  expect(await names(`s:${bucket}`)).toContain('to/d/extra deleted trash');
  expect(await names('s:')).toContain(`${bucket}/to/d/extra deleted trash`);
  expect(await names(`s:${bucket}/to/d`)).toEqual(['extra deleted trash']);
  expect(await names(`s:${bucket}/t`)).toEqual([]);
  await syncer(`delete s:${bucket}/to --trash --include same`);
  await syncer('copyto @x s:elsewhere/x --no-history');
  expect((await syncer(`trash restore s:${bucket}/to/d`)).stdout).toBe('Restored 1 file\n');
  expect(await held(`s:${bucket}/to/d`)).toContain('extra');
  // An account of buckets has a trash in each.
  await syncer(`delete s: --trash --include /${bucket}/to/d/**`);
  await withoutHistory(async () => {
    expect(await names('s:')).toContain(`${bucket}/to/d/extra null trash`);
    expect((await syncer(`trash restore s: ${bucket}/to/d`)).stdout).toBe('Restored 1 file\n');
  });
  expect(await held(`s:${bucket}/to/d`)).toContain('extra');
});

test('--trash-dir: by the history, and by the flag', async () => {
  await writeTree(world.dir, TREE);
  const bin = join(world.dir, 'bin');
  await syncer(`sync @a @b --trash-dir ${bin}`);
  await syncer(`delete @a --trash-dir ${bin} --include same`);
  expect(await names('@b')).toEqual([
    ...['d/extra deleted trash', 'k ö/ä deleted trash', 'x replaced trash'],
  ]);
  expect(await names('@a')).toEqual(['same deleted trash']);
  await withoutHistory(async () => {
    expect(await names('@b')).toEqual([]);
    expect(await names(`@b --trash-dir ${bin}`)).toHaveLength(4);
    const { code, stderr } = await syncer(`trash restore @b d --trash-dir ${bin}`);
    expect(code, stderr).toBe(0);
  });
  expect((await readTree(join(world.dir, 'b')))?.['d/extra']).toBe('gone@6');
});

test('the path of a new trash is told', async () => {
  await writeTree(world.dir, { 'b/x': '1' });
  const { stderr } = await syncer('deletefile @b/x --trash');
  expect(stderr).toContain(`are moved to ${world.dir}/b/.syncer-trash. syncer hides it`);
});

test('what is restored is not deleted for its age, nor by undo', async () => {
  const old = '20260101-000000-2222';
  await writeTree(world.dir, { 'b/x': 'new', [`b/.syncer-trash/${old}/x`]: 'ancient' });
  expect(await names('@b --older-than 30d')).toEqual(['x null trash']);
  expect((await syncer('trash restore @b --force')).stdout).toBe('Restored 1 file\n');
  expect((await readTree(join(world.dir, 'b')))?.['x']).toMatch(/^ancient/);
  await syncer(`undo ${await lastRun()}`);
  expect((await readTree(join(world.dir, 'b')))?.['x']).toMatch(/^new/);
  expect((await readTree(join(world.dir, `b/.syncer-trash/${old}`)))?.['x']).toMatch(/^ancient/);
});

describe('empty', () => {
  test('deletes only what is chosen, and the directories that are empty then', async () => {
    const [first, second] = ['20200101-000000-2222', '20250101-000000-3333'];
    const trash = (run: string) => `b/.syncer-trash/${run}`;
    const tree = { 'b/x': '1', [`${trash(first)}/d/x`]: '22', [`${trash(second)}/y`]: '333' };
    await writeTree(world.dir, tree);
    expect((await syncer('trash empty @b -n')).stdout).toContain('Would delete 2 files (5 B)');
    expect((await syncer('trash empty @b --older-than 1000d --include y')).stdout).toContain('0 f');
    expect((await syncer('trash empty @b --run 2222')).stdout).toContain('Deleted 1 file (2 B)');
    expect(await files()).toEqual(['b/.syncer-trash/20250101-000000-3333/y', 'b/x']);
    await syncer('trash empty @b y');
    expect(await files()).toEqual(['b/x']);
    expect(await readTree(join(world.dir, 'b/.syncer-trash'))).toBeUndefined();
  });

  test.each([
    ['trash empty @b', 1, 'without a terminal, trash empty needs'],
    ['trash empty @b --allow-deletes 9', 21, 'run: syncer trash empty'],
    ['trash empty @b --older-than 0s --guard count=1', 21, '2 files would be deleted'],
    ['trash empty @b --run zzzz', 1, 'no run "zzzz" in this trash'],
    ['trash', 2, 'trash takes at least 1 argument'],
    ['trash empty', 2, 'trash empty takes at least 1 argument'],
    ['trash empty @b nothing', 4, 'nothing in the trash is chosen'],
    ['trash restore @b nothing', 4, 'nothing in the trash is chosen'],
    ['trash show @b', 2, 'unknown command: trash show'],
  ])('%s is refused', async (line, exit, why) => {
    const trash = 'b/.syncer-trash/20200101-000000-2222';
    await writeTree(world.dir, { [`${trash}/x`]: '1', [`${trash}/y`]: '2' });
    const before = await files();
    const { code, stderr } = await syncer(line);
    expect(stderr).toContain(why);
    expect(code).toBe(exit);
    expect(await files()).toEqual(before);
  });

  test('a number that is about right is consent', async () => {
    await writeTree(world.dir, { 'b/.syncer-trash/20200101-000000-2222/x': '1' });
    expect((await syncer('trash empty @b --allow-deletes 1')).code).toBe(0);
    expect(await files()).toEqual([]);
  });

  test('in a bucket that got versions later, nothing is left of the trash', async () => {
    const bucket = `later${world.count}`;
    await prepared(`s:${bucket}`, '');
    await syncer(`sync @a s:${bucket} --trash`);
    await syncer(`backend versioning s:${bucket} Enabled`);
    expect((await syncer(`trash empty s:${bucket} --older-than 0s`)).code).toBe(0);
    const versions = await syncer(`versions ls s:${bucket}`);
    expect(versions.stdout).not.toContain('.syncer-trash');
  });

  test('an older version does not come back', async () => {
    const bucket = `older${world.count}`;
    await prepared(`s:${bucket}`, 'Enabled');
    await writeFile(join(world.dir, 'b/d/extra'), 'second');
    await syncer(`copy @b s:${bucket} --no-history`);
    await syncer(`delete s:${bucket}/d --trash`);
    expect((await syncer(`trash empty s:${bucket} d`)).stdout).toContain('Deleted 1 file (6 B)');
    expect(await held(`s:${bucket}`)).not.toContain('extra');
    const kinds = JSON.parse((await syncer(`versions ls s:${bucket}/d --json`)).stdout) as {
      Kind: string;
      Size: number;
    }[];
    expect(kinds.map(({ Kind, Size }) => [Kind, Size])).toEqual([
      ['marker', 0],
      ['old', 4],
    ]);
  });
});

test('a trash that cannot be listed is an error, and the rest is listed', async () => {
  await writeTree(world.dir, { ...TREE, 'b/.syncer-trash/20200101-000000-2222/x': '1' });
  await syncer(`delete @b/d --trash-dir ${join(world.dir, 'bin')}`);
  await rm(join(world.dir, 'bin'), { recursive: true });
  expect(await names('@b')).toEqual(['x null trash']);
  await mkdir(join(world.dir, 'bin'));
  await writeFile(join(world.dir, 'bin', await lastRun()), 'a file is in the way');
  const { code, stdout, stderr } = await syncer('trash ls @b');
  expect(stdout).toContain('x');
  expect(stderr).toContain('Cannot read all of the trash: ');
  expect(code).not.toBe(0);
});

test('names with marks of direction are masked, also in a pipe', async () => {
  await writeTree(world.dir, { 'b/a\u202etxt.exe': 'gone' });
  await syncer('delete @b --trash');
  const { stdout } = await syncer('trash ls @b');
  expect(stdout).toContain('a\ufffdtxt.exe');
  expect((await syncer('trash ls @b --json')).stdout).toContain('a\\u202etxt.exe');
  const run = /\d{8}-\d{6}-\w+/.exec(stdout)?.[0] ?? '';
  const changes = (await syncer(`history ${run}`)).stdout;
  expect(changes).toContain('a\ufffdtxt.exe');
  expect(stdout + changes).not.toContain('\u202e');
});

test('a --trash-dir in a directory of the run is refused, but not in a .syncer-trash', async () => {
  await writeTree(world.dir, { 'b/x': 'gone', 'a/y': 'new' });
  for (const dir of ['@b', '@b/kept', '@a/kept']) {
    const { code, stderr } = await syncer(`sync @a @b --trash-dir ${dir}`);
    expect([code, stderr]).toEqual([7, expect.stringContaining('files of the user')]);
  }
  for (const line of ['delete @b --trash-dir @b/kept', 'purge @b --trash-dir @b/kept']) {
    const { code, stderr } = await syncer(line);
    expect([code, stderr]).toEqual([7, expect.stringContaining('is inside')]);
  }
  expect(await readTree(join(world.dir, 'b'))).toHaveProperty('x');
  expect((await syncer('sync @a @b --trash-dir @b/.syncer-trash/old')).code).toBe(0);
  expect((await syncer('sync @a @b --trash-dir @kept')).code).toBe(0);
});

test('a --trash-dir on another server is refused before anything is done', async () => {
  await writeTree(world.dir, { 'b/x': 'old', 'a/x': 'newer', 'a/y': 'new' });
  for (const flag of ['', ' --dry-run']) {
    const { code, stderr } = await syncer(`sync @a @b --trash-dir s:bucket/kept${flag}`);
    expect([code, stderr]).toEqual([7, expect.stringContaining('on different servers')]);
  }
  expect(await readTree(join(world.dir, 'b'))).toEqual({ x: expect.stringContaining('old') });
});

test('purge --trash fails where a link is left', async () => {
  await writeTree(world.dir, { 'b/x': '1', 'b/link': '-> nowhere' });
  const { code, stderr } = await syncer('purge @b --trash');
  expect([code, stderr]).toEqual([1, expect.stringContaining('directory not empty')]);
});

test('purge --trash leaves the trash of earlier runs alone, and both can be undone', async () => {
  await writeTree(world.dir, { 'b/x': '1', 'b/d/y': '2' });
  expect((await syncer('delete @b --trash')).code).toBe(0);
  const before = await lastRun();
  await writeTree(world.dir, { 'b/new': '3' });
  const purged = await syncer('purge @b --trash -v');
  expect([purged.code, purged.stderr]).toEqual([0, expect.not.stringContaining('x: Deleted')]);
  const purge = await lastRun();
  expect(await files()).toContain(`b/.syncer-trash/${before}/d/y`);
  expect((await syncer(`undo ${purge}`)).code).toBe(0);
  expect((await syncer(`undo ${before}`)).code).toBe(0);
  expect(await readTree(join(world.dir, 'b'))).toMatchObject({
    x: expect.stringMatching(/^1@/),
    'd/y': expect.stringMatching(/^2@/),
    new: expect.stringMatching(/^3@/),
  });
});

test("a user's file .syncer-trash is listed and copied, and is in the way of a trash", async () => {
  await writeTree(world.dir, { 'a/.syncer-trash': 'mine', 'a/.syncer-guard/x': 'dir' });
  expect((await syncer('lsf -R --files-only @a')).stdout).toBe('.syncer-trash\n.syncer-guard/x\n');
  expect((await syncer('sync @a @b')).code).toBe(0);
  const { code, stderr } = await syncer('delete @b --trash');
  expect([code, stderr]).toEqual([1, expect.stringContaining('a file of that name is there')]);
  expect(await files()).toContain('b/.syncer-trash');
});

describe('a directory with a trash', () => {
  /** A run that leaves a trash in `p/sub`. */
  async function withTrash() {
    await writeTree(world.dir, { 'a/x': 'newer', 'p/sub/x': 'old', 'p/sub/gone': 'g', 'p/k': 'k' });
    expect((await syncer('sync @a @p/sub --trash')).code).toBe(0);
    return lastRun();
  }

  test.each([
    'move @p/sub @q/sub',
    'moveto @p/sub @q/sub',
    'move @p/sub @q/sub --delete-empty-src-dirs',
  ])('%s leaves the trash where undo finds it', async (line) => {
    const run = await withTrash();
    expect((await syncer(line)).code).toBe(0);
    expect(await files()).toContain('q/sub/x');
    expect((await names('@p/sub')).toSorted()).toEqual(['gone deleted trash', 'x replaced trash']);
    const undone = await syncer(`undo ${run}`);
    expect(undone.code, undone.stderr).toBe(22);
    expect(await files()).toContain('p/sub/gone');
  });

  test.each(['move @p @q', 'moveto @p @q'])('%s leaves a trash further down, too', async (line) => {
    const run = await withTrash();
    await writeTree(world.dir, { 'p/sub/deep/y': 'y' });
    expect((await syncer(line)).code).toBe(0);
    expect(await files()).toEqual(expect.arrayContaining(['q/k', 'q/sub/deep/y', 'q/sub/x']));
    expect((await names('@p')).toSorted()).toEqual([
      'sub/gone deleted trash',
      'sub/x replaced trash',
    ]);
    expect((await syncer(`undo ${run}`)).code).toBe(22);
    expect(await files()).toContain('p/sub/gone');
  });

  test('bisync renames its files, and leaves the trash', async () => {
    await writeTree(world.dir, { 'l/sub/x': 'x', 'l/sub/y': 'y', 'l/k': 'k' });
    expect((await syncer('bisync @l @r')).code).toBe(0);
    await writeTree(world.dir, { 'r/sub/z': 'z' });
    expect((await syncer('delete @r/sub --include z --trash')).code).toBe(0);
    await rename(join(world.dir, 'l/sub'), join(world.dir, 'l/other'));
    expect((await syncer('bisync @l @r')).code).toBe(0);
    expect(await files()).toEqual(expect.arrayContaining(['r/other/x', 'r/other/y']));
    expect(await names('@r/sub')).toEqual(['z deleted trash']);
  });

  test.each([
    ['delete @p --rmdirs', 0, ['p/', 'p/sub/']],
    ['sync @empty @p', 0, ['p/', 'p/sub/']],
    ['move @p/sub @q --delete-empty-src-dirs', 0, ['p/', 'p/k', 'p/sub/']],
    ['rmdir @p/sub', 1, ['p/', 'p/k', 'p/sub/', 'p/sub/x']],
    ['purge @p/sub', 0, ['p/', 'p/k']],
  ])('%s ends with %i', async (line, code, left) => {
    await withTrash();
    await mkdir(join(world.dir, 'empty'));
    const run = await syncer(line);
    expect(run.code, run.stderr).toBe(code);
    const own = (name: string) => name.startsWith('p/') && !name.includes('.syncer-trash');
    expect((await world.names()).filter(own)).toEqual(left);
  });

  test('rmdirs takes it for empty, and leaves it', async () => {
    await withTrash();
    expect((await syncer('delete @p')).code).toBe(0);
    await mkdir(join(world.dir, 'p/void/deep'), { recursive: true });
    const run = await syncer('rmdirs @p');
    expect(run.code, run.stderr).toBe(0);
    const own = (name: string) => name.startsWith('p/') && !name.includes('.syncer-trash');
    expect((await world.names()).filter(own)).toEqual(['p/', 'p/sub/']);
  });
});

test('of runs that began in one second the last one counts as the newest', async () => {
  for (const content of ['first', 'second', 'third', 'fourth', 'fifth', 'last']) {
    await writeTree(world.dir, { 'b/f': content, 'a/': '' });
    expect((await syncer('sync @a @b --trash')).code).toBe(0);
  }
  expect((await listed('@b'))[0]?.Size).toBe(4);
  expect((await syncer('trash restore @b f')).code).toBe(0);
  expect((await readTree(world.dir))?.['b/f']).toMatch(/^last@/);
});
