import { execFile } from 'node:child_process';
import { chmod, rm, stat, symlink, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readTree, type Tree, writeTree } from '../support/file-tree.ts';
import { inProcessWorld } from '../support/in-process-world.ts';
import { makeS3World } from '../support/s3-world.ts';

const world = inProcessWorld();
const { syncer, lastRun } = world;

const TREE: Tree = {
  ...{ 'a/r': 'new', 'b/r': ['old content', 5] },
  ...{ 'b/x1': ['gone', 6], 'b/x2': ['gone', 6], 'b/x3': ['gone', 6] },
};

/** Runs a sync with a trash; returns the ID of the run. */
async function runWithTrash(): Promise<string> {
  await writeTree(world.dir, TREE);
  expect((await syncer('sync @a @b --trash')).code).toBe(0);
  return lastRun();
}

test('what undo leaves is named, also if another file has an error', async () => {
  const id = await runWithTrash();
  await writeTree(world.dir, { 'b/r': 'changed since', 'b/x1': 'mine' });
  await rm(join(world.dir, 'b/.syncer-trash', id, 'x2'));
  await symlink('r', join(world.dir, 'b/x3'));
  const { code, stdout, stderr } = await syncer(`undo ${id}`);
  expect(code).toBe(1);
  expect(stderr).toMatch(/x3: .*symbolic link/);
  expect(stderr).toContain('r: Left as it is: changed since the run');
  expect(stderr).toContain('x1: Left as it is: changed since the run');
  expect(stderr).toContain('x2: Not restored: its old content is not kept');
  expect(stdout).toContain(`${id}: 0 files restored, 0 files deleted, 2 files left`);
});

test('all that is left is named, the first ten in the error, which the history keeps', async () => {
  const names = Array.from({ length: 12 }, (_, n) => `f${n + 10}`);
  await writeTree(world.dir, Object.fromEntries(names.map((name) => [`b/${name}`, 'old'])));
  expect((await syncer('delete @b --trash')).code).toBe(0);
  const id = await lastRun();
  await writeTree(world.dir, Object.fromEntries(names.map((name) => [`b/${name}`, 'since'])));
  const { code, stderr } = await syncer(`undo ${id}`);
  expect(code).toBe(22);
  for (const name of names) expect(stderr).toContain(`${name}: Left as it is: changed since the`);
  const text = `12 paths changed since the run and were left (${names.slice(0, 10).join(', ')} and 2 more)`;
  expect(stderr).toContain(`${text}; --force replaces them`);
  const plan = await syncer(`undo ${id} --review`);
  expect([plan.code, plan.stderr]).toEqual([22, expect.stringContaining(text)]);
});

test('nothing is left of the directories of a trash once its files are restored', async () => {
  const trash = join(world.dir, 'b/.syncer-trash');
  const dirs = async () =>
    (await world.names()).filter((name) => name.includes('.syncer-trash') && name.endsWith('/'));
  await writeTree(world.dir, { 'b/d/e/x': 'x', 'b/d/y': 'y', 'b/z': 'z' });
  await utimes(join(world.dir, 'b'), 1_500_000_000, 1_500_000_000);
  expect((await syncer('delete @b --trash')).code).toBe(0);
  const id = await lastRun();
  expect((await syncer(`undo ${id} d/e`)).code).toBe(0);
  expect(await dirs()).toEqual(['', `${id}/`, `${id}/d/`].map((name) => `b/.syncer-trash/${name}`));
  expect((await syncer('trash restore @b d')).code).toBe(0);
  expect(await dirs()).toEqual(['', `${id}/`].map((name) => `b/.syncer-trash/${name}`));
  expect((await syncer(`undo ${id}`)).code).toBe(0);
  expect(await readTree(trash)).toBeUndefined();
  expect((await stat(join(world.dir, 'b'))).mtimeMs).toBe(1_500_000_000_000);
  const again = await syncer(`undo ${await lastRun()}`);
  expect([again.code, (await readTree(trash)) === undefined], again.stderr).toEqual([0, false]);
});

