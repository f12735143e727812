import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTree, writeTree } from '../support/file-tree.ts';
import { makeSyncerWorld, type SyncerWorld } from '../support/run-syncer.ts';

let world: SyncerWorld;

beforeAll(async () => {
  world = await makeSyncerWorld();
});

afterAll(() => world.remove());

async function runIn(name: string, args: string) {
  const dir = join(world.dir, name);
  await writeTree(dir, { 'src/f': 'new', 'src/g': 'g', 'else/t': 'old' });
  await writeTree(join(dir, 'dst'), { f: '-> ../else/t' });
  const result = await world.run(args.split(' '), { cwd: dir });
  return { ...result, tree: (await readTree(dir)) ?? {} };
}

test.each([
  ['copy src dst --immutable', 6, /immutable file modified/],
  ['sync src dst --immutable --links', 6, /immutable file modified/],
  ['copy src dst --ignore-existing', 0, /f: Not copied: a symbolic link of that name exists/],
  ['move src dst --ignore-existing', 0, /f: Not copied: a symbolic link of that name exists/],
  [
    'copy src dst --backup-dir old',
    1,
    /f: a symbolic link of that name exists and would not be kept/,
  ],
  ['sync src dst --suffix .bak', 1, /f: a symbolic link of that name exists and would not be kept/],
])('%s leaves a link that it does not list', async (args, expected, message) => {
  const { code, stderr, tree } = await runIn(args, args);
  expect(stderr).toMatch(message);
  expect(code).toBe(expected);
  expect(tree['dst/f']).toBe('-> ../else/t');
  expect(tree['else/t']).toBe('old@1000000000');
  expect(tree['dst/g']).toBe('g@1000000000');
});

test('what is to be a backup of a link is one', async () => {
  const { code, stderr, tree } = await runIn('backup', 'sync src dst --links --backup-dir old');
  expect(code, stderr).toBe(0);
  expect(tree).toMatchObject({ 'dst/f': 'new@1000000000', 'old/f': '-> ../else/t' });
});

test('without such a flag the file takes the place of the link, and what it led to stays', async () => {
  const { code, tree } = await runIn('plain', 'copy src dst');
  expect(code).toBe(0);
  expect(tree).toMatchObject({ 'dst/f': 'new@1000000000', 'else/t': 'old@1000000000' });
});

test('a directory may be named as translated links are', async () => {
  const dir = join(world.dir, 'suffixed');
  await writeTree(join(dir, 'src'), { 'd.rclonelink/a': '1', 'd.rclonelink/b/c': '2', d: '-> q' });
  await writeTree(join(dir, 'dst'), { 'd.rclonelink/old/x': 'x', 'gone.rclonelink/y': 'y' });
  const args = ['sync', 'src', 'dst', '--links'];
  const { code, stderr } = await world.run(args, { cwd: dir });
  expect(code, stderr).toBe(0);
  expect(await readTree(join(dir, 'dst'))).toEqual(await readTree(join(dir, 'src')));
});
