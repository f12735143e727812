import { SyncerError } from '../../../core/errors.ts';
import { compareNames } from '../../../core/name-order.ts';
import type { NameRange } from '../../../core/name-range.ts';
import type { FailedEntry } from '../../../core/remote.ts';
import type { KeyPage } from './lister.ts';
import type { Placed } from './order-page.ts';

/** The keys of a page that are in a range. */
interface RangedPage {
  readonly page: KeyPage;
  /** Keys beyond the range were listed: there are no more in it. */
  readonly reachesEnd: boolean;
}

/**
 * The keys of a page up to `range.last`. Throws `bad-answer` if the first page begins before `range.after`: two ranges
 * would share keys.
 */
export function keysInRange(
  page: KeyPage,
  prefix: string,
  range: NameRange,
  isFirst: boolean,
): RangedPage {
  const { after, last } = range;
  const [first] = page.keys;
  if (isFirst && after !== undefined && first !== undefined) {
    if (compareNames(first.key, prefix + after) <= 0) {
      const text = `the server lists ${first.key} after "${prefix}${after}"`;
      throw new SyncerError('bad-answer', text, { advice: 'it ignores where a listing starts' });
    }
  }
  if (last === undefined) return { page, reachesEnd: false };
  const end = prefix + last;
  const isWithin = ({ key }: { readonly key: string }) => compareNames(key, end) <= 0;
  const final = page.keys.at(-1);
  if (final === undefined || isWithin(final)) return { page, reachesEnd: false };
  return { page: { ...page, keys: page.keys.filter(isWithin) }, reachesEnd: true };
}

/** Files whose path has another place in the order than their key: their counterpart may be in another range. */
export function displaced(items: readonly Placed[], toPath: (place: string) => string) {
  const failed: FailedEntry[] = [];
  for (const { place, storePlace } of items) {
    if (place === storePlace) continue;
    const path = toPath(place);
    const text = `"${path}" has another name on the server, which sorts elsewhere`;
    const advice = 'run without --checkpoint';
    failed.push({ path, error: new SyncerError('name-invalid', text, { path, advice }) });
  }
  return failed;
}
