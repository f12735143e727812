import { compareNames } from '../core/name-order.ts';
import type { ListedRange } from './listed-range.ts';
import type { FilePair, WalkVisitor } from './walk-both.ts';

/** Pairs that are taken at once: few where they must wait for transfers, so that another slot can take the rest. */
const SLICE = { first: 64, most: 1024, slowMs: 250 } as const;

/** Into how many parts the names that are listed already can be cut. */
const MOST_PARTS = 8;

/** The visitor for the pairs of a range, which may end while pages beyond its end are already there. */
export function inRange(visitor: WalkVisitor, range: ListedRange): WalkVisitor {
  const pathOf = (pair: FilePair | undefined) => (pair?.source ?? pair?.dest)?.path ?? '';
  const within = (pairs: readonly FilePair[]) => {
    const { last } = range;
    const isBeyond = last !== undefined && compareNames(pathOf(pairs.at(-1)), last) > 0;
    return isBeyond ? pairs.filter((pair) => compareNames(pathOf(pair), last) <= 0) : pairs;
  };
  let size: number = SLICE.first;
  const take = async (slice: readonly FilePair[], points: readonly string[]) => {
    for (let mine = within(slice); mine.length > 0; mine = within(mine)) {
      const span = { first: pathOf(mine[0]), last: pathOf(mine.at(-1)), points };
      if (!(await range.reaches(mine.length, span))) continue;
      const beganMs = performance.now();
      await visitor.files(mine);
      const isSlow = performance.now() - beganMs > SLICE.slowMs;
      size = isSlow ? SLICE.first : Math.min(SLICE.most, size * 2);
      return;
    }
  };
  return {
    ...visitor,
    async files(pairs) {
      for (let at = 0; at < pairs.length; ) {
        const end = at + size;
        const parts = Math.min(MOST_PARTS, Math.floor((pairs.length - end) / SLICE.first));
        const points = Array.from({ length: Math.max(0, parts) }, (_, part) =>
          pathOf(pairs[end + Math.floor(((pairs.length - end) * (part + 1)) / (parts + 1))]),
        );
        await take(pairs.slice(at, end), points);
        at = end;
      }
    },
  };
}
