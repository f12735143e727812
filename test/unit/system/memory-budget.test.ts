import { expect, test } from 'vitest';
import type { FileEntry, Op, Remote } from '../../../src/core/remote.ts';
import { readingWith, withMemory } from '../../../src/core/with-memory.ts';
import { memoryBudget } from '../../../src/system/memory-budget.ts';

const MIB = 1024 ** 2;
const { signal } = new AbortController();
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('shares are as large as there is room, and wait in their order', async () => {
  const budget = memoryBudget(10);
  const [a, b] = [await budget.take(2, 6, signal), await budget.take(2, 6, signal)];
  expect([a.bytes, b.bytes]).toEqual([6, 4]);
  const order: string[] = [];
  const noted = async (name: string, bytes: number) => {
    const share = await budget.take(bytes, bytes, signal);
    order.push(name);
    return share;
  };
  const [large, small] = [noted('large', 5), noted('small', 1)];
  b.release();
  b.release();
  await settle();
  // There is room for the small one, but the large one came first.
  expect(order).toEqual([]);
  a.release();
  expect([(await large).bytes, (await small).bytes]).toEqual([5, 1]);
  expect(order).toEqual(['large', 'small']);
});

test('a share larger than the budget is given when nothing else is held', async () => {
  const budget = memoryBudget(10);
  const small = await budget.take(1, 1, signal);
  const large = budget.take(100, 400, signal);
  small.release();
  expect((await large).bytes).toBe(100);
  (await large).release();
  expect((await budget.take(1, 1, signal)).bytes).toBe(1);
});

test('a cancelled waiter releases its place', async () => {
  const budget = memoryBudget(10);
  const first = await budget.take(8, 8, signal);
  const stop = new AbortController();
  const stopped = budget.take(10, 10, stop.signal);
  const next = budget.take(2, 2, signal);
  stop.abort(new Error('stopped'));
  await expect(stopped).rejects.toThrow('stopped');
  expect((await next).bytes).toBe(2);
  await expect(budget.take(1, 1, stop.signal)).rejects.toThrow('stopped');
  first.release();
});

test('a lowered limit holds for the shares that follow', async () => {
  const budget = memoryBudget(10);
  const first = await budget.take(4, 4, signal);
  budget.limit = 5;
  let isGiven = false;
  const second = budget.take(4, 4, signal).then((share) => {
    isGiven = true;
    return share;
  });
  await settle();
  expect(isGiven).toBe(false);
  first.release();
  expect((await second).bytes).toBe(4);
});

/** A remote whose calls end when they are let; `most` ran at the same time. */
function slowRemote(can: Remote['can'] = {}) {
  let [running, most] = [0, 0];
  const rooms: (number | undefined)[] = [];
  const call = async (op: Op) => {
    rooms.push(op.room);
    most = Math.max(most, ++running);
    await settle();
    running--;
  };
  const unused = async () => undefined;
  const remote = {
    ...{ name: '', root: '', title: '', traits: { onDisk: false }, can },
    ...{ stat: unused, read: unused, delete: unused, makeDir: unused, deleteDir: unused },
    close: unused,
    async write({ size = 0, path }: { size?: number; path: string }, op: Op) {
      await call(op);
      if (path === 'bad') throw new Error('write failed');
      return { kind: 'file', path, size } satisfies FileEntry;
    },
    async listPage(_dir: string, _cursor: undefined, op: Op) {
      await call(op);
      return { entries: [] };
    },
  } as unknown as Remote;
  return { remote, rooms, most: () => most };
}

const source = (path: string, size: number) =>
  ({ path, size, seekable: true, open: async () => Buffer.alloc(0) }) as const;

test('writes and listings run at the same time only as far as the memory allows, and all run', async () => {
  const slow = slowRemote();
  const remote = withMemory(slow.remote, memoryBudget(6 * MIB));
  const writes = Array.from({ length: 64 }, (_, i) =>
    remote.write(source(`${i}`, 1e9), { signal }),
  );
  const listings = Array.from({ length: 16 }, () => remote.listPage('', undefined, { signal }));
  expect(await Promise.all(writes)).toHaveLength(64);
  await Promise.all(listings);
  expect(slow.most()).toBeLessThanOrEqual(6);
  expect(new Set(slow.rooms)).toEqual(new Set([2 * MIB, undefined]));
});

test('a write gets what its backend can use, at least what it needs, and releases it if it fails', async () => {
  const slow = slowRemote({ writeMemory: () => ({ least: 5 * MIB, most: 20 * MIB }) });
  const remote = withMemory(slow.remote, memoryBudget(12 * MIB));
  for (let i = 0; i < 3; i++)
    await expect(remote.write(source('bad', 1e9), { signal })).rejects.toThrow('write failed');
  await Promise.all(['a', 'b'].map((path) => remote.write(source(path, 1e9), { signal })));
  expect(slow.rooms).toEqual(Array(5).fill(12 * MIB));
  expect(slow.most()).toBe(1);
});

test('what is only read waits, too', async () => {
  const memory = memoryBudget(4 * MIB);
  let [running, most] = [0, 0];
  const read = async () => {
    most = Math.max(most, ++running);
    await settle();
    running--;
  };
  const context = { memory, signal };
  await Promise.all(Array.from({ length: 9 }, () => readingWith(context, 2, read)));
  expect(most).toBe(1);
  expect(await readingWith({ signal }, 2, async () => 7)).toBe(7);
});
