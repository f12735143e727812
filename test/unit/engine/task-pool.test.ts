import { expect, test } from 'vitest';
import { createTaskPool, poolPart } from '../../../src/engine/task-pool.ts';

const clock = { monotonic: () => 0 };

const soon = () => new Promise<void>((resolve) => setImmediate(resolve));

test('runs all, never more than its width at once, in the order they came', async () => {
  const pool = createTaskPool(3, 5);
  let running = 0;
  let most = 0;
  const started: number[] = [];
  for (let i = 0; i < 50; i++) {
    await pool.add(async () => {
      started.push(i);
      most = Math.max(most, ++running);
      await soon();
      running--;
    });
  }
  await pool.idle();
  expect(started).toEqual(Array.from({ length: 50 }, (_, i) => i));
  expect(most).toBe(3);
  expect(running).toBe(0);
});

test('holds the adder back while too many wait', async () => {
  const pool = createTaskPool(1, 2);
  const gates: (() => void)[] = [];
  const task = () => new Promise<void>((resolve) => gates.push(resolve));
  for (let i = 0; i < 3; i++) await pool.add(task);
  let added = false;
  const fourth = pool.add(task).then(() => {
    added = true;
  });
  await soon();
  expect(added).toBe(false);
  gates.shift()?.();
  await fourth;
  while (gates.length > 0) {
    gates.shift()?.();
    await soon();
  }
  await pool.idle();
});

test('tasks may add tasks', async () => {
  const pool = createTaskPool(2, 100);
  let done = 0;
  const grow = async (depth: number): Promise<void> => {
    done++;
    if (depth > 0) for (let i = 0; i < 2; i++) await pool.add(() => grow(depth - 1));
  };
  await pool.add(() => grow(5));
  await pool.idle();
  expect(done).toBe(63);
});

test('a changing width lets more or fewer begin, and keeps to its budget of bytes', async () => {
  const adaptive = {
    width: 2,
    widthFor: () => adaptive.width,
    began: () => {},
    ended: () => {},
  };
  const changing = { adaptive, budget: 100, context: { clock } };
  const pool = createTaskPool(changing, 100);
  const gates: (() => void)[] = [];
  let running = 0;
  const task = () =>
    new Promise<void>((resolve) => {
      running++;
      gates.push(() => {
        running--;
        resolve();
      });
    });
  const endOne = async () => {
    gates.shift()?.();
    await soon();
  };
  for (let i = 0; i < 8; i++) await pool.add(task, i < 5 ? 10 : 60);
  expect(running).toBe(2);
  adaptive.width = 4;
  await endOne();
  expect(running).toBe(4);
  adaptive.width = 1;
  await endOne();
  await endOne();
  await endOne();
  expect(running).toBe(1);
  adaptive.width = 4;
  await endOne();
  // Of the three that hold 60 bytes each, no two fit.
  expect(running).toBe(1);
  await endOne();
  expect(running).toBe(1);
  await endOne();
  await endOne();
  await pool.idle();
  expect(running).toBe(0);
});

test('tells a changing width what ended, and whether others wait', async () => {
  const told: { work: number; isFull: boolean; setbacks: number }[] = [];
  const adaptive = {
    width: 1,
    widthFor: () => 1,
    began: () => {},
    ended: ({ work, isFull, setbacks }: (typeof told)[0]) => told.push({ work, isFull, setbacks }),
  };
  const changing = { adaptive, budget: 1, context: { clock, setbacks: () => 3 } };
  const pool = createTaskPool(changing, 100);
  await pool.add(soon, 65536);
  await pool.add(soon, 0);
  await pool.idle();
  expect(told).toEqual([
    { work: 2, isFull: true, setbacks: 3 },
    { work: 1, isFull: false, setbacks: 3 },
  ]);
});

test('a task that rejects is told at the end, and holds nothing up', async () => {
  const pool = createTaskPool(1, 100);
  const fault = new TypeError('not a function');
  await pool.add(() => Promise.reject(fault));
  let ran = false;
  await pool.add(async () => {
    ran = true;
  });
  await expect(pool.idle()).rejects.toBe(fault);
  expect(ran).toBe(true);
});

test('is full while as many wait as there is room for', async () => {
  const pool = createTaskPool(1, 2);
  const gates: (() => void)[] = [];
  const task = () => new Promise<void>((resolve) => gates.push(resolve));
  const seen = [pool.isFull()];
  for (let i = 0; i < 3; i++) {
    await pool.add(task);
    seen.push(pool.isFull());
  }
  expect(seen).toEqual([false, false, false, true]);
  gates.shift()?.();
  await soon();
  expect(pool.isFull()).toBe(false);
  while (gates.length > 0) {
    gates.shift()?.();
    await soon();
  }
  await pool.idle();
});

test('parts of a pool share its width; each has its own queue, end and fault', async () => {
  const pool = createTaskPool(2, Number.POSITIVE_INFINITY);
  const [one, two] = [poolPart(pool, 1), poolPart(pool, 1)];
  const gates: (() => void)[] = [];
  let running = 0;
  const task = async () => {
    expect(++running).toBeLessThanOrEqual(2);
    await new Promise<void>((resolve) => gates.push(resolve));
    running--;
  };
  for (let i = 0; i < 3; i++) await one.add(task);
  expect(one.isFull()).toBe(true);
  expect(two.isFull()).toBe(false);
  let isAdded = false;
  const added = one.add(task).then(() => {
    isAdded = true;
  });
  const fault = new TypeError('not a function');
  await two.add(() => Promise.reject(fault));
  await soon();
  expect(isAdded).toBe(false);
  gates.shift()?.();
  await added;
  let isOneIdle = false;
  const idle = one.idle().then(() => {
    isOneIdle = true;
  });
  while (gates.length > 0) {
    gates.shift()?.();
    await soon();
  }
  await idle;
  expect(isOneIdle).toBe(true);
  await expect(two.idle()).rejects.toBe(fault);
});
