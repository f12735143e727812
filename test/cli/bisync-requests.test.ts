import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bisyncWorld } from '../support/bisync-world.ts';
import { type Tree, writeTree } from '../support/file-tree.ts';

const { world, at, bisync, edit, filesIn } = bisyncWorld();
const { syncer } = world;

/** How many objects there are; 100,000 by hand. */
const OBJECTS = Number(process.env['BISYNC_OBJECTS'] ?? 300);
/** In each directory, which takes one request to list. */
const IN_DIR = 100;

const many: Tree = Object.fromEntries(
  Array.from({ length: OBJECTS }, (_, n) => [`d${Math.floor(n / IN_DIR)}/f${n}`, `${n}`]),
);

test('ten changes of many objects cost the listings and their transfers', {
  timeout: 60_000 + OBJECTS * 30,
}, async () => {
  const name = `requests${world.count}`;
  const bucket = `s:${name}`;
  await Promise.all([at('a'), join(world.s3.root, name)].map((dir) => writeTree(dir, many)));
  expect((await bisync('', bucket)).code).toBe(0);
  const listings = Math.ceil(OBJECTS / IN_DIR) + 1;
  const { log } = world.s3;

  log.clear();
  expect((await bisync('', bucket)).code).toBe(0);
  expect(log.counts()).toEqual({ ListObjectsV2: listings });

  for (let n = 0; n < 4; n++) {
    await edit(`a/d0/f${n}`, 'changed here');
    await edit(`c/d1/f${IN_DIR + n}`, 'changed there');
  }
  await edit('a/d0/new', 'new here');
  await unlink(at('a/d0/f9'));
  await syncer(`copy @c ${bucket} --no-traverse`);
  await syncer(`deletefile ${bucket}/d1/f${IN_DIR + 9}`);

  log.clear();
  expect((await bisync('', bucket)).code).toBe(0);
  expect(log.counts()).toEqual({
    ListObjectsV2: listings,
    // A last look at what is replaced or deleted there.
    HeadObject: 5,
    GetObject: 4,
    // A new file is uploaded on the condition that nothing is there.
    PutObject: 5,
    DeleteObject: 1,
  });
  const files = await filesIn('a');
  expect(Object.keys(files)).toHaveLength(OBJECTS - 1);
  expect(files[`d1/f${IN_DIR}`]).toBe('changed there');
});
