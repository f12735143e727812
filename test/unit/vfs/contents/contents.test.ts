import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  ContentsWorld,
  CREATE,
  closeFile,
  op,
  READ,
  readAll,
  UPDATE,
  WRITE,
  writeFile,
} from './contents-world.ts';

const modes = ['off', 'minimal', 'writes', 'full'] as const;

test.each(modes)('%s: what is written is on the remote after a drain', async (cacheMode) => {
  const world = new ContentsWorld();
  const contents = await world.open({ cacheMode });
  await writeFile(contents, 'dir/a', 'hello');
  await contents.drain(op);
  expect(String(await world.get('dir/a'))).toBe('hello');
  expect(contents.pending('dir/a')).toBeUndefined();
  const entry = await world.entry('dir/a');
  expect(String(await readAll(contents, 'dir/a', entry))).toBe('hello');
});

test.each(modes)('%s: an empty new file comes to be', async (cacheMode) => {
  const world = new ContentsWorld();
  const contents = await world.open({ cacheMode });
  const file = await contents.open('empty', undefined, CREATE, op);
  expect(contents.pending('empty')).toMatchObject({ size: 0 });
  await closeFile(file);
  await contents.drain(op);
  expect(await world.get('empty')).toHaveLength(0);
});

test.each(modes)('%s: reads at any place', async (cacheMode) => {
  const world = new ContentsWorld();
  const content = Buffer.alloc(3_000_000, 'some text that repeats itself. ');
  const entry = await world.put('f', content);
  const contents = await world.open({ cacheMode, readChunkSize: 300_000 });
  const file = await contents.open('f', entry, READ, op);
  for (const [from, length] of [
    [2_000_000, 70_000],
    [0, 5],
    [2_999_990, 50],
    [1_500_000, 1_000_000],
    [3_000_000, 10],
  ] as const) {
    const bytes = await file.read(from, length, op);
    expect(Buffer.from(bytes).equals(content.subarray(from, from + length))).toBe(true);
  }
  await closeFile(file);
});

test.each(['writes', 'full'] as const)('%s: a part of a file is changed', async (cacheMode) => {
  const world = new ContentsWorld();
  const entry = await world.put('f', 'abcdefghij');
  const contents = await world.open({ cacheMode });
  const file = await contents.open('f', entry, UPDATE, op);
  await file.write(3, Buffer.from('XY'), op);
  expect(String(await file.read(0, 100, op))).toBe('abcXYfghij');
  await file.truncate(7, op);
  await file.truncate(9, op);
  await closeFile(file);
  await contents.drain(op);
  expect(String(await world.get('f'))).toBe('abcXYfg\0\0');
});

test('appends go to the end', async () => {
  const world = new ContentsWorld();
  const entry = await world.put('log', 'one ');
  const contents = await world.open();
  const [a, b] = [
    await contents.open('log', entry, WRITE, op),
    await contents.open('log', entry, WRITE, op),
  ];
  const [two, three] = [Buffer.from('two '), Buffer.from('three ')];
  await Promise.all([a.write('end', two, op), b.write('end', three, op)]);
  await closeFile(a);
  await closeFile(b);
  await contents.drain(op);
  expect(String(await world.get('log'))).toBe('one two three ');
});

test('off: what cannot be done is refused, and the remote keeps what it has', async () => {
  const world = new ContentsWorld();
  const entry = await world.put('f', 'abc');
  const contents = await world.open({ cacheMode: 'off', writeWait: 1 });
  await expect(contents.open('f', entry, UPDATE, op)).rejects.toMatchObject({
    code: 'unsupported',
  });
  const partly = await contents.open('f', entry, WRITE, op);
  await expect(partly.write(0, Buffer.from('x'), op)).rejects.toMatchObject({
    code: 'unsupported',
  });
  await closeFile(partly);
  const jump = await contents.open('g', undefined, CREATE, op);
  await expect(jump.write(5, Buffer.from('x'), op)).rejects.toMatchObject({ code: 'unsupported' });
  await closeFile(jump);
  expect(String(await world.get('f'))).toBe('abc');
});

test('off: a large file goes up while it is written, and what follows a close is added', async () => {
  const world = new ContentsWorld();
  const contents = await world.open({ cacheMode: 'off' });
  const piece = Buffer.alloc(1_000_000, 'x');
  const file = await contents.open('large', undefined, CREATE, op);
  for (let i = 0; i < 9; i++) await file.write(i * piece.length, piece, op);
  file.setModTime(1_234_567_890_123_456_789n);
  await closeFile(file);
  expect(await world.get('large')).toHaveLength(9_000_000);
  expect(await world.entry('large')).toMatchObject({ modTime: 1_234_567_890_123_456_789n });

  const small = await contents.open('small', undefined, CREATE, op);
  await small.flush(op);
  await small.write(0, Buffer.from('one '), op);
  await small.flush(op);
  expect(String(await world.get('small'))).toBe('one ');
  await small.write(4, Buffer.from('two'), op);
  await closeFile(small);
  expect(String(await world.get('small'))).toBe('one two');
});

test('off: parts of a large write that come in parallel are kept in their order', async () => {
  const world = new ContentsWorld();
  const contents = await world.open({ cacheMode: 'off' });
  const data = randomBytes(12 << 20);
  const file = await contents.open('f', undefined, CREATE, op);
  const parts = Array.from({ length: 12 }, (_, i) => i << 20);
  await Promise.all(parts.map((at) => file.write(at, data.subarray(at, at + (1 << 20)), op)));
  await closeFile(file);
  expect((await world.get('f'))?.equals(data)).toBe(true);
});

test('times are kept to the nanosecond', async () => {
  const world = new ContentsWorld();
  const contents = await world.open();
  const file = await contents.open('f', undefined, CREATE, op);
  await file.write(0, Buffer.from('x'), op);
  file.setModTime(1_111_111_111_111_111_111n);
  await closeFile(file);
  expect(await contents.setModTime('f', 1_222_222_222_222_222_222n)).toBe(true);
  expect(contents.pending('f')).toMatchObject({ modTime: 1_222_222_222_222_222_222n });
  await contents.drain(op);
  expect(await world.entry('f')).toMatchObject({ modTime: 1_222_222_222_222_222_222n });
  expect(await contents.setModTime('f', 5n)).toBe(false);
});

test('the time of an unchanged file that is open is set on the remote', async () => {
  const world = new ContentsWorld();
  const entry = await world.put('f', 'abc');
  const contents = await world.open();
  const file = await contents.open('f', entry, WRITE, op);
  file.setModTime(77n);
  expect(file.modTime()).toBe(77n);
  await closeFile(file);
  expect(await world.entry('f')).toMatchObject({ modTime: 77n, size: 3 });
  expect(contents.pending('f')).toBeUndefined();
});

test('a time that could not be set on the remote is set by the next flush', async () => {
  const world = new ContentsWorld();
  const entry = await world.put('f', 'abc');
  let failures = 1;
  const { remote } = world;
  const setModTime: typeof remote.can.setModTime = async (...args) => {
    if (failures-- > 0) throw new Error('the network is away');
    return remote.can.setModTime?.(...args) ?? entry;
  };
  world.remote = { ...remote, can: { ...remote.can, setModTime } };
  const contents = await world.open();
  const file = await contents.open('f', entry, WRITE, op);
  file.setModTime(77n);
  await expect(file.flush(op)).rejects.toThrow('the network is away');
  expect(file.modTime()).toBe(77n);
  await closeFile(file);
  expect(await world.entry('f')).toMatchObject({ modTime: 77n });
});
