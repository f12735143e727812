import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  ContentsWorld,
  CREATE,
  closeFile,
  op,
  readAll,
  UPDATE,
  writeFile,
} from './contents-world.ts';

/** What reaches the disk without being synced, of the bytes of cached files. */
const LOSSES: Readonly<Record<string, (path: string) => void>> = {
  nothing: (path) => rmSync(path),
  'only the names': (path) => writeFileSync(path, ''),
  zeros: (path) => writeFileSync(path, Buffer.alloc(readFileSync(path).length + 9)),
};

/** The machine ends, and another run of it begins. */
function cutPower(world: ContentsWorld, lose: (path: string) => void): void {
  world.crash();
  const vfs = join(world.cacheDir, 'vfs');
  const data = join(vfs, readdirSync(vfs)[0] ?? '', 'data');
  for (const name of readdirSync(data)) lose(join(data, name));
  world.boot = `${world.boot}, and another`;
}

for (const [name, lose] of Object.entries(LOSSES)) {
  test(`small files that were closed survive a power cut that leaves ${name}`, async () => {
    const world = new ContentsWorld();
    const contents = await world.open();
    await writeFile(contents, 'dir/a', 'first');
    await writeFile(contents, 'dir/a', 'closed');
    await writeFile(contents, 'empty', '');
    const changed = await contents.open('dir/a', undefined, UPDATE, op);
    await changed.write(0, Buffer.from('NOT'), op);
    cutPower(world, lose);
    const next = await world.open();
    expect(String(await readAll(next, 'dir/a'))).toBe('closed');
    await next.drain(op);
    expect(String(await world.get('dir/a'))).toBe('closed');
    expect(String(await world.get('empty'))).toBe('');
  });

  test(`and a second one that leaves ${name}, after they were renamed`, async () => {
    const world = new ContentsWorld();
    await writeFile(await world.open(), 'dir/a', 'closed');
    cutPower(world, lose);
    const second = await world.open();
    await second.renamed('dir/a', 'dir/b');
    await second.dirRenamed('dir', 'new');
    await second.setModTime('new/b', 1_234_567_891n);
    cutPower(world, lose);
    const third = await world.open();
    await third.drain(op);
    expect(String(await world.get('new/b'))).toBe('closed');
    expect(await world.entry('new/b')).toMatchObject({ modTime: 1_234_567_891n });
  });
}

test('a small file that grew survives as it was when it was closed', async () => {
  const world = new ContentsWorld();
  const contents = await world.open();
  await writeFile(contents, 'log', 'begun');
  const file = await contents.open('log', undefined, UPDATE, op);
  await file.write(5, Buffer.alloc(100_000, 'x'), op);
  await file.sync(op);
  world.crash();
  world.boot = 'boot 2';
  const next = await world.open();
  await next.drain(op);
  expect(await world.get('log')).toHaveLength(100_005);
  await closeFile(file);
});

test('what was closed and then changed is as it was closed, also after kill -9', async () => {
  const world = new ContentsWorld();
  const contents = await world.open();
  const file = await contents.open('f', undefined, CREATE, op);
  await file.write(0, Buffer.from('closed'), op);
  await file.flush(op);
  await file.write(0, Buffer.from('half'), op);
  world.crash();
  const next = await world.open();
  await next.drain(op);
  expect(String(await world.get('f'))).toBe('closed');
});

test('files that are made ahead leave nothing behind', async () => {
  const world = new ContentsWorld();
  const contents = await world.open();
  await writeFile(contents, 'a', 'x');
  await writeFile(contents, 'b', 'y');
  world.crash();
  const next = await world.open();
  await writeFile(next, 'c', 'z');
  await next.drain(op);
  await next.close();
  const vfs = join(world.cacheDir, 'vfs');
  expect(readdirSync(join(vfs, readdirSync(vfs)[0] ?? '', 'data'))).toHaveLength(3);
});
