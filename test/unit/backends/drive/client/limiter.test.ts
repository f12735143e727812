import { beforeEach, describe, expect, it } from 'vitest';
import { Limiter } from '../../../../../src/backends/drive/client/limiter.ts';
import type { SyncerEvent } from '../../../../../src/core/events.ts';

const { signal } = new AbortController();

let nowMs: number;
let events: SyncerEvent[];
let wake: (() => void)[];
let limiter: Limiter;

beforeEach(() => {
  nowMs = 0;
  events = [];
  wake = [];
  limiter = new Limiter('drive', {
    signal,
    emit: (event) => events.push(event),
    clock: {
      now: () => nowMs,
      monotonic: () => nowMs,
      sleep: (ms) =>
        new Promise((resolve) => {
          wake.push(() => {
            nowMs += ms;
            resolve();
          });
        }),
    },
  });
});

const waits = () => events.flatMap((event) => (event.type === 'wait' ? [event.ms] : []));
const notices = () => events.filter((event) => event.type === 'log');

async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}

/** Lets `count` requests in as far as they may go; how many did. */
async function enter(count: number): Promise<{ passed: () => number }> {
  let passed = 0;
  for (let i = 0; i < count; i++) void limiter.enter(signal).then(() => passed++);
  await settled();
  return { passed: () => passed };
}

describe('the limiter', () => {
  it('lets everything pass while nobody complains', async () => {
    expect((await enter(100)).passed()).toBe(100);
  });

  it('holds all back for as long as the service says, and tells it once', async () => {
    await enter(8);
    for (let i = 0; i < 8; i++) limiter.complained(5000);
    for (let i = 0; i < 8; i++) limiter.leave();
    const held = await enter(10);
    expect(held.passed()).toBe(0);
    expect(waits()).toEqual([5000]);
    expect(notices()).toHaveLength(1);
    for (const go of wake) go();
    await settled();
    expect(held.passed()).toBe(4);
  });

  it('waits longer where the service says so meanwhile', async () => {
    limiter.complained(1000);
    limiter.complained(9000);
    limiter.complained(2000);
    expect(waits()).toEqual([1000, 9000]);
    const held = await enter(1);
    wake[0]?.();
    await settled();
    expect(held.passed()).toBe(0);
    wake[1]?.();
    await settled();
    expect(held.passed()).toBe(1);
  });

  it('takes the complaints of requests that were under way together for one', async () => {
    for (let i = 0; i < 16; i++) limiter.complained(undefined);
    expect(waits()).toHaveLength(1);
    expect(waits()[0]).toBeLessThanOrEqual(250);
  });

  it('waits longer each time where the service does not say how long', async () => {
    for (let i = 0; i < 4; i++) {
      limiter.complained(undefined);
      wake.at(-1)?.();
      await settled();
    }
    expect(waits().at(-1)).toBeGreaterThanOrEqual(1000);
    limiter.succeeded();
    limiter.complained(undefined);
    expect(waits().at(-1)).toBeLessThanOrEqual(250);
  });

  it('climbs back after answers without complaint', async () => {
    await enter(4);
    limiter.complained(1000);
    for (let i = 0; i < 4; i++) limiter.leave();
    wake[0]?.();
    await settled();
    const some = await enter(6);
    expect(some.passed()).toBe(2);
    for (let i = 0; i < 20; i++) limiter.succeeded();
    await settled();
    expect(some.passed()).toBe(3);
  });

  it('lets go whoever gives up', async () => {
    limiter.complained(1000);
    const controller = new AbortController();
    const waiting = limiter.enter(controller.signal);
    const reason = new Error('stop');
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });
});
