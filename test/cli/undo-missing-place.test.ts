import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readTree, type Tree, writeTree } from '../support/file-tree.ts';
import { inProcessWorld } from '../support/in-process-world.ts';

const world = inProcessWorld();
const { syncer, lastRun } = world;

const TREE: Tree = { 'b/x': ['old', 5], 'b/extra': ['gone', 6], 'a/x': ['new!', 7], 'a/y': '2' };

test('a destination that does not exist, or whose disk is not mounted, is named, and nothing is undone', async () => {
  await writeTree(world.dir, TREE);
  await syncer('sync @a @b --trash');
  const id = await lastRun();
  const b = join(world.dir, 'b');
  await rename(b, join(world.dir, 'away'));
  const away = await readTree(world.dir);
  for (const flags of ['', ' --force', ' -n']) {
    const { code, stderr } = await syncer(`undo ${id}${flags}`);
    expect([code, stderr]).toEqual([3, expect.stringContaining(`${b} does not exist`)]);
    expect(stderr).not.toContain('changed since');
  }
  expect(await readTree(world.dir)).toEqual(away);
  await mkdir(b);
  const { code, stderr } = await syncer(`undo ${id} --force`);
  expect([code, stderr]).toEqual([3, expect.stringContaining(`${b} is empty`)]);
  expect(await readTree(b)).toEqual({});
  await rm(b, { recursive: true });
  await rename(join(world.dir, 'away'), b);
  expect((await syncer(`undo ${id}`)).code).toBe(0);
});

test('a bucket that does not exist is named; a directory that the run deleted is created', async () => {
  await writeTree(world.dir, { ...TREE, 'c/d/x': 'kept' });
  const bucket = `s:gone${world.count}`;
  await syncer(`copy @b ${bucket}`);
  await syncer(`sync @a ${bucket} --trash`);
  const id = await lastRun();
  await syncer(`purge ${bucket} --no-history`);
  const { code, stderr } = await syncer(`undo ${id}`);
  expect([code, stderr]).toEqual([3, expect.stringContaining(`gone${world.count} does not exist`)]);
  expect((await syncer('lsf s:')).stdout).not.toContain('gone');
  expect(
    (await syncer('purge @c/d --trash-dir @kept'.replace('@kept', join(world.dir, 'kept')))).code,
  ).toBe(0);
  await rm(join(world.dir, 'c/d'), { recursive: true, force: true });
  expect((await syncer(`undo ${await lastRun()}`)).code).toBe(0);
  expect(await readFile(join(world.dir, 'c/d/x'), 'utf8')).toBe('kept');
});
