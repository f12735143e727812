import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installFakeRclone } from '../support/fake-rclone.ts';
import { readTree, type Tree, writeTree } from '../support/file-tree.ts';
import { makeSyncerWorld, type SyncerWorld } from '../support/run-syncer.ts';

let world: SyncerWorld;

beforeAll(async () => {
  world = await makeSyncerWorld();
});

afterAll(() => world.remove());

const source: Tree = {
  'file/below': 'now a directory',
  'file/deep/er': 'too',
  dir: 'now a file',
  'linked/below': 'was a link',
  link: '-> file',
  relinked: '-> dir',
  'real.txt': 'was a link',
  'empty/': '',
};

const dest: Tree = {
  file: 'was a file',
  'dir/a': 'was a directory',
  'dir/b/c': 'too',
  linked: '-> dir',
  'link/below': 'was a directory',
  relinked: 'was a file',
  'real.txt': '-> dir/a',
  empty: 'was a file',
};

const deletes = ['', '--delete-before', '--delete-during', '--delete-after', '--check-first'];

test.each(deletes)('sync %s follows names that stand for another kind now', async (flag) => {
  const dir = join(world.dir, `kinds ${flag}`);
  await writeTree(join(dir, 'src'), source);
  await writeTree(join(dir, 'dst'), dest);
  const args = ['sync', 'src', 'dst', '--links', '--create-empty-src-dirs', ...flag.split(' ')];
  const { code, stderr } = await world.run(
    args.filter((arg) => arg !== ''),
    { cwd: dir },
  );
  expect(code, stderr).toBe(0);
  expect(await readTree(join(dir, 'dst'))).toEqual(await readTree(join(dir, 'src')));
});

test.each(deletes)('sync %s follows them through rclone', async (flag) => {
  const dir = join(world.dir, `far ${flag}`);
  await writeTree(join(dir, 'src'), { f: 'now a file', 'g/inner': 'now a directory' });
  await writeTree(join(dir, 'dst'), { 'f/inner': 'was a directory', g: 'was a file' });
  await writeFile(world.config, `[far]\ntype = sftp\nroot = ${dir}/dst\n`);
  const program = `--rclone-program=${join(await installFakeRclone(dir), 'rclone')}`;
  const args = ['sync', 'src', 'far:', program, ...flag.split(' ')];
  const { code, stderr } = await world.run(
    args.filter((arg) => arg !== ''),
    { cwd: dir },
  );
  expect(code, stderr).toBe(0);
  expect(await readTree(join(dir, 'dst'))).toEqual(await readTree(join(dir, 'src')));
});

test('a copy does not, and says what is in the way', async () => {
  const dir = join(world.dir, 'copy');
  await writeTree(join(dir, 'src'), { dir: 'now a file', 'file/below': 'now a directory' });
  await writeTree(join(dir, 'dst'), { 'dir/a': 'stays', file: 'stays' });
  const { code, stderr } = await world.run(['copy', 'src', 'dst'], { cwd: dir });
  expect(code).toBe(1);
  expect(stderr).toMatch(/dir: Failed to copy: .*is a directory/);
  expect(stderr).toMatch(/file\/below: Failed to copy: .*not a directory/);
  expect(Object.keys((await readTree(join(dir, 'dst'))) ?? {}).sort()).toEqual([
    'dir/',
    'dir/a',
    'file',
  ]);
});

test('a trial, a plan and why say of a copy what is in the way, and the totals count each file once', async () => {
  const dir = join(world.dir, 'trial');
  await writeTree(dir, { 'src/dir': 'a file', 'src/new': 'x', 'dst/dir/a': 'below' });
  const said = 'dst: "dir" is a directory not a file';
  for (const line of ['copy src dst -n', 'copy src dst --review', 'why src dst dir --as copy']) {
    const { code, stdout, stderr } = await world.run(line.split(' '), { cwd: dir });
    expect([line, code], stderr).toEqual([line, 1]);
    expect(stdout + stderr).toContain(said);
    expect(stderr).not.toContain('dir: Skipped copy');
  }
  const trial = await world.run('move src dst -n -v'.split(' '), { cwd: dir });
  expect(trial.stderr).toMatch(/Transferred: +1 \/ 2, 50%/);
  for (const line of ['sync src dst -n', 'sync src dst -v --stats 1m']) {
    const { code, stderr } = await world.run(line.split(' '), { cwd: dir });
    expect([code, stderr]).toEqual([0, expect.stringMatching(/Transferred: +2 \/ 2, 100%/)]);
    expect(stderr).toMatch(/Transferred:\s+7 B \/ 7 B, 100%/);
  }
});
