import { expect, test } from 'vitest';
import { systemClock } from '../../../../src/core/context.ts';
import type { SyncerEvent } from '../../../../src/core/events.ts';
import { memoryLimit, openMemory } from '../../../../src/shell/process/memory-limit.ts';

const MIB = 1024 ** 2;
const MACHINE = 16 * 1024 * MIB;

test.each([
  ['no container', undefined, 0, undefined, false],
  ['a container without a limit', undefined, 2 ** 64, undefined, false],
  ['a container', undefined, 1000 * MIB, 600 * MIB, false],
  ['a small container', undefined, 100 * MIB, 96 * MIB, false],
  ['asked', 256 * MIB, 1000 * MIB, 256 * MIB, false],
  ['asked for less than the program needs', 50 * MIB, 0, 96 * MIB, true],
  ['off in a container', -1, 1000 * MIB, undefined, false],
])('%s', (_, asked, container, limit, isRaised) => {
  expect(memoryLimit(asked, container, MACHINE)).toEqual({ limit, isRaised });
});

test('a limit that is too low is reported, and raised', async () => {
  const events: SyncerEvent[] = [];
  const memory = openMemory(10 * MIB, { clock: systemClock, emit: (event) => events.push(event) });
  expect(events).toMatchObject([
    { fields: { text: '--memory: at least 96Mi are needed, which are used' } },
  ]);
  const { signal } = new AbortController();
  const share = await memory?.take(1, 1000 * MIB, signal);
  expect(share?.bytes).toBeGreaterThan(8 * MIB);
  expect(share?.bytes).toBeLessThan(96 * MIB);
});

test('above the limit for five seconds, less content is held at the same time', async () => {
  const events: SyncerEvent[] = [];
  let nowMs = 0;
  const clock = { ...systemClock, monotonic: () => nowMs };
  let rss = 250 * MIB;
  const emit = (event: SyncerEvent) => events.push(event);
  const memory = openMemory(200 * MIB, { clock, emit }, () => rss);
  const { signal } = new AbortController();
  const take = async () => {
    const share = await memory?.take(1, 2 ** 40, signal);
    share?.release();
    return share?.bytes ?? 0;
  };
  const before = await take();
  for (nowMs = 1000; nowMs <= 4000; nowMs += 1000) expect(await take()).toBe(before);
  rss = 150 * MIB;
  nowMs += 1000;
  expect(await take()).toBe(before);
  rss = 250 * MIB;
  for (let i = 0; i < 9; i++) {
    nowMs += 1000;
    await take();
  }
  expect(await take()).toBe(before / 2);
  expect(events).toHaveLength(1);
  expect(events[0]).toMatchObject({ level: 'notice' });
});

test('listings that are sorted, and what a mount keeps, have a share, too', () => {
  const shares = (mib: number) => {
    const { listCutoff, ofMount = 0 } =
      openMemory(mib * MIB, { clock: systemClock, emit() {} }) ?? {};
    return [listCutoff, ofMount / MIB];
  };
  expect([96, 256, 1096].map(shares)).toEqual([
    [6144, 6],
    [47_104, 46],
    [262_144, 256],
  ]);
});
