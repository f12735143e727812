import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LEASE, watchLease } from '../../../../src/run/queue/lease-watch.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A clock that goes on with the timers, and jumps. */
function movedClock() {
  const at = { steady: 1_000, wall: 1_000_000 };
  const clock = { monotonic: () => at.steady, now: () => at.wall };
  const pass = async (ms: number) => {
    for (let done = 0; done < ms; done += LEASE.lookMs) {
      at.steady += LEASE.lookMs;
      at.wall += LEASE.lookMs;
      await vi.advanceTimersByTimeAsync(LEASE.lookMs);
    }
  };
  return { at, clock, pass };
}

test('a lease that is renewed lasts', async () => {
  const { clock, pass } = movedClock();
  let renewals = 0;
  const lease = watchLease(clock, async () => ++renewals > 0);
  await pass(60_000);
  expect(lease.signal.aborted).toBe(false);
  expect(renewals).toBeGreaterThan(15);
  lease.end();
});

test('work ends before a lease without an answer can run out, counted from the last renewal sent', async () => {
  const { at, clock, pass } = movedClock();
  let isAway = false;
  let lastSent = at.steady;
  const renew = () => {
    if (isAway) return new Promise<boolean>(() => {});
    lastSent = at.steady;
    return Promise.resolve(true);
  };
  const lease = watchLease(clock, renew);
  await pass(10_000);
  isAway = true;
  while (!lease.signal.aborted) await pass(LEASE.lookMs);
  expect(at.steady - lastSent).toBeLessThan(LEASE.ms * 0.7);
});

test('a slow answer proves the lease only from when the renewal was sent', async () => {
  const { at, clock, pass } = movedClock();
  const answers: ((isOurs: boolean) => void)[] = [];
  const lease = watchLease(clock, () => new Promise((resolve) => answers.push(resolve)));
  await pass(LEASE.renewMs + LEASE.lookMs);
  const sent = at.steady;
  await pass(6_000);
  for (const answer of answers.splice(0)) answer(true);
  while (!lease.signal.aborted) await pass(LEASE.lookMs);
  expect(at.steady - sent).toBeLessThan(LEASE.ms * 0.7);
});

test.each(['steady', 'wall'] as const)(
  'a jump of the %s clock ends it at the next look',
  async (which) => {
    const { at, clock, pass } = movedClock();
    const lease = watchLease(clock, async () => true);
    await pass(5_000);
    at[which] += 20_000;
    await pass(LEASE.lookMs);
    expect(lease.signal.aborted).toBe(true);
  },
);

test('a lease that was given away ends the work', async () => {
  const { clock, pass } = movedClock();
  const lease = watchLease(clock, async () => false);
  await pass(LEASE.renewMs + 2 * LEASE.lookMs);
  expect(lease.signal.aborted).toBe(true);
});

test('a process that was suspended finds a lost lease before its timers run', () => {
  const { at, clock } = movedClock();
  const lease = watchLease(clock, () => new Promise(() => {}));
  at.wall += 20_000;
  expect(lease.signal.aborted).toBe(false);
  lease.look();
  expect(lease.signal.aborted).toBe(true);
});
