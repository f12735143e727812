import { compareNames } from '../core/name-order.ts';
import type { ListedRange } from './listed-range.ts';
import type { FilePair, WalkVisitor } from './walk-both.ts';

/** The visitor for the pairs of a range, which may end while pages beyond its end are already there. */
export function inRange(visitor: WalkVisitor, range: ListedRange): WalkVisitor {
  const pathOf = ({ source, dest }: FilePair) => (source ?? dest)?.path ?? '';
  return {
    ...visitor,
    async files(pairs) {
      const { last } = range;
      const within =
        last === undefined ? pairs : pairs.filter((pair) => compareNames(pathOf(pair), last) <= 0);
      const final = within.at(-1);
      if (final === undefined) return;
      range.passed(within.length, pathOf(final));
      await visitor.files(within);
    },
  };
}
