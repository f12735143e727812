import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeTree } from '../support/file-tree.ts';
import { inProcessWorld } from '../support/in-process-world.ts';

const world = inProcessWorld();
const { syncer } = world;

test('an export of a bucket has its records in order, and is kept', async () => {
  const bucket = `s:export${world.count}`;
  await writeTree(join(world.dir, 'a'), { 'd/new': '12', 'd/old': '1', top: '' });
  expect((await syncer(`copy @a ${bucket}`)).code).toBe(0);
  const { code, stdout } = await syncer(`ncdu ${bucket} --output -`);
  expect(code).toBe(0);
  const [head, ...lines] = stdout.split('\n');
  const records = lines.join('').replaceAll(/"mtime":\d+/g, '"mtime":0');
  expect(records).toBe(
    [
      `[{"name":"${bucket}","mtime":0},`,
      '[{"name":"d","mtime":0},',
      '{"name":"new","asize":2,"dsize":2,"mtime":0},',
      '{"name":"old","asize":1,"dsize":1,"mtime":0}],',
      '{"name":"top","mtime":0}]]',
    ].join(''),
  );
  expect(head).toMatch(/^\[1,2,\{"progname":"syncer","progver":"[^"]+","timestamp":\d+\},$/);
  const folder = join(world.env.HOME, '.cache/syncer/ncdu');
  const [kept = ''] = await readdir(folder);
  const again = await syncer(`ncdu --import ${join(folder, kept)} --output -`);
  expect(again.stdout.split('\n').slice(1)).toEqual(lines);
});
