import { SyncerError } from '../../../core/errors.ts';
import { compareNames } from '../../../core/name-order.ts';

/** An entry with the two names that decide its place. */
export interface Placed {
  /** Its path in syncer's names; a directory's ends in a slash. */
  readonly place: string;
  /** The same in the server's names, by which the server sorts. */
  readonly storePlace: string;
}

/** A page in order, and the entries that come later. */
export interface OrderedPage<T> {
  readonly ready: readonly T[];
  readonly held: readonly T[];
}

/**
 * Sorts a page in the order of `compareEntries`. The server sorts by its own names, which differ from syncer's for
 * control characters and `.`: an entry may be held back until a later page. Throws `bad-answer` if the page belongs
 * before `after`, because a merge would take files for missing, and for a repeated key.
 */
export function orderPage<T extends Placed>(
  listed: readonly T[],
  carried: readonly T[],
  after: string | undefined,
  isLast: boolean,
): OrderedPage<T> {
  const all = carried.length === 0 ? listed : [...carried, ...listed];
  const sorted = isSorted(all) ? all : all.toSorted((a, b) => compareNames(a.place, b.place));
  if (sorted !== all) isSorted(sorted);
  const first = sorted[0];
  if (first !== undefined && after !== undefined) {
    const order = compareNames(first.place, after);
    // A prefix can continue on the next page.
    if (order < 0 || (order === 0 && !first.storePlace.endsWith('/'))) {
      throw new SyncerError(
        'bad-answer',
        `the server does not list in order: ${first.place} comes after ${after}`,
      );
    }
  }
  if (isLast || !sorted.some(({ place, storePlace }) => place !== storePlace)) {
    return { ready: sorted, held: [] };
  }
  const reach = greatest(listed.map(({ storePlace }) => storePlace));
  const isReady = ({ place }: T) => reach !== undefined && compareNames(place, reach) <= 0;
  return { ready: sorted.filter(isReady), held: sorted.filter((item) => !isReady(item)) };
}

/** Throws `bad-answer` for a repeated key. */
function isSorted(items: readonly Placed[]): boolean {
  for (let i = 1; i < items.length; i++) {
    const order = compareNames(items[i - 1]?.place ?? '', items[i]?.place ?? '');
    if (order > 0) return false;
    if (order === 0) refuseRepeated(items[i - 1]?.storePlace, items[i]?.storePlace ?? '');
  }
  return true;
}

function refuseRepeated(before: string | undefined, name: string): void {
  if (name !== before || name.endsWith('/')) return;
  throw new SyncerError('bad-answer', `the server lists ${name} twice`);
}

function greatest(names: readonly string[]): string | undefined {
  return names.toSorted(compareNames).at(-1);
}
