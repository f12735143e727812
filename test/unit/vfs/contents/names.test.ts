import { expect, test } from 'vitest';
import { deleteOne } from '../../../../src/core/remote-calls.ts';
import type { FileContents } from '../../../../src/vfs/contents/contents.ts';
import {
  ContentsWorld,
  CREATE,
  closeFile,
  op,
  READ,
  readAll,
  UPDATE,
  writeFile,
} from './contents-world.ts';

/** Renames as the file system does: first on the remote, then here. */
async function rename(world: ContentsWorld, contents: FileContents, from: string, to: string) {
  const letGo = [await contents.hold(from, op), await contents.hold(to, op)];
  const entry = await world.entry(from);
  if (entry !== undefined) await world.plain.can.moveFrom?.(world.remote, entry, to, op);
  const isOnlyHere = await contents.renamed(from, to);
  for (const go of letGo) go();
  return isOnlyHere;
}

async function remove(world: ContentsWorld, contents: FileContents, path: string) {
  const letGo = await contents.hold(path, op);
  const entry = await world.entry(path);
  if (entry !== undefined) await deleteOne(world.plain, entry, op);
  const isOnlyHere = await contents.removed(path);
  letGo();
  return isOnlyHere;
}

test('a file that waits gets another name, for the next mount too', async () => {
  const world = new ContentsWorld();
  const contents = await world.open();
  await writeFile(contents, 'a', 'content');
  await writeFile(contents, 'b', 'replaced');
  expect(await rename(world, contents, 'a', 'b')).toBe(true);
  expect(contents.pending('a')).toBeUndefined();
  expect([...contents.pendingIn('')].map(({ path }) => path)).toEqual(['b']);
  world.crash();
  const next = await world.open();
  await next.drain(op);
  expect(await world.get('a')).toBeUndefined();
  expect(String(await world.get('b'))).toBe('content');
});

test('a file that is removed while it is open can be synced', async () => {
  const world = new ContentsWorld();
  const contents = await world.open();
  const file = await contents.open('a', undefined, UPDATE, op);
  await file.write(0, Buffer.alloc(100_000), op);
  const synced = file.sync(op);
  await contents.removed('a');
  await expect(synced).resolves.toBeUndefined();
  await expect(file.sync(op)).resolves.toBeUndefined();
  await closeFile(file);
  expect(await world.get('a')).toBeUndefined();
});

test('a whole directory gets another name, for the next mount too', async () => {
  const world = new ContentsWorld();
  const contents = await world.open();
  const read = await world.put('old/read', 'was read');
  await readAll(contents, 'old/read', read);
  await writeFile(contents, 'old/deep/a', 'content');
  await writeFile(contents, 'older/b', 'stays');
  const open = await contents.open('old/open', undefined, CREATE, op);
  await open.write(0, Buffer.from('half'), op);
  const letGo = [await contents.hold('old', op), await contents.hold('new', op)];
  await world.plain.can.moveDirFrom?.(world.remote, 'old', 'new', op);
  await contents.dirRenamed('old', 'new');
  for (const go of letGo) go();
  await open.write(4, Buffer.from(' and half'), op);
  await closeFile(open);
  expect([...contents.pendingBelow('new')].map(({ path }) => path).sort()).toEqual([
    'new/deep/a',
    'new/open',
  ]);
  expect([...contents.pendingBelow('old')]).toEqual([]);
  world.crash();
  const next = await world.open();
  await next.drain(op);
  expect(String(await world.get('new/deep/a'))).toBe('content');
  expect(String(await world.get('new/open'))).toBe('half and half');
  expect(String(await world.get('older/b'))).toBe('stays');
  expect(await world.get('old/open')).toBeUndefined();
});

