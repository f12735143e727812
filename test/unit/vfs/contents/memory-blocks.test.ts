import { expect, test, vi } from 'vitest';
import { releaseBuffer } from '../../../../src/core/buffers.ts';
import { memoryBudget } from '../../../../src/system/memory-budget.ts';
import { ContentsWorld, closeFile, hastyClock, op, READ } from './contents-world.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Bytes that repeat nowhere. */
function bytes(size: number, seed: number): Buffer {
  const content = Buffer.alloc(size);
  for (let i = 0; i + 4 <= size; i += 4) {
    content.writeUInt32LE(Math.imul(i + seed, 2654435761) >>> 0, i);
  }
  return content;
}

test('many readers get their bytes while the memory of others is used again', async () => {
  const world = new ContentsWorld();
  world.clock = hastyClock;
  const files = await Promise.all(
    [1, 2, 3].map(async (seed) => {
      const content = bytes(9 * MIB + 12_345 * seed, seed);
      return { content, entry: await world.put(`f${seed}`, content) };
    }),
  );
  // Far less than all of them want.
  const contents = await world.open({ cacheMode: 'off', bufferSize: MIB });
  let seed = 7;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return seed % below;
  };
  const reader = async ({ content, entry }: (typeof files)[0]) => {
    const file = await contents.open(entry.path, entry, READ, op);
    for (let turn = 0; turn < 40; turn++) {
      const from = random(content.length);
      const length = turn % 3 === 0 ? 1 + random(MIB) : 128 * KIB;
      const data = await file.read(from, length, op);
      // As a mount does: it looks at them a little later, and is then done with them.
      await Promise.resolve();
      expect(content.subarray(from, from + length).equals(data)).toBe(true);
      if (Buffer.isBuffer(data)) releaseBuffer(data);
    }
    await closeFile(file);
  };
  await Promise.all([...files, ...files, ...files].map(reader));
});

test('what was read in order is what the file holds', async () => {
  const world = new ContentsWorld();
  world.clock = hastyClock;
  const content = bytes(12 * MIB + 77, 5);
  const entry = await world.put('f', content);
  const contents = await world.open({ cacheMode: 'off', bufferSize: MIB });
  const file = await contents.open('f', entry, READ, op);
  for (let at = 0; at < content.length; at += MIB) {
    const data = await file.read(at, MIB, op);
    expect(content.subarray(at, at + MIB).equals(data)).toBe(true);
    if (Buffer.isBuffer(data)) releaseBuffer(data);
  }
  await closeFile(file);
});

test.each([
  ['kept', undefined, 0],
  ['kept only as far as the memory of the process allows', 2 * MIB, 1],
])('what was read is %s', async (_, ofMount, readAgain) => {
  const world = new ContentsWorld();
  world.clock = hastyClock;
  if (ofMount !== undefined) world.memory = { ...memoryBudget(MIB), ofMount };
  const content = bytes(12 * MIB, 5);
  const entry = await world.put('f', content);
  const contents = await world.open({ cacheMode: 'off', bufferSize: 16 * MIB });
  const file = await contents.open('f', entry, READ, op);
  const readAt = async (at: number) => {
    const data = await file.read(at, MIB, op);
    expect(content.subarray(at, at + MIB).equals(data)).toBe(true);
    if (Buffer.isBuffer(data)) releaseBuffer(data);
  };
  for (let at = 0; at < content.length; at += MIB) await readAt(at);
  const reads = vi.spyOn(world.remote, 'read');
  await readAt(0);
  expect(reads).toHaveBeenCalledTimes(readAgain);
  await closeFile(file);
});
