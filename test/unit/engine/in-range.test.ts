import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FilePair } from '../../../src/engine/action.ts';
import { inRange, type NameSpan } from '../../../src/engine/in-range.ts';

const pairs: readonly FilePair[] = Array.from({ length: 1000 }, (_, i) => ({
  source: { kind: 'file', path: `f${String(i).padStart(4, '0')}`, size: 1 },
}));

let nowMs = 0;
beforeEach(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Takes the pairs of a range; `cut` may end it before each slice. */
async function taken(cut: (span: NameSpan) => string | undefined) {
  const names: string[] = [];
  const spans: NameSpan[] = [];
  let last: string | undefined;
  const visitor = inRange(
    {
      async files(slice) {
        // As long as what was taken first takes: the others wait for transfers.
        if (names.length < 50) nowMs += 150;
        names.push(...slice.map(({ source }) => source?.path ?? ''));
      },
      async dirs() {},
    },
    {
      after: undefined,
      get last() {
        return last;
      },
      listed() {},
      onExtra() {},
      async reaches(_names, span) {
        const end = cut(span);
        if (end !== undefined) last = end;
        if (last !== undefined && span.last > last) return false;
        spans.push(span);
        return true;
      },
    },
  );
  await visitor.files(pairs);
  return { names, spans };
}

test('few names are taken at first; where that is slow, the others can be cut into equal parts', async () => {
  const { names, spans } = await taken(() => undefined);
  expect(names).toHaveLength(1000);
  expect(spans[0]).toEqual({ first: 'f0000', last: 'f0015', points: [], isSlow: false });
  const [, second] = spans;
  expect(second).toMatchObject({ isSlow: true });
  expect(second?.points).toHaveLength(8);
  const starts = [second?.last ?? '', ...(second?.points ?? [])].map((name) =>
    Number(name.slice(1)),
  );
  const widths = starts.slice(1).map((start, i) => start - (starts[i] ?? 0));
  expect(Math.max(...widths) - Math.min(...widths)).toBeLessThanOrEqual(1);
  expect(spans.at(-1)).toMatchObject({ isSlow: false, points: [] });
});

test('a range that was cut ends there, and is never offered behind its end', async () => {
  let count = 0;
  const { names, spans } = await taken(() => (++count === 2 ? 'f0600' : undefined));
  expect(names.at(-1)).toBe('f0600');
  expect(names).toHaveLength(601);
  const after = spans.slice(2).flatMap(({ points }) => points);
  expect(after.length).toBeGreaterThan(0);
  expect(after.filter((name) => name >= 'f0600')).toEqual([]);
});

test('a cut before the last of the names that are about to be taken leaves those behind it', async () => {
  let count = 0;
  const { names } = await taken(() => (++count === 2 ? 'f0020' : undefined));
  expect(names.at(-1)).toBe('f0020');
  expect(names).toHaveLength(21);
});