test('a rename that failed and became a copy and a deletion is undone', async () => {
  await writeTree(world.dir, { 'a/x/y': ['same', 5], 'b/x': ['same', 5] });
  const before = await readTree(join(world.dir, 'b'));
  expect((await syncer('sync @a @b --track-renames --trash')).code).toBe(0);
  const { code, stderr } = await syncer(`undo ${await lastRun()} --trash=false`);
  expect(code, stderr).toBe(0);
  expect(await readTree(join(world.dir, 'b'))).toMatchObject(before ?? {});
});

test('the root gets back its time although the undo made a trash in it, and a second undo has nothing to do', async () => {
  await writeTree(world.dir, { 'a/p/n': 'new', 'b/p/old': 'old' });
  const root = join(world.dir, 'b');
  await utimes(root, 1_500_000_000, 1_500_000_000);
  expect((await syncer('copy @a @b')).code).toBe(0);
  const into = await lastRun();
  expect((await syncer('copy @a @made')).code).toBe(0);
  const made = await lastRun();
  expect((await syncer(`undo ${into}`)).code).toBe(0);
  expect((await stat(root)).mtimeMs).toBe(1_500_000_000_000);
  const first = await syncer(`undo ${made} --trash=false`);
  expect([first.code, first.stderr]).toEqual([0, expect.not.stringContaining('Already undone')]);
  const second = await syncer(`undo ${made} --trash=false`);
  expect([second.code, second.stderr]).toEqual([0, expect.stringContaining('Already undone by')]);
});

test.each([
  '@b --size-only',
  '@b --modify-window 5000w',
  '@b --size-only --compare-dest @c',
  's:left/b --size-only --copy-dest s:left/c',
])('a source that may differ from its target goes into the trash: move to %s', async (to) => {
  const other: Tree = to.includes('-dest') ? { 'b/f': 'longer', 'c/f': '2' } : { 'b/f': '2' };
  await writeTree(world.dir, { 'a/f': ['1', 1_500_000_000], ...other });
  for (const side of ['b', 'c']) await syncer(`copy @${side} s:left/${side} --no-history`);
  const before = (await readTree(join(world.dir, 'a'))) ?? {};
  expect((await syncer(`move @a ${to} --trash`)).code).toBe(0);
  expect(await readTree(join(world.dir, 'a'))).not.toMatchObject(before);
  expect((await syncer(`undo ${await lastRun()}`)).code).toBe(0);
  expect(await readTree(join(world.dir, 'a'))).toMatchObject(before);
});

test('a trial names what is not kept any more', async () => {
  const id = await runWithTrash();
  await rm(join(world.dir, 'b/.syncer-trash', id, 'x2'));
  const { code, stderr } = await syncer(`undo ${id} -n`);
  expect([code, stderr]).toEqual([4, expect.stringContaining('x2: Not restored')]);
  expect(stderr).toContain('x1: Skipped');
});

test('undo of a directory that was moved whole leaves what was changed or added in it since', async () => {
  const old: Tree = {
    'a/same': ['s', 5],
    'a/changed': ['c', 5],
    'a/p/q/deep': ['d', 5],
    'a/r/x': 'x',
  };
  await writeTree(world.dir, old);
  await chmod(join(world.dir, 'a/p'), 0o700);
  await symlink('same', join(world.dir, 'a/p/q/link'));
  expect((await syncer('moveto @a @z')).code).toBe(0);
  const id = await lastRun();
  await writeTree(world.dir, { 'z/changed': 'since', 'z/p/added': 'mine', 'z/own/new': 'mine' });
  const trial = await syncer(`undo ${id} --dry-run`);
  expect([trial.code, await readTree(join(world.dir, 'a'))]).toEqual([22, undefined]);
  const { code, stdout, stderr } = await syncer(`undo ${id}`);
  expect(code, stderr).toBe(22);
  for (const name of ['changed', 'p/added', 'own/new']) {
    expect(stderr).toContain(`${name}: Left as it is: changed since the run`);
    expect(trial.stderr).toContain(`${name}: Left as it is: changed since the run`);
  }
  expect(stdout).toContain(`${id}: 3 files restored, 0 files deleted, 3 files left`);
  expect(await readTree(join(world.dir, 'a'))).toMatchObject({ same: 's@5', 'p/q/deep': 'd@5' });
  expect((await world.names()).filter((name) => /^[az]\/.*[^/]$/.test(name))).toEqual([
    'a/p/q/deep',
    'a/p/q/link',
    'a/r/x',
    'a/same',
    'z/changed',
    'z/own/new',
    'z/p/added',
  ]);
  expect((await stat(join(world.dir, 'a/p'))).mode & 0o777).toBe(0o700);
  const forced = await syncer(`undo ${id} --force`);
  expect(forced.code, forced.stderr).toBe(22);
  expect(await readTree(join(world.dir, 'a'))).toMatchObject({ changed: /^since@/ });
});

