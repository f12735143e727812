import { compareNames } from '../../core/name-order.ts';
import type { Entry } from '../../core/remote.ts';
import { leafName } from '../../core/remote-path.ts';

/** The orders of a listing page, by `?sort=` as in rclone. */
export const SORTS = ['namedirfirst', 'name', 'size', 'time'] as const;

/** How a listing page is sorted. */
export interface PageOrder {
  readonly sort: (typeof SORTS)[number];
  readonly order: 'asc' | 'desc';
}

/** Reads `?sort=` and `?order=`; anything unknown is the default. */
export function readOrder(query: URLSearchParams): PageOrder {
  const sort = SORTS.find((one) => one === query.get('sort')) ?? 'namedirfirst';
  return { sort, order: query.get('order') === 'desc' ? 'desc' : 'asc' };
}

/** The entries in an order of the page. */
export function sortedEntries(entries: readonly Entry[], { sort, order }: PageOrder): Entry[] {
  const sign = order === 'desc' ? -1 : 1;
  const byName = (a: Entry, b: Entry) => compareNames(folded(a), folded(b));
  const compare = (a: Entry, b: Entry): number => {
    const dirs = Number(b.kind === 'dir') - Number(a.kind === 'dir');
    if (sort === 'namedirfirst') return dirs || sign * byName(a, b);
    if (sort === 'size') return sign * (sizeOf(a) - sizeOf(b)) || byName(a, b);
    if (sort === 'time')
      return sign * Number((a.modTime ?? 0n) - (b.modTime ?? 0n)) || byName(a, b);
    return sign * byName(a, b);
  };
  return [...entries].sort(compare);
}

function folded({ path }: Entry): string {
  return leafName(path).toLowerCase();
}

function sizeOf(entry: Entry): number {
  return entry.kind === 'file' ? entry.size : -1;
}
