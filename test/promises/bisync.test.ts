import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Tree } from '../support/file-tree.ts';
import { type Place, promiseWorld, STORAGES, type Storage } from './promise-world.ts';

const world = promiseWorld();

const FILES: Tree = { 'a.txt': 'a', 'b.txt': 'b', 'dir/c.txt': 'c' };

/** Two sides, the first on a disk, that a run has made equal. */
async function agreed(storage: Storage, files: Tree = FILES): Promise<readonly [Place, Place]> {
  const sides = [world.place('a disk'), world.place(storage)] as const;
  await sides[0].put(files);
  await world.done(`bisync ${sides[0].at} ${sides[1].at}`);
  return sides;
}

const edit = (place: Place, path: string, content: string) =>
  place.put({ [path]: [content, 1_700_000_000] });

async function both([one, two]: readonly [Place, Place]): Promise<Record<string, string>> {
  const held = await one.contents();
  expect(await two.contents()).toEqual(held);
  return held;
}

describe.each(STORAGES)('between a disk and %s', (storage) => {
  test('the first run deletes nothing: both sides get the union', async () => {
    const sides = [world.place('a disk'), world.place(storage)] as const;
    await sides[0].put({ 'one.txt': '1', 'same.txt': 's' });
    await sides[1].put({ 'two.txt': '2', 'same.txt': 's' });
    await world.done(`bisync ${sides[0].at} ${sides[1].at}`);
    expect(await both(sides)).toEqual({ 'one.txt': '1', 'two.txt': '2', 'same.txt': 's' });
  });

  test('a change on either side is copied to the other', async () => {
    const sides = await agreed(storage);
    await edit(sides[0], 'a.txt', 'changed on one');
    await edit(sides[1], 'dir/c.txt', 'changed on two');
    await edit(sides[1], 'new.txt', 'new on two');
    await edit(sides[0], 'b.txt', 'B');
    await world.done(`bisync ${sides[0].at} ${sides[1].at}`);
    expect(await both(sides)).toEqual({
      'a.txt': 'changed on one',
      'b.txt': 'B',
      'dir/c.txt': 'changed on two',
      'new.txt': 'new on two',
    });
  });

  test('a deletion is carried out on the other side', async () => {
    const sides = await agreed(storage);
    await rm(join(sides[0].at, 'b.txt'));
    await world.done(`deletefile ${sides[1].at}/a.txt`);
    await world.done(`bisync ${sides[0].at} ${sides[1].at} --force`);
    expect(await both(sides)).toEqual({ 'dir/c.txt': 'c' });
  });

  test('a file that one side changed and the other deleted is kept', async () => {
    const sides = await agreed(storage);
    await edit(sides[1], 'a.txt', 'changed');
    await rm(join(sides[0].at, 'a.txt'));
    await world.done(`bisync ${sides[0].at} ${sides[1].at}`);
    expect(await both(sides)).toMatchObject({ 'a.txt': 'changed' });
  });

  test('a file that both sides changed is kept in both versions', async () => {
    const sides = await agreed(storage);
    await edit(sides[0], 'a.txt', 'version of one');
    await sides[1].put({ 'a.txt': ['version of two, newer', 1_800_000_000] });
    await world.done(`bisync ${sides[0].at} ${sides[1].at}`);
    const held = await both(sides);
    expect(held['a.txt']).toBe('version of two, newer');
    expect(Object.values(held).sort()).toEqual([
      'b',
      'c',
      'version of one',
      'version of two, newer',
    ]);
  });

  test('without the record of the last run nothing is deleted', async () => {
    const sides = await agreed(storage);
    await rm(join(sides[0].at, 'b.txt'));
    await world.done(`bisync ${sides[0].at} ${sides[1].at} --resync`);
    expect(await both(sides)).toEqual({ 'a.txt': 'a', 'b.txt': 'b', 'dir/c.txt': 'c' });
  });

  test('a side that has lost all its files stops the run with exit code 7', async () => {
    const sides = await agreed(storage);
    await world.done(`delete ${sides[0].at}`);
    const { code } = await world.syncer(`bisync ${sides[0].at} ${sides[1].at}`);
    expect(code).toBe(7);
    expect(Object.keys(await sides[1].contents())).toHaveLength(3);
  });
});

test('a version that cannot be kept aside is not replaced', async () => {
  const sides = await agreed('S3');
  await sides[0].put({ 'a.txt': ['version of one, newer', 1_800_000_000] });
  await edit(sides[1], 'a.txt', 'version of two');
  world.s3.setFaults(({ operation }) => (operation === 'CopyObject' ? { status: 403 } : undefined));
  const { code } = await world.syncer(`bisync ${sides[0].at} ${sides[1].at} --retries 1`);
  world.s3.setFaults(undefined);
  expect(code).not.toBe(0);
  expect((await sides[0].contents())['a.txt']).toBe('version of one, newer');
  expect((await sides[1].contents())['a.txt']).toBe('version of two');
});

test('more than half of the files deleted on one side stops the run with exit code 1', async () => {
  const names = Array.from({ length: 10 }, (_, i) => `f${i}.txt`);
  const sides = await agreed('a disk', Object.fromEntries(names.map((name) => [name, name])));
  for (const name of names.slice(0, 6)) await rm(join(sides[0].at, name));
  const { code } = await world.syncer(`bisync ${sides[0].at} ${sides[1].at}`);
  expect(code).toBe(1);
  expect(Object.keys(await sides[1].contents())).toHaveLength(10);
});

test('a renamed file is renamed on the other side, and not copied again', async () => {
  const sides = await agreed('a disk');
  await rename(join(sides[0].at, 'a.txt'), join(sides[0].at, 'renamed.txt'));
  const { stderr } = await world.done(`bisync ${sides[0].at} ${sides[1].at} -v --stats 0`);
  expect(await both(sides)).toEqual({ 'renamed.txt': 'a', 'b.txt': 'b', 'dir/c.txt': 'c' });
  expect(stderr).not.toMatch(/Copied/);
});

test('`bisync --trash` keeps what either side loses, and undo restores it', async () => {
  const sides = await agreed('a disk');
  await rm(join(sides[0].at, 'b.txt'));
  await writeFile(join(sides[0].at, 'a.txt'), 'changed');
  await world.done(`bisync ${sides[0].at} ${sides[1].at} --trash`);
  expect(await both(sides)).toEqual({ 'a.txt': 'changed', 'dir/c.txt': 'c' });
  const { stdout } = await world.done('history --json');
  const { id } = JSON.parse(stdout.toString().split('\n')[0] ?? '') as { id: string };
  await world.done(`undo ${id}`);
  expect(await sides[1].contents()).toEqual({ 'a.txt': 'a', 'b.txt': 'b', 'dir/c.txt': 'c' });
});
