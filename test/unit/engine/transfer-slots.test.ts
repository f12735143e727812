import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TransferSlots } from '../../../src/engine/run-control.ts';
import { createTaskPool } from '../../../src/engine/task-pool.ts';

const soon = () => new Promise<void>((resolve) => setImmediate(resolve));

test('pools keep their own width without a set number, and the widest counts as the limit', async () => {
  const slots = new TransferSlots();
  expect(slots.width).toBe(0);
  const pools = [createTaskPool(2, 5, slots), createTaskPool(3, 5, slots)];
  expect(slots.width).toBe(3);
  expect(slots.wanted).toBeUndefined();
  for (const pool of pools) pool.close();
  expect(slots.width).toBe(0);
});

test('a number that a user sets is at least one', () => {
  const slots = new TransferSlots();
  slots.set(-3);
  expect(slots.width).toBe(1);
});

test('more slots start what waits, fewer let what runs come to its end', async () => {
  const slots = new TransferSlots();
  const pool = createTaskPool(1, 10, slots);
  const gates: (() => void)[] = [];
  let running = 0;
  const task = async () => {
    running++;
    await new Promise<void>((resolve) => gates.push(resolve));
    running--;
  };
  for (let n = 0; n < 6; n++) await pool.add(task);
  expect(running).toBe(1);
  slots.set(3);
  expect(running).toBe(3);
  slots.set(1);
  expect(running).toBe(3);
  for (let left = 6; left > 0; left--) {
    gates.shift()?.();
    await soon();
    expect(running).toBeLessThanOrEqual(Math.max(1, left - 1, 2));
  }
  await pool.idle();
});

test('two pools together never run more than the number that was set, and all tasks are run', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ pool: fc.nat(1), set: fc.integer({ min: 1, max: 5 }) }), {
        maxLength: 30,
      }),
      async (steps) => {
        const slots = new TransferSlots();
        slots.set(2);
        const pools = [createTaskPool(4, 100, slots), createTaskPool(2, 100, slots)];
        let running = 0;
        let done = 0;
        let most = 2;
        for (const { pool, set } of steps) {
          most = Math.max(most, set);
          slots.set(set);
          await pools[pool]?.add(async () => {
            running++;
            expect(running).toBeLessThanOrEqual(most);
            await soon();
            running--;
            done++;
          });
        }
        for (const pool of pools) await pool.idle();
        expect(done).toBe(steps.length);
      },
    ),
  );
});
