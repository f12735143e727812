import type { Op } from '../../../core/remote.ts';
import type { S3Store } from '../store.ts';
import type { ListQuery } from './list-query.ts';
import type { KeyPage } from './lister.ts';
import { ListingInParts } from './listing-in-parts.ts';

/** Listings that are kept for their next page. More are those whose reader has stopped. */
const MOST_KEPT = 4;

/**
 * A page as `Lister.page` gives it. From the second one on, what follows is listed in parallel, up to `op.atOnce`
 * requests, and kept until it is asked for: a call for the position that a page names gets it from there.
 */
export async function pageAhead(store: S3Store, query: ListQuery, op: Op): Promise<KeyPage> {
  const { bucket, prefix, position: from } = query;
  const { atOnce = 1, sizesOnly } = op;
  if (from === undefined || atOnce <= 1) return store.lister.page(query, op);
  const { listingsAhead } = store;
  const keyOf = (position: ListQuery['position']) =>
    JSON.stringify([bucket, prefix, position, sizesOnly]);
  const listing =
    listingsAhead.get(keyOf(from)) ??
    new ListingInParts(store, { bucket, prefix, from, inOrder: true, atOnce }, op);
  listingsAhead.delete(keyOf(from));
  const keys = await listing.next().catch((error) => {
    listing.end();
    throw error;
  });
  const last = keys?.at(-1);
  if (keys === undefined || last === undefined || listing.isOver) {
    return { keys: keys ?? [], prefixes: [] };
  }
  const next = { after: last.key };
  for (const [key, old] of listingsAhead) {
    if (listingsAhead.size < MOST_KEPT) break;
    listingsAhead.delete(key);
    old.end();
  }
  listingsAhead.set(keyOf(next), listing);
  return { keys, prefixes: [], next };
}