test('a file of a directory that was moved whole is undone alone', async () => {
  await writeTree(world.dir, { 'a/x': ['1', 5], 'a/d/y': ['2', 6], 'a/d/w': ['3', 6] });
  expect((await syncer('moveto @a @z')).code).toBe(0);
  const id = await lastRun();
  expect((await syncer(`history ${id}`)).stdout).toContain('move        d/y → d/y  (1 B)');
  expect((await syncer(`undo ${id} d/y`)).code).toBe(0);
  expect(await readTree(join(world.dir, 'a'))).toEqual({ 'd/': expect.anything(), 'd/y': '2@6' });
  const { code, stderr } = await syncer(`undo ${id} --include x`);
  expect(code, stderr).toBe(0);
  expect(await readTree(join(world.dir, 'z'))).toMatchObject({ 'd/w': '3@6' });
});

test('undo of a directory that was moved whole leaves a trash that it has by now, and no empty directory', async () => {
  await writeTree(world.dir, { 'a/x': ['1', 5], 'a/d/y': ['2', 6], 'a/e/': '' });
  const before = await readTree(join(world.dir, 'a'));
  expect((await syncer('moveto @a @z')).code).toBe(0);
  const moved = await lastRun();
  expect((await syncer('deletefile @z/x --trash')).code).toBe(0);
  const { code, stderr } = await syncer(`undo ${moved}`);
  expect([code, stderr]).toEqual([22, expect.stringContaining('x: Left as it is: changed since')]);
  expect(await readTree(join(world.dir, 'a'))).toEqual({ 'd/': '', 'd/y': '2@6', 'e/': '' });
  const left = (await world.names()).filter((name) => name.startsWith('z/'));
  expect(left.filter((name) => !name.includes('.syncer-trash'))).toEqual(['z/']);
  const restored = await syncer('trash restore @z');
  expect(restored.code, restored.stderr).toBe(0);
  expect((await syncer(`undo ${moved}`)).code).toBe(0);
  expect(await readTree(join(world.dir, 'a'))).toEqual(before);
});

test('the last line of a trash restore with several errors says that it failed', async () => {
  await runWithTrash();
  for (const name of ['x1', 'x2']) await symlink('r', join(world.dir, 'b', name));
  const { code, stderr } = await syncer('trash restore @b');
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('ERROR : Failed to run trash with 2 errors: last error was: '),
  ]);
});

test('a pipe in place of the journal holds up nothing', async () => {
  const id = await runWithTrash();
  const path = join(dirname(world.dir), '.local/state/syncer/runs', id, 'journal.jsonl');
  await rm(path);
  await promisify(execFile)('mkfifo', [path]);
  expect((await syncer('history')).code).toBe(0);
  const { code, stderr } = await syncer(`undo ${id} -n`);
  expect([code, stderr]).toEqual([1, expect.stringContaining(path)]);
});

test('rcat to a bucket counts as a transfer, and undo deletes what it created', async () => {
  const s3 = await makeS3World();
  try {
    const put = async (key: string, input: string) => {
      const { code, stderr } = await s3.run(['rcat', `store:bucket/${key}`], { input });
      expect(code, stderr).toBe(0);
    };
    await put('old', 'a');
    await put('new', 'content');
    const keys = async () =>
      Object.keys(await s3.objects()).filter((key) => !key.startsWith('.syncer-trash'));
    const last = async () =>
      JSON.parse((await s3.run(['history', '--json'])).stdout.toString().split('\n', 1)[0] ?? '');
    const run = await last();
    expect(run.result).toMatchObject({ files: 1, bytes: 7 });
    expect((await s3.run(['undo', run.id])).code).toBe(0);
    expect(await keys()).toEqual(['old']);
    await put('old', 'b');
    expect((await s3.run(['undo', (await last()).id])).code).toBe(4);
    expect(await keys()).toEqual(['old']);
  } finally {
    await s3.remove();
  }
});
