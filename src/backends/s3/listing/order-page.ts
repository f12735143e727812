import { SyncerError } from '../../../core/errors.ts';
import { compareNames, NamesInTurn } from '../../../core/name-order.ts';

/** An entry with the two names that decide its place. */
export interface Placed {
  /** Its path in syncer's names; a directory's ends in a slash. */
  readonly place: string;
  /** The same in the server's names, by which the server sorts. */
  readonly storePlace: string;
}

/**
 * Sorts a page in the order of `compareEntries`. The server sorts by its own names, which differ from syncer's for
 * control characters, their symbols, and `.`: an entry may be `held` back until a later page. Throws `bad-answer` if the
 * page belongs before `after`, because a merge would take files for missing, and for a repeated key.
 */
export function orderPage<T extends Placed>(
  listed: readonly T[],
  carried: readonly T[],
  after: string | undefined,
  isLast: boolean,
): { readonly ready: readonly T[]; readonly held: readonly T[] } {
  const all = carried.length === 0 ? listed : [...carried, ...listed];
  const sorted = isSorted(all) ? all : all.toSorted((a, b) => compareNames(a.place, b.place));
  if (sorted !== all) isSorted(sorted);
  const first = sorted[0];
  if (first !== undefined && after !== undefined) {
    const order = compareNames(first.place, after);
    // A prefix can continue on the next page.
    if (order < 0 || (order === 0 && !first.storePlace.endsWith('/'))) {
      const text = `the server does not list in order: ${first.place} comes after ${after}`;
      throw new SyncerError('bad-answer', text);
    }
  }
  if (isLast) return { ready: sorted, held: [] };
  const isAsStored = sorted.every(({ place, storePlace }) => place === storePlace);
  const reach = isAsStored
    ? sorted.at(-1)?.storePlace
    : listed
        .map(({ storePlace }) => storePlace)
        .sort(compareNames)
        .at(-1);
  // The first name may belong here that the server lists after `reach`: the key `␊` is `‛␊`, before `…` and `€`, and a
  // quoted byte is before a quote.
  const quote = reach?.search(/[‛-␡]/) ?? -1;
  const bound = quote < 0 ? undefined : `${reach?.slice(0, quote)}\udc80`;
  if (isAsStored && bound === undefined) return { ready: sorted, held: [] };
  const isReady = ({ place }: T) =>
    reach !== undefined &&
    compareNames(place, reach) <= 0 &&
    (bound === undefined || compareNames(place, bound) < 0);
  return { ready: sorted.filter(isReady), held: sorted.filter((item) => !isReady(item)) };
}

/** Throws `bad-answer` for a repeated key. */
function isSorted(items: readonly Placed[]): boolean {
  const order = new NamesInTurn();
  let before: Placed | undefined;
  for (let at = 0; at < items.length; at++) {
    const item = items[at] as Placed;
    const compared = order.next(item.place);
    if (compared < 0) return false;
    const { storePlace } = item;
    if (compared === 0 && storePlace === before?.storePlace && !storePlace.endsWith('/')) {
      throw new SyncerError('bad-answer', `the server lists ${storePlace} twice`);
    }
    before = item;
  }
  return true;
}
