import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TokenBucket } from '../../../src/core/token-bucket.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const forever = new AbortController().signal;

/** A bucket and the times at which its takers passed. */
function watched(rate: number, burst: number, empty = false) {
  const clock = new ManualClock();
  const bucket = new TokenBucket({ rate, burst, clock, empty });
  const passed: [name: string, at: number][] = [];
  const take = (name: string, amount: number, signal = forever) =>
    bucket.take(amount, signal).then(() => {
      passed.push([name, clock.now()]);
    });
  return { clock, bucket, passed, take };
}

describe('TokenBucket', () => {
  test('lets the burst pass at once and the rest at the rate', async () => {
    const { clock, passed, take } = watched(10, 2);
    for (const name of ['a', 'b', 'c', 'd']) void take(name, 1);
    await clock.advance(1000);
    expect(passed).toEqual([
      ['a', 0],
      ['b', 0],
      ['c', 100],
      ['d', 200],
    ]);
  });

  test('an empty bucket limits the first ones too', async () => {
    const { clock, passed, take } = watched(1000, 500, true);
    void take('a', 250);
    await clock.advance(1000);
    expect(passed).toEqual([['a', 250]]);
  });

  test('gathers no more than the burst', async () => {
    const { clock, passed, take } = watched(10, 3);
    await clock.advance(60_000);
    for (const name of ['a', 'b', 'c', 'd']) void take(name, 1);
    await clock.advance(1000);
    expect(passed.map(([, at]) => at)).toEqual([60_000, 60_000, 60_000, 60_100]);
  });

  test('more than the burst passes, and delays those behind it', async () => {
    const { clock, passed, take } = watched(100, 50);
    void take('large', 250);
    void take('small', 10);
    await clock.advance(10_000);
    expect(passed).toEqual([
      ['large', 0],
      ['small', 2100],
    ]);
  });

  test('a small one does not overtake a large one', async () => {
    const { clock, passed, take } = watched(100, 100, true);
    void take('large', 100);
    void take('small', 1);
    await clock.advance(10_000);
    expect(passed).toEqual([
      ['large', 1000],
      ['small', 1010],
    ]);
  });

  test('a new rate counts at once, also for those who wait', async () => {
    const { clock, bucket, passed, take } = watched(1, 10, true);
    void take('a', 10);
    await clock.advance(4000);
    bucket.setRate(6, 10);
    await clock.advance(1000);
    expect(passed).toEqual([['a', 5000]]);
  });

  test('without a limit everything passes at once', async () => {
    const { clock, bucket, passed, take } = watched(1, 1, true);
    void take('a', 1000);
    void take('b', 1000);
    await clock.advance(0);
    bucket.setRate(Number.POSITIVE_INFINITY, 1);
    await clock.advance(0);
    expect(passed.map(([name]) => name)).toEqual(['a', 'b']);
    expect(clock.sleeping).toBe(0);
  });

  test('who gives up leaves the queue, its tokens go to the next', async () => {
    const { clock, passed, take } = watched(10, 10, true);
    const stop = new AbortController();
    const first = take('a', 10, stop.signal);
    void take('b', 5);
    await clock.advance(100);
    stop.abort(new Error('stopped'));
    await expect(first).rejects.toThrow('stopped');
    await clock.advance(1000);
    expect(passed).toEqual([['b', 500]]);
    expect(clock.sleeping).toBe(0);
  });

  test('refuses whose signal is aborted already', async () => {
    const { bucket } = watched(1, 1);
    await expect(bucket.take(1, AbortSignal.abort(new Error('late')))).rejects.toThrow('late');
  });

  test('never lets more pass than burst and rate allow, keeps the order, forgets nobody', async () => {
    const amounts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(amounts, fc.integer({ min: 1, max: 50 }), async (wanted, rate) => {
        const burst = 20;
        const { clock, passed, take } = watched(rate, burst);
        wanted.forEach((amount, index) => void take(String(index), amount));
        await clock.advance(3_600_000);
        expect(passed.map(([name]) => Number(name))).toEqual(wanted.map((_, index) => index));
        let before = 0;
        for (const [name, at] of passed) {
          expect(before).toBeLessThanOrEqual(burst + (at / 1000) * rate + 1e-6);
          before += wanted[Number(name)] ?? 0;
        }
      }),
      { numRuns: 50 },
    );
  });
});
