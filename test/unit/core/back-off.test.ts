import { describe, expect, it } from 'vitest';
import { backOffMs, retryBackOff, throttleBackOff } from '../../../src/core/retry.ts';

const policy = { baseMs: 100, capMs: 1000 };

describe('backOffMs', () => {
  it('doubles up to the cap', () => {
    const waits = [1, 2, 3, 4, 5, 50].map((n) => backOffMs(n, undefined, policy, () => 1));
    expect(waits).toEqual([100, 200, 400, 800, 1000, 1000]);
  });

  it('waits at least half, by chance more', () => {
    expect(backOffMs(3, undefined, policy, () => 0)).toBe(200);
    expect(backOffMs(3, undefined, policy, () => 0.5)).toBe(300);
  });

  it('never cuts short the time a store asked for', () => {
    expect(backOffMs(1, 60_000, policy, () => 1)).toBe(60_000);
    expect(backOffMs(5, 3, policy, () => 1)).toBe(1000);
  });

  it('is patient with a store that throttles', () => {
    expect(throttleBackOff.baseMs).toBeGreaterThan(retryBackOff.baseMs);
    const wait = backOffMs(1);
    expect(wait).toBeGreaterThanOrEqual(retryBackOff.baseMs / 2);
    expect(wait).toBeLessThanOrEqual(retryBackOff.baseMs);
  });
});