test('what is removed is not uploaded, and who has it open goes on', async () => {
  const world = new ContentsWorld();
  const contents = await world.open();
  await writeFile(contents, 'a', 'content');
  const file = await contents.open('a', undefined, UPDATE, op);
  expect(await remove(world, contents, 'a')).toBe(true);
  await writeFile(contents, 'a', 'another');
  await file.write(0, Buffer.from('C'), op);
  expect(String(await file.read(0, 100, op))).toBe('Content');
  await closeFile(file);
  expect(String(await readAll(contents, 'a'))).toBe('another');
  await contents.drain(op);
  expect(String(await world.get('a'))).toBe('another');
});

test('nothing is uploaded to a name that is held', async () => {
  const world = new ContentsWorld();
  const contents = await world.open({ writeBack: 0 });
  const letGo = await contents.hold('dir', op);
  await writeFile(contents, 'dir/a', 'content');
  await writeFile(contents, 'b', 'content');
  await contents.drain({ signal: AbortSignal.timeout(300) }).catch(() => undefined);
  expect(await world.get('b')).toBeDefined();
  expect(await world.get('dir/a')).toBeUndefined();
  letGo();
  await contents.drain(op);
  expect(String(await world.get('dir/a'))).toBe('content');
});

test.each(['off', 'full'] as const)(
  '%s: a file is read on while it gets another name',
  async (cacheMode) => {
    const world = new ContentsWorld();
    const content = Buffer.alloc(5_000_000, 'abc ');
    const entry = await world.put('a', content);
    const contents = await world.open({ cacheMode, readChunkSize: 100_000, bufferSize: 500_000 });
    const file = await contents.open('a', entry, READ, op);
    const begin = await file.read(0, 100_000, op);
    expect(Buffer.from(begin).equals(content.subarray(0, 100_000))).toBe(true);
    expect(await rename(world, contents, 'a', 'b')).toBe(false);
    const end = await file.read(4_900_000, 100_000, op);
    expect(Buffer.from(end).equals(content.subarray(4_900_000))).toBe(true);
    await closeFile(file);
  },
);

test('who has a version open that was replaced gets that one or an error, never a mixture', async () => {
  const world = new ContentsWorld();
  const entry = await world.put('a', Buffer.alloc(5_000_000, 'old '));
  const contents = await world.open({ readChunkSize: 100_000 });
  const file = await contents.open('a', entry, READ, op);
  await file.read(0, 4, op);
  const now = await world.put('a', Buffer.alloc(5_000_000, 'new '), 2n);
  contents.changed('a', now);
  await expect(file.read(4_000_000, 4, op)).rejects.toMatchObject({ code: 'source-changed' });
  expect(String(await file.read(0, 4, op))).toBe('old ');
  const other = await contents.open('a', now, READ, op);
  expect(String(await other.read(0, 4, op))).toBe('new ');
  expect(String(await other.read(4_000_000, 4, op))).toBe('new ');
  await closeFile(file);
  await closeFile(other);
});

test('off: a large file that gets another name while it is written arrives under the new one', async () => {
  const world = new ContentsWorld();
  const contents = await world.open({ cacheMode: 'off' });
  const piece = Buffer.alloc(1_000_000, 'x');
  const file = await contents.open('a', undefined, CREATE, op);
  for (let i = 0; i < 6; i++) await file.write(i * piece.length, piece, op);
  expect(await rename(world, contents, 'a', 'b')).toBe(true);
  for (let i = 6; i < 9; i++) await file.write(i * piece.length, piece, op);
  await closeFile(file);
  expect(await world.get('a')).toBeUndefined();
  expect(await world.get('b')).toHaveLength(9_000_000);
});

test('names of any bytes and any length', async () => {
  const world = new ContentsWorld();
  const contents = await world.open();
  const paths = ['\udcff\udc80', '../../escape', 'x'.repeat(4000), 'a\nb "quoted"', '‛／'];
  for (const path of paths) await writeFile(contents, path, path);
  world.crash();
  const next = await world.open();
  expect([...next.pendingBelow('')].map(({ path }) => path).sort()).toEqual([...paths].sort());
  for (const path of paths) {
    expect(String(await readAll(next, path))).toBe(String(Buffer.from(path)));
  }
});
