/** A rate: so many in so many milliseconds. */
export interface Rate {
  readonly count: number;
  readonly perMs: number;
}

/** What is left of a rate at a moment. */
export interface RateBucket {
  readonly left: number;
  readonly atMs: number;
}

/** What came of taking one. */
export interface Taken {
  readonly bucket: RateBucket;
  readonly allowed: boolean;
  /** After so many milliseconds one more will be allowed; 0 where one was. */
  readonly retryMs: number;
}

/**
 * Takes one from a bucket that fills evenly and holds at most `count`.
 * @param before absent: full
 */
export function takeFrom(before: RateBucket | undefined, rate: Rate, nowMs: number): Taken {
  const { count, perMs } = rate;
  const passed = before === undefined ? 0 : Math.max(0, nowMs - before.atMs);
  const left = Math.min(count, (before?.left ?? count) + (passed * count) / perMs);
  if (left >= 1) return { bucket: { left: left - 1, atMs: nowMs }, allowed: true, retryMs: 0 };
  return { bucket: { left, atMs: nowMs }, allowed: false, retryMs: ((1 - left) * perMs) / count };
}
