import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { canMount, withDisk } from '../../../support/mount-disk.ts';
import { waitFor } from '../../../support/wait-for.ts';
import {
  ContentsWorld,
  CREATE,
  closeFile,
  op,
  READ,
  readAll,
  writeFile,
} from './contents-world.ts';

const MIB = 1024 ** 2;

test('what was used longest ago goes when the cache is too large, but nothing that waits or is open', async () => {
  const world = new ContentsWorld();
  let now = 1_000_000;
  world.clock = { ...world.clock, now: () => (now += 1000) };
  const flags = { cacheMaxSize: 250_000, cachePollInterval: 5 };
  const contents = await world.open(flags);
  await writeFile(contents, 'waits', Buffer.alloc(100_000));
  const entries = [];
  for (const name of ['a', 'b', 'c', 'd'])
    entries.push(await world.put(name, Buffer.alloc(100_000)));
  const [a, b, c, d] = entries;
  const open = await contents.open('a', a, READ, op);
  await open.read(0, 100_000, op);
  await readAll(contents, 'b', b);
  await readAll(contents, 'c', c);
  await readAll(contents, 'd', d);
  await waitFor(() => contents.state().cachedBytes <= 250_000);
  expect(contents.state()).toMatchObject({ cachedBytes: 200_000, pendingBytes: 100_000 });
  expect(await readAll(contents, 'waits')).toHaveLength(100_000);
  expect(await open.read(0, 100_000, op)).toHaveLength(100_000);
  await closeFile(open);
});

test.skipIf(!canMount)(
  'what was used longest ago goes when the disk of the cache has too little space',
  async () => {
    const world = new ContentsWorld();
    let now = 1_000_000;
    world.clock = { ...world.clock, now: () => (now += 1000) };
    const disk = join(world.folder, 'disk');
    mkdirSync(disk);
    await withDisk(disk, 'size=8m', async () => {
      world.cacheDir = disk;
      const contents = await world.open({ cacheMinFree: 5 * MIB, cachePollInterval: 5 });
      try {
        const open = await contents.open('a', await world.put('a', Buffer.alloc(MIB)), READ, op);
        await open.read(0, MIB, op);
        for (const name of ['b', 'c', 'd'])
          await readAll(contents, name, await world.put(name, Buffer.alloc(MIB)));
        await waitFor(() => statfsSync(disk).bavail * statfsSync(disk).bsize >= 5 * MIB);
        expect(contents.state().cachedBytes).toBeGreaterThanOrEqual(MIB);
        await closeFile(open);
      } finally {
        await contents.close();
      }
      await contents.close();
    });
  },
);

test('what was not used for long goes', async () => {
  const world = new ContentsWorld();
  let now = 1_000_000;
  world.clock = { ...world.clock, now: () => now };
  const contents = await world.open({ cacheMaxAge: 60_000, cachePollInterval: 5 });
  await readAll(contents, 'a', await world.put('a', Buffer.alloc(1000)));
  expect(contents.state().cachedBytes).toBe(1000);
  now += 61_000;
  await waitFor(() => contents.state().cachedBytes === 0);
});

test.skipIf(!canMount)('a full disk makes room for what is written, and then says so', async () => {
  const world = new ContentsWorld();
  const disk = join(world.folder, 'disk');
  mkdirSync(disk);
  await withDisk(disk, 'size=8m', async () => {
    world.cacheDir = disk;
    const contents = await world.open();
    onTestFinished(() => contents.close());
    for (const name of ['a', 'b', 'c']) {
      await readAll(contents, name, await world.put(name, Buffer.alloc(2 * MIB, name)));
    }
    // Takes the place of what was only read.
    await writeFile(contents, 'new', Buffer.alloc(6 * MIB, 'n'));
    const file = await contents.open('more', undefined, CREATE, op);
    await expect(file.write(0, Buffer.alloc(6 * MIB), op)).rejects.toMatchObject({
      code: 'no-space',
    });
    await closeFile(file);
    await contents.removed('more');
    // What is only read is read all the same.
    const large = await world.put('large', Buffer.alloc(4 * MIB, 'l'));
    expect((await readAll(contents, 'large', large)).equals(Buffer.alloc(4 * MIB, 'l'))).toBe(true);
    await contents.drain(op);
    expect((await world.get('new'))?.equals(Buffer.alloc(6 * MIB, 'n'))).toBe(true);
    await contents.close();
  });
});

test('what is deleted from the cache, cut short or made longer there is downloaded again', async () => {
  const world = new ContentsWorld();
  const contents = await world.open();
  const bytes = Buffer.alloc(300_000, 'content ');
  const entry = await world.put('f', bytes);
  const readsAll = async () => (await readAll(contents, 'f', entry)).equals(bytes);
  expect(await readsAll()).toBe(true);
  const [remote = ''] = readdirSync(join(world.cacheDir, 'vfs'));
  const data = join(world.cacheDir, 'vfs', remote, 'data');
  const damages = [
    (file: string) => truncateSync(file, 1000),
    (file: string) => appendFileSync(file, 'more'),
    (file: string) => rmSync(file),
    () => rmSync(data, { recursive: true }),
  ];
  for (const damage of damages) {
    for (const name of readdirSync(data)) {
      const file = join(data, name);
      if (statSync(file).size > 0) damage(file);
      if (!existsSync(data)) break;
    }
    expect(await readsAll()).toBe(true);
  }
  rmSync(data, { recursive: true });
  await writeFile(contents, 'new', 'written');
  await contents.drain(op);
  expect((await world.get('new'))?.toString()).toBe('written');
});
