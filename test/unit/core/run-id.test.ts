import { describe, expect, it } from 'vitest';
import {
  findRunId,
  hasBegunBefore,
  isRunId,
  newRunId,
  provenTimeMs,
} from '../../../src/core/run-id.ts';

describe('the id of a run', () => {
  it('tells when it began, in UTC, and sorts by time', () => {
    const id = newRunId(Date.UTC(2026, 10, 21, 11, 30, 12, 999));
    expect(id).toMatch(/^20261121-113012-[2-9a-z]{4}$/);
    expect(isRunId(id)).toBe(true);
    expect(newRunId(Date.UTC(2026, 10, 21, 11, 30, 13)) > id).toBe(true);
  });

  it('differs for runs of one second', () => {
    const ids = new Set(Array.from({ length: 50 }, () => newRunId(0)));
    expect(ids.size).toBeGreaterThan(45);
  });

  it('is found by any end that only one has', () => {
    const ids = ['20261121-113012-7k3f', '20261121-113013-8k3f'];
    expect(findRunId('7k3f', ids)).toBe(ids[0]);
    expect(findRunId('k3f', ids)).toBeUndefined();
    expect(findRunId('', ids)).toBeUndefined();
    expect(findRunId('9999', ids)).toBeUndefined();
    expect(findRunId('20261121-113013-8k3f', ids)).toBe(ids[1]);
  });

  it('does not say how old a run is whose clock had not been set', () => {
    const now = Date.UTC(2026, 10, 21);
    const ids = ['19700101-000012-2222', '20000101-000000-2222', '20260201-000000-2222'];
    expect(ids.map((id) => hasBegunBefore(id, now))).toEqual([false, false, true]);
    expect(hasBegunBefore('20261121-113012-7k3f', now)).toBe(false);
  });

  it('proves a time only once it is a day old: a clock that is ahead proves none', () => {
    const now = Date.UTC(2026, 10, 21, 12);
    const ids = ['20261119-120000-2222', '20261120-120000-2222', '20261120-120001-2222'];
    expect(provenTimeMs([...ids, '20270601-000000-2222'], now)).toBe(Date.UTC(2026, 10, 20, 12));
    expect(provenTimeMs(['20270601-000000-2222'], now)).toBe(Number.NEGATIVE_INFINITY);
  });

  it('is nothing else', () => {
    for (const text of ['', '7k3f', '../20261121-113012-7k3f', '20261121-113012-7k3f/x']) {
      expect(isRunId(text)).toBe(false);
    }
  });
});
