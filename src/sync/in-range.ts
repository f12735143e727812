import { compareNames } from '../core/name-order.ts';
import type { ListedRange } from './listed-range.ts';
import type { FilePair, WalkVisitor } from './walk-both.ts';

/**
 * Pairs that are taken at once: as many as are passed on in about this time, in milliseconds, so that other slots can
 * take those that would wait.
 */
const SLICE = { first: 16, most: 512, fastMs: 100, slowMs: 250 } as const;

/** Into how many parts the names that are listed already can be cut, and of how many slices each part is. */
const [MOST_PARTS, SLICES_A_PART] = [8, 2];

/** The visitor for the pairs of a range, which may end while pages beyond its end are already there. */
export function inRange(visitor: WalkVisitor, range: ListedRange): WalkVisitor {
  const pathAt = (pairs: readonly FilePair[], at: number) => {
    const pair = pairs[at];
    return (pair?.source ?? pair?.dest)?.path ?? '';
  };
  const isBeyond = (path: string) => range.last !== undefined && compareNames(path, range.last) > 0;
  let size: number = SLICE.first;
  let isFast = true;
  /** Names that divide those from `from` to `end` into equal parts; none where listing them again takes longer. */
  const pointsOf = (pairs: readonly FilePair[], from: number, end: number) => {
    if (isFast) return [];
    const parts = Math.min(MOST_PARTS + 1, Math.floor((end - from) / (size * SLICES_A_PART)));
    return Array.from({ length: Math.max(0, parts - 1) }, (_, part) =>
      pathAt(pairs, from + Math.floor(((end - from) * (part + 1)) / parts)),
    );
  };
  const take = async (mine: readonly FilePair[]) => {
    const beganMs = performance.now();
    await visitor.files(mine);
    const tookMs = performance.now() - beganMs;
    isFast = tookMs < SLICE.fastMs;
    if (isFast) size = Math.min(SLICE.most, size * 2);
    else if (tookMs > SLICE.slowMs) size = Math.max(1, size >> 1);
  };
  return {
    ...visitor,
    async files(pairs) {
      for (let at = 0, end = pairs.length; ; ) {
        while (end > at && isBeyond(pathAt(pairs, end - 1))) end--;
        if (at === end) return;
        const next = Math.min(end, at + size);
        const points = pointsOf(pairs, next, end);
        const span = { first: pathAt(pairs, at), last: pathAt(pairs, next - 1), points };
        if (!(await range.reaches(next - at, span))) continue;
        await take(pairs.slice(at, next));
        at = next;
      }
    },
  };
}
