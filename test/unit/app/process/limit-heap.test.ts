import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);

/** Makes objects that live for a while, and tells how large the young generation got, in bytes. */
const script = (limited: boolean) => `
  import { limitHeap } from ${JSON.stringify(join(import.meta.dirname, '../../../../src/app/process/limit-heap.ts'))};
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
