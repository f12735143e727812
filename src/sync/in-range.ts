import { compareNames } from '../core/name-order.ts';
import type { ListedRange } from './listed-range.ts';
import type { FilePair, WalkVisitor } from './walk-both.ts';

/** The visitor for the pairs of a range, which may end while pages beyond its end are already there. */
export function inRange(visitor: WalkVisitor, range: ListedRange): WalkVisitor {
  const pathOf = (pair: FilePair | undefined) => (pair?.source ?? pair?.dest)?.path ?? '';
  const within = (pairs: readonly FilePair[]) => {
    const { last } = range;
    return last === undefined
      ? pairs
      : pairs.filter((pair) => compareNames(pathOf(pair), last) <= 0);
  };
  return {
    ...visitor,
    async files(pairs) {
      for (let mine = within(pairs); mine.length > 0; mine = within(mine)) {
        if (!(await range.reaches(mine.length, pathOf(mine[0]), pathOf(mine.at(-1))))) continue;
        await visitor.files(mine);
        return;
      }
    },
  };
}
