import { expect, test } from 'vitest';
import { ChildReaper } from '../../../../src/webhook/command/open-starter.ts';

/** A reaper of children that end when the test says so; `over` are those that nobody has collected. */
function world(isInit = false) {
  const over = new Map<number, number>();
  let looks = 0;
  const collect = (pid: number) => {
    looks++;
    const status = over.get(pid);
    over.delete(pid);
    return status;
  };
  const reaper = new ChildReaper({ endedChild: () => [...over.keys()][0] ?? 0, collect }, isInit);
  const end = (pid: number, status: number) => {
    over.set(pid, status);
    reaper.reap();
  };
  return { reaper, end, over, looks: () => looks };
}

test('tells how children ended', async () => {
  const { reaper, end, over } = world();
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
  expect([...over]).toEqual([]);
});

test('children of others are left to them, and hide no child of its own', async () => {
  const { reaper, end, over } = world();
  const child = await reaper.watch(async () => 20);
  end(99, 0);
  end(20, 5 << 8);
  expect(await child.ended).toEqual({ code: 5, signal: null });
  expect([...over]).toEqual([[99, 0]]);
});

test('a child that ends before its start was reported is not lost', async () => {
  for (const isInit of [false, true]) {
    const { reaper, end, over } = world(isInit);
    const child = await reaper.watch(async () => {
      end(20, 5 << 8);
      return 20;
    });
    expect(await child.ended).toEqual({ code: 5, signal: null });
    expect([...over]).toEqual([]);
  }
});

test('the first process of a container collects what others left behind', async () => {
  const { reaper, end, over } = world(true);
  await reaper.watch(async () => 20);
  end(99, 0);
  expect([...over]).toEqual([]);
});

test('one end costs one look, however many children run', async () => {
  const { reaper, end, looks } = world();
  for (let pid = 1; pid <= 1000; pid++) await reaper.watch(async () => pid);
  const before = looks();
  end(500, 0);
  expect(looks() - before).toBe(1);
});

test('a start that fails is reported', async () => {
  const { reaper } = world();
  await expect(reaper.watch(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
});
