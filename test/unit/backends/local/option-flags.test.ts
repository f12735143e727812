import { chmod, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeTree } from '../../../support/file-tree.ts';
import { inProcessWorld } from '../../../support/in-process-world.ts';

const world = inProcessWorld();
const { syncer, names } = world;

test.each([
  ['Slash,Dot', 'a:b'],
  ['Slash,Dot,Colon', 'a：b'],
])('--local-encoding %s decides how a name is written', async (encoding, name) => {
  await writeTree(world.dir, { 's/x': '1', 't/': '' });
  await syncer('copyto @s/x s:names/a:b');
  const { code, stderr } = await syncer(`copy s:names @t --local-encoding ${encoding}`);
  expect([code, (await names()).slice(-1)], stderr).toEqual([0, [`t/${name}`]]);
});

test.each([
  ['', '755'],
  [' --local-metadata-restore-special-bits', '4755'],
])('copy -M%s restores permissions as %s', async (flag, mode) => {
  await writeTree(world.dir, { 's/x': '1' });
  await chmod(join(world.dir, 's/x'), 0o4755);
  const { code, stderr } = await syncer(`copy @s @t -M${flag}`);
  const copied = await stat(join(world.dir, 't/x'));
  expect([code, (copied.mode & 0o7777).toString(8)], stderr).toEqual([0, mode]);
});
