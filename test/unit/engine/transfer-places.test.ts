import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTransferPlaces } from '../../../src/engine/run-control.ts';
import { createTaskPool } from '../../../src/engine/task-pool.ts';

const soon = () => new Promise<void>((resolve) => setImmediate(resolve));

test('without a number pools keep their own width, and the widest is told', async () => {
  const places = createTransferPlaces();
  expect(places.width).toBe(0);
  const pools = [createTaskPool(2, 5, places), createTaskPool(3, 5, places)];
  expect(places.width).toBe(3);
  expect(places.wanted).toBeUndefined();
  for (const pool of pools) pool.close();
  expect(places.width).toBe(0);
});

test('is at least one', () => {
  const places = createTransferPlaces();
  places.set(-3);
  expect(places.width).toBe(1);
});

test('more places start what waits, fewer let what runs come to its end', async () => {
  const places = createTransferPlaces();
  const pool = createTaskPool(1, 10, places);
  const gates: (() => void)[] = [];
  let running = 0;
  const task = async () => {
    running++;
    await new Promise<void>((resolve) => gates.push(resolve));
    running--;
  };
  for (let n = 0; n < 6; n++) await pool.add(task);
  expect(running).toBe(1);
  places.set(3);
  expect(running).toBe(3);
  places.set(1);
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
        const places = createTransferPlaces();
        places.set(2);
        const pools = [createTaskPool(4, 100, places), createTaskPool(2, 100, places)];
        let running = 0;
        let done = 0;
        let most = 2;
        for (const { pool, set } of steps) {
          most = Math.max(most, set);
          places.set(set);
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
