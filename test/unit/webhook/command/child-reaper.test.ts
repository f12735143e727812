import { expect, test } from 'vitest';
import { ChildReaper } from '../../../../src/webhook/command/child-reaper.ts';

/** A reaper of children that end when they are told to. */
function world() {
  const over: { pid: number; status: number }[] = [];
  const reaper = new ChildReaper(() => over.shift());
  const end = (pid: number, status: number) => {
    over.push({ pid, status });
    reaper.reap();
  };
  return { reaper, end };
}

test('tells how children ended', async () => {
  const { reaper, end } = world();
  const children = [];
  for (const pid of [10, 11, 12]) children.push(await reaper.watch(async () => pid));
  end(11, 3 << 8);
  end(10, 0);
  end(12, 9);
  expect(await Promise.all(children.map(({ ended }) => ended))).toEqual([
    { code: 0, signal: null },
    { code: 3, signal: null },
    { code: null, signal: 'SIGKILL' },
  ]);
});

test('one that ends before its start was told is not lost, and strangers do no harm', async () => {
  const { reaper, end } = world();
  end(99, 0);
  const child = await reaper.watch(async () => {
    for (let stranger = 1000; stranger < 6000; stranger++) end(stranger, 0);
    end(20, 5 << 8);
    return 20;
  });
  expect(await child.ended).toEqual({ code: 5, signal: null });
});

test('a start that fails is told', async () => {
  const { reaper } = world();
  await expect(reaper.watch(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
});
