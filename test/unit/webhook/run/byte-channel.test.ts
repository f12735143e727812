import { expect, test } from 'vitest';
import { ByteChannel } from '../../../../src/webhook/server/answer-hook.ts';

test('the reader gets all that was written, and the end', async () => {
  const channel = new ByteChannel();
  const read = (async () => {
    const pieces: string[] = [];
    for await (const piece of channel) pieces.push(String(piece));
    return pieces;
  })();
  for (const piece of ['a', 'b', 'c']) await channel.push(Buffer.from(piece));
  channel.close();
  expect(await read).toEqual(['a', 'b', 'c']);
});

test('the writer is held until his piece was taken', async () => {
  const channel = new ByteChannel();
  let released = false;
  void channel.push(Buffer.from('a'))?.then(() => {
    released = true;
  });
  await new Promise(setImmediate);
  expect(released).toBe(false);
  const reader = channel[Symbol.asyncIterator]();
  await reader.next();
  void reader.next();
  await new Promise(setImmediate);
  expect(released).toBe(true);
});

test('a reader that leaves releases the writer, and nothing more is kept', async () => {
  const channel = new ByteChannel();
  const held = channel.push(Buffer.from('a'));
  for await (const _ of channel) break;
  await held;
  expect(channel.push(Buffer.from('b'))).toBeUndefined();
});

test('two writers that wait at the same time are both released', async () => {
  const channel = new ByteChannel();
  const writers = ['out', 'err'].map((text) => channel.push(Buffer.from(text)));
  const read = (async () => {
    const pieces: string[] = [];
    for await (const piece of channel) pieces.push(String(piece));
    return pieces;
  })();
  await Promise.all(writers);
  channel.close();
  expect(await read).toEqual(['out', 'err']);
});
