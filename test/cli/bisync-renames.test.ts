import { readdir, rename } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { bisyncWorld } from '../support/bisync-world.ts';

const { world, at, bisync, filesIn, edit, expectBoth } = bisyncWorld();
const { syncer } = world;

test('a renamed directory is renamed on the other side, as a whole on a disk', async () => {
  await edit('a/d/f', 'one');
  await edit('a/d/s/g', 'two');
  await bisync();
  await rename(at('a/d'), at('a/e'));
  const run = await bisync();
  expect(run.stderr).toContain('e: renamed from "d" on path1: rename on path2, with 2 files');
  expect(run.stderr).not.toContain('Copied');
  await expectBoth({ 'e/f': 'one', 'e/s/g': 'two' });
  expect(await readdir(at('b'))).toEqual(['e']);
  expect((await bisync()).stderr).not.toContain('path');
});

test('what a bucket or a disk has renamed is not transferred', async () => {
  const bucket = `s:bisync${world.count}/dir`;
  await edit('a/d/f', 'one');
  await edit('a/g', 'two');
  await bisync('', bucket);
  await rename(at('a/d'), at('a/e'));
  await syncer(`moveto ${bucket}/g ${bucket}/h`);
  const run = await bisync('', bucket);
  expect(run.stderr).toContain('e/f: renamed from "d/f" on path1: rename on path2');
  expect(run.stderr).toContain('h: renamed from "g" on path2: rename on path1');
  expect(run.stderr).not.toContain('Copied (new)');
  expect(await filesIn('a')).toEqual({ 'e/f': 'one', h: 'two' });
  expect((await syncer(`lsf -R --files-only ${bucket}`)).stdout).toBe('e/f\nh\n');
  expect((await bisync('', bucket)).stderr).not.toContain('path');
});
