import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);

const module = JSON.stringify(
  join(import.meta.dirname, '../../../../src/shell/process/limit-heap.ts'),
);

/** Makes objects that live for a while, and tells how large the young generation got, in bytes. */
const script = (limited: boolean) => `
  import { limitHeap } from ${module};
  import v8 from 'node:v8';
  if (${limited}) limitHeap(2 ** 20, 2 ** 20);
  const kept = [];
  let most = 0;
  for (let turn = 0; turn < 300; turn++) {
    for (let i = 0; i < 2000; i++) kept[(turn * 2000 + i) % 100_000] = { turn, i, text: 'x'.repeat(9) + i };
    const young = v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    most = Math.max(most, young.space_size);
    await new Promise((resolve) => setImmediate(resolve));
  }
  process.stdout.write(String(most));
`;

test('keeps the young generation from growing, and does not keep the program alive', async () => {
  const [limited, free] = await Promise.all(
    [true, false].map(async (isLimited) => {
      const args = ['--input-type=module', '-e', script(isLimited)];
      return Number((await run(process.execPath, args)).stdout);
    }),
  );
  expect(limited).toBeGreaterThan(0);
  expect(limited).toBeLessThan(free ?? 0);
});

/** Fills the heap, and tells by how much it may grow then, in percent: what V8 was told last. */
const growth = (objects: number, room: number) => `
  import { leaveHeapRoom, limitHeap } from ${module};
  import v8 from 'node:v8';
  import vm from 'node:vm';
  v8.setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc');
  let told = '';
  process.getBuiltinModule('node:v8').setFlagsFromString = (flag) => {
    if (flag.startsWith('--heap-growing-percent=')) told = flag.slice(23);
  };
  limitHeap();
  if (${room} > 0) leaveHeapRoom(${room});
  const kept = Array.from({ length: ${objects} }, (_, i) => ({ i, text: 'x' + i }));
  for (let turn = 0; turn < 3; turn++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  process.stdout.write(kept.length === ${objects} ? told : 'lost');
`;

test.each([
  ['a small heap doubles', 1, 0, [100, 100]],
  ['a large heap grows by half', 900_000, 0, [50, 50]],
  ['a small heap that needs room grows many times over', 1, 64 * 2 ** 20, [500, 1000]],
  ['a larger heap grows by the same room', 300_000, 64 * 2 ** 20, [150, 450]],
])('%s', async (_, objects, room, [least, most]) => {
  const args = ['--input-type=module', '-e', growth(objects, room)];
  const told = Number((await run(process.execPath, args)).stdout);
  expect(told).toBeGreaterThanOrEqual(least as number);
  expect(told).toBeLessThanOrEqual(most as number);
});

test.each([
  [96, 50],
  [256, 200],
  [1024, 1000],
])('with %i MiB for the process, the first garbage is limited to %i %%', async (mib, percent) => {
  const script = `
    const told = [];
    process.getBuiltinModule('node:v8').setFlagsFromString = (flag) => told.push(flag);
    const { leaveHeapRoom, limitHeapOf } = await import(${module});
    limitHeapOf(${mib} * 2 ** 20);
    leaveHeapRoom();
    process.stdout.write(told.join());`;
  const args = ['--input-type=module', '-e', script];
  expect((await run(process.execPath, args)).stdout).toBe(`--heap-growing-percent=${percent}`);
});

test('without a limit, the heap may double before its first collection', async () => {
  const script = `
    const told = [];
    process.getBuiltinModule('node:v8').setFlagsFromString = (flag) => told.push(flag);
    const { limitHeapOf } = await import(${module});
    limitHeapOf(undefined);
    setTimeout(() => process.stdout.write(told.join()), 60);`;
  const args = ['--input-type=module', '-e', script];
  expect((await run(process.execPath, args)).stdout).toBe('--heap-growing-percent=100');
});
