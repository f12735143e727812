import { chmod, lchown, lstat, lutimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readTree, writeTree } from '../support/file-tree.ts';
import { inProcessWorld } from '../support/in-process-world.ts';
import { runInProcess } from '../support/run-in-process.ts';

const world = inProcessWorld();
const { syncer, names } = world;

test('rules for metadata select files in listings and runs, on disks and on S3', async () => {
  await writeTree(world.dir, { 's/a': '1', 's/b': '2', 's/d/c': '3', 't/kept': '4' });
  for (const name of ['b', 'd/c']) await chmod(join(world.dir, 's', name), 0o600);
  expect((await syncer('lsf -R @s --metadata-include mode=100600')).stdout).toBe('b\nd/\nd/c\n');
  expect((await syncer('lsf -R @s --metadata-exclude mode=*600')).stdout).toBe('a\nd/\n');
  const ruled = ['lsf', '-R', join(world.dir, 's'), '--metadata-filter', '- mode=*600'];
  expect((await runInProcess(ruled, world.env)).stdout).toBe('a\nd/\n');
  const synced = await syncer('sync @s @t --metadata-include mode=100600 -M');
  expect([synced.code, await names()], synced.stderr).toEqual([
    0,
    ['s/', 's/a', 's/b', 's/d/', 's/d/c', 't/', 't/b', 't/d/', 't/d/c', 't/kept'],
  ]);
  expect((await syncer('delete @t --metadata-include mode=100600')).code).toBe(0);
  expect((await names()).slice(5)).toEqual(['t/', 't/d/', 't/kept']);

  for (const [name, set] of Object.entries({ red: 'colour=red', blue: 'colour=blue' }))
    await syncer(`copyto @s/a s:metadata/${name} -M --metadata-set ${set}`);
  expect((await syncer('lsf s:metadata --metadata-include colour=r*')).stdout).toBe('red\n');
  const copied = await syncer('copy s:metadata @u --metadata-exclude colour=red');
  expect([copied.code, (await names()).slice(-2)], copied.stderr).toEqual([0, ['u/', 'u/blue']]);
});

test('copy -M --links restores links from S3, with their owners and times', async () => {
  await writeTree(world.dir, { 's/a': '1', 's/l': '-> a', 's/d/l': '-> ../missing' });
  await lutimes(join(world.dir, 's/l'), 5, 1000);
  if (process.getuid?.() === 0) await lchown(join(world.dir, 's/l'), 7, 8);
  const state = async (dir: string) => {
    const { mtimeMs, uid, gid } = await lstat(join(world.dir, dir, 'l'));
    return { tree: await readTree(join(world.dir, dir)), mtimeMs, uid, gid };
  };
  expect((await syncer('copy @s s:links -M --links')).code).toBe(0);
  const { code, stderr } = await syncer('copy s:links @t -M --links');
  expect([code, stderr]).toEqual([0, '']);
  expect(await state('t')).toEqual(await state('s'));
});

test.each([
  ['purge @t --metadata-include a=b', 1],
  ['lsf @t/x --metadata-include a=b', 1],
])('%s is refused', async (line, code) => {
  await writeTree(world.dir, { 't/x': '1' });
  expect((await syncer(line)).code).toBe(code);
  expect(await names()).toContain('t/x');
});
