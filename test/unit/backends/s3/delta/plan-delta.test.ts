import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type PartLimits, planDelta } from '../../../../../src/backends/s3/delta/plan-delta.ts';
import type { CommonRange } from '../../../../../src/core/content-pieces.ts';

/** Parts of at least 5, sent in 5 or more, copied in at most 40. */
const LIMITS: PartLimits = { least: 5, sent: 5, copied: 40, count: 1000, areEqual: false };

/** Ranges of the new content that the old one has, without overlaps, and their sizes. */
const worlds = fc
  .array(
    fc.record({
      gap: fc.integer({ min: 0, max: 30 }),
      length: fc.integer({ min: 1, max: 90 }),
      from: fc.integer({ min: 0, max: 400 }),
      inPlace: fc.boolean(),
    }),
    { maxLength: 12 },
  )
  .chain((pieces) =>
    fc.integer({ min: 0, max: 40 }).map((rest) => {
      let offset = 0;
      const common: CommonRange[] = [];
      for (const { gap, length, from, inPlace } of pieces) {
        offset += gap;
        common.push({ offset, length, from: inPlace ? offset : from });
        offset += length;
      }
      return { size: offset + rest, common };
    }),
  );

/** What is wrong with a plan; `undefined` if nothing is. */
function faultOf(size: number, common: readonly CommonRange[], limits: PartLimits) {
  const plan = planDelta(size, common, limits);
  if (plan === undefined) return undefined;
  let [offset, sent] = [0, 0];
  for (const [at, stretch] of plan.stretches.entries()) {
    const { length, from } = stretch;
    const isLast = at === plan.stretches.length - 1;
    if (stretch.offset !== offset) return `part ${at} begins at ${stretch.offset}, not ${offset}`;
    if (length < 1 || (!isLast && length < limits.least)) return `part ${at} has ${length}`;
    if (limits.areEqual && !isLast && length !== limits.sent) return `part ${at} is unequal`;
    for (let byte = 0; from !== undefined && byte < length; byte++) {
      const isThere = common.some(
        (one) =>
          offset + byte >= one.offset &&
          offset + byte < one.offset + one.length &&
          one.from - one.offset === from - offset,
      );
      if (!isThere) return `byte ${offset + byte} is copied from ${from + byte}`;
    }
    if (from === undefined) sent += length;
    offset += length;
  }
  if (offset !== size) return `the parts have ${offset} of ${size}`;
  if (sent !== plan.sent) return `${sent} are sent, not ${plan.sent}`;
  if (plan.stretches.length > limits.count) return 'too many parts';
  return sent > 0.75 * size ? 'not worth it' : undefined;
}

test('the parts of a plan are the whole content, and only what the old one has is copied', () => {
  fc.assert(
    fc.property(worlds, fc.boolean(), fc.integer({ min: 3, max: 60 }), (world, areEqual, count) => {
      expect(faultOf(world.size, world.common, { ...LIMITS, areEqual, count })).toBeUndefined();
    }),
    { numRuns: 1000 },
  );
});

/** The least that has to be sent, found by trying where every part begins and whether it is copied. */
function leastSent(size: number, common: readonly CommonRange[]): number {
  const best = Array<number>(size + 1).fill(Number.POSITIVE_INFINITY);
  best[size] = 0;
  for (let begin = size - 1; begin >= 0; begin--) {
    for (let end = begin + 1; end <= size; end++) {
      if (end - begin < LIMITS.least && end !== size) continue;
      const isThere = common.some((one) => begin >= one.offset && end <= one.offset + one.length);
      const cost = (isThere ? 0 : end - begin) + (best[end] as number);
      best[begin] = Math.min(best[begin] as number, cost);
    }
  }
  return best[0] as number;
}

/** The ranges as the planner joins them: those that continue each other in both contents are one. */
function joined(common: readonly CommonRange[]): CommonRange[] {
  const all: { offset: number; length: number; from: number }[] = [];
  for (const range of common) {
    const last = all.at(-1);
    const isNext = last && last.offset + last.length === range.offset;
    if (isNext && last.from + last.length === range.from) last.length += range.length;
    else all.push({ ...range });
  }
  return all;
}

test('hardly more is sent than has to be', () => {
  fc.assert(
    fc.property(worlds, ({ size, common }) => {
      const least = leastSent(size, joined(common));
      const plan = planDelta(size, common, LIMITS);
      // The regular grid may send a tenth more.
      if (least <= 0.68 * size) expect(plan?.sent).toBeLessThanOrEqual(1.1 * least + 1e-9);
    }),
    { numRuns: 200 },
  );
});

test('a few changed bytes of a large file cost one part each', () => {
  const common = [
    { offset: 0, length: 101, from: 0 },
    { offset: 102, length: 300, from: 102 },
    { offset: 403, length: 597, from: 403 },
  ];
  expect(planDelta(1000, common, { ...LIMITS, sent: 7 })).toMatchObject({ sent: 10 });
});

test('usual parts are taken where they send hardly more', () => {
  const common = [{ offset: 0, length: 1000, from: 0 }];
  const plan = planDelta(1003, common, LIMITS);
  expect(plan).toMatchObject({ isRegular: true, sent: 3 });
  expect(plan?.stretches.length).toBe(201);
});

test('parts become longer if there would be too many', () => {
  const common = Array.from({ length: 100 }, (_, at) => ({
    offset: 20 * at,
    length: 19,
    from: 20 * at + 7,
  }));
  const plan = planDelta(2000, common, { ...LIMITS, count: 60 });
  expect(plan === undefined || plan.stretches.length <= 60).toBe(true);
  expect(planDelta(2000, common, LIMITS)).toMatchObject({ sent: 496 });
});

test('a file of which more than three quarters would be sent is sent whole', () => {
  expect(planDelta(100, [{ offset: 0, length: 24, from: 3 }], LIMITS)).toBeUndefined();
  expect(planDelta(100, [{ offset: 0, length: 25, from: 3 }], LIMITS)).toMatchObject({ sent: 75 });
});
