import { describe, expect, it } from 'vitest';
import { AdaptiveWidth, type TaskWidth } from '../../../src/engine/adaptive-width.ts';

/** A store whose requests take `latencyMs`, of which it answers at most `perMs` in a millisecond. */
interface Store {
  readonly latencyMs: number;
  readonly perMs: number;
  /** More than this at once are refused. */
  readonly limit?: number;
}

/** Sends `count` tasks to a store; tells how long that took and the widths on the way. */
function simulate(width: TaskWidth, count: number, store: Store, setbacksBefore = 0) {
  const ends: { at: number; since: number; refused: boolean }[] = [];
  const widths: number[] = [];
  let [nowMs, freeAt, started, setbacks] = [0, 0, 0, setbacksBefore];
  for (let done = 0; done < count; done++) {
    while (ends.length < width.width && started < count) {
      const refused = ends.length >= (store.limit ?? Number.POSITIVE_INFINITY);
      freeAt = Math.max(freeAt, nowMs) + 1 / store.perMs;
      ends.push({ at: freeAt + store.latencyMs, since: nowMs, refused });
      started++;
    }
    const end = ends.shift();
    nowMs = end?.at ?? nowMs;
    if (end?.refused) setbacks++;
    const tookMs = nowMs - (end?.since ?? nowMs);
    width.ended({ nowMs, tookMs, work: 1, isFull: started < count, setbacks });
    widths.push(width.width);
  }
  return { ms: nowMs, widths, setbacks };
}

const range = { least: 1, first: 16, most: 256 };

/** What a width that never changes takes. */
function fixed(width: number, count: number, store: Store): number {
  return simulate({ width, widthFor: () => width, began: () => {}, ended: () => {} }, count, store)
    .ms;
}

describe('AdaptiveWidth', () => {
  for (const latencyMs of [1, 20, 200]) {
    it(`is within 2 × of the best fixed width at ${latencyMs} ms`, () => {
      const store = { latencyMs, perMs: 5 };
      const { ms } = simulate(new AdaptiveWidth(range), 4000, store);
      const best = Math.min(...[4, 16, 64, 128, 256].map((width) => fixed(width, 4000, store)));
      expect(ms).toBeLessThan(2 * best);
    });
  }

  it('stays where more at once bring nothing, and looks again seldom', () => {
    const { widths } = simulate(new AdaptiveWidth(range), 4000, { latencyMs: 0.5, perMs: 2 });
    const wider = widths.filter((width) => width > 16).length;
    expect(wider / widths.length).toBeLessThan(0.25);
    expect(widths.at(-1)).toBeLessThanOrEqual(32);
  });

  it('doubles with each round trip to a distant store', () => {
    const { widths } = simulate(new AdaptiveWidth(range), 4000, { latencyMs: 20, perMs: 1000 });
    expect(widths.indexOf(256)).toBeLessThan(16 + 32 + 64 + 128 + 1);
  });

  it('is not widened while the program is busy all the time', () => {
    let nowMs = 0;
    const width = new AdaptiveWidth(range, () => ({ active: nowMs * 0.95, idle: 0 }));
    for (; nowMs < 5000; nowMs++) {
      width.ended({ nowMs, tookMs: 20, work: 1, isFull: true, setbacks: 0 });
    }
    expect(width.width).toBe(16);
  });

  it('grows at the start by what keeps the program busy', () => {
    let nowMs = 0;
    const width = new AdaptiveWidth(range, () => ({ active: nowMs * 0.7, idle: 0 }));
    for (; width.width === 16; nowMs++) {
      width.ended({ nowMs, tookMs: 20, work: 1, isFull: true, setbacks: 0 });
    }
    expect(width.width).toBe(29);
  });

  for (const { idle, first } of [
    { idle: 3, first: 16 },
    { idle: 20, first: 64 },
  ]) {
    it(`starts with ${first} after ${idle} ms of waiting`, () => {
      let waitedMs = 1000;
      const width = new AdaptiveWidth({ ...range, far: 64 }, () => ({ active: 0, idle: waitedMs }));
      waitedMs += idle;
      width.began();
      expect(width.width).toBe(first);
      waitedMs += 100;
      width.began();
      expect(width.width).toBe(first);
    });
  }

  it('has the far start for small files only, until it was measured', () => {
    let idle = 0;
    const width = new AdaptiveWidth({ ...range, far: 64 }, () => ({ active: 0, idle }));
    idle = 20;
    width.began();
    expect([width.widthFor(4096), width.widthFor(1_000_000)]).toEqual([64, 16]);
    for (let nowMs = 0; width.width === 64; nowMs++) {
      width.ended({ nowMs, tookMs: 20, work: 1, isFull: true, setbacks: 0 });
    }
    expect(width.widthFor(1_000_000)).toBe(width.width);
  });

  it('never leaves its range', () => {
    const narrow = { least: 2, first: 4, most: 8 };
    const store = { latencyMs: 20, perMs: 100, limit: 6 };
    const { widths } = simulate(new AdaptiveWidth(narrow), 3000, store);
    expect(Math.max(...widths)).toBeLessThanOrEqual(8);
    expect(Math.min(...widths)).toBeGreaterThanOrEqual(2);
  });

  it('halves once where the store refuses many at a time, and is rarely refused afterwards', () => {
    const store = { latencyMs: 20, perMs: 100, limit: 40 };
    const { widths, setbacks } = simulate(new AdaptiveWidth(range), 4000, store);
    expect(Math.min(...widths)).toBeGreaterThanOrEqual(16);
    expect(setbacks).toBeLessThan(400);
  });

  it('is halved again while setbacks go on, down to a few', () => {
    const width = new AdaptiveWidth({ ...range, first: 128 });
    const widths = [];
    for (let task = 1; task < 1000; task++) {
      const setbacks = Math.floor(task / 3);
      width.ended({ nowMs: task, tookMs: width.width, work: 1, isFull: true, setbacks });
      widths.push(width.width);
    }
    expect(widths.indexOf(16)).toBeLessThan(400);
    expect(widths.at(-1)).toBe(4);
  });

  it('does not judge while nothing waits', () => {
    const width = new AdaptiveWidth(range);
    for (let nowMs = 0; nowMs < 5000; nowMs++) {
      width.ended({ nowMs, tookMs: 1, work: 1, isFull: false, setbacks: 0 });
    }
    expect(width.width).toBe(16);
  });

  it('is not halved by a few failures that do not depend on it', () => {
    const width = new AdaptiveWidth({ ...range, first: 64 });
    for (let task = 1; task < 4000; task++) {
      const setbacks = Math.floor(task / 50);
      width.ended({ nowMs: task, tookMs: 20, work: 1, isFull: true, setbacks });
      expect(width.width).toBeGreaterThanOrEqual(64);
    }
  });

  it('grows again after setbacks when the store has recovered', () => {
    const width = new AdaptiveWidth(range);
    width.ended({ nowMs: 0, tookMs: 1, work: 1, isFull: true, setbacks: 3 });
    expect(width.width).toBe(8);
    const { widths } = simulate(width, 4000, { latencyMs: 20, perMs: 5 }, 3);
    expect(widths.at(-1)).toBeGreaterThan(32);
  });
});
