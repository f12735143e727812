import { hash } from 'node:crypto';
import { SyncerError } from '../../../core/errors.ts';
import { compareEntries, compareNames } from '../../../core/name-order.ts';
import { namelessDir, namelessFile } from '../../../core/nameless.ts';
import type { Entry, FailedEntry, NameRange, Op, Page } from '../../../core/remote.ts';
import { joinPath } from '../../../core/remote-path.ts';
import { listBuckets } from '../buckets.ts';
import { fileEntry } from '../objects/object-entry.ts';
import { type Location, prefixOf, type S3Store } from '../store.ts';
import { hasS3Code, missingBucket } from '../store-error.ts';
import type { ListedKey } from '../xml/read-answer.ts';
import type { KeyPage, ListQuery, Position } from './lister.ts';
import { ListingInParts } from './listing-in-parts.ts';
import { orderPage, type Placed } from './order-page.ts';
import { walkedDirectory } from './walked-directories.ts';

/** A key, or a prefix instead of its keys. */
interface Listed extends Placed {
  readonly key?: ListedKey;
}

/** The state of a listing: the content of a cursor, as JSON. */
interface ListState {
  readonly position: Position;
  /** The last place returned. */
  readonly after?: string | undefined;
  readonly held: readonly Listed[];
  /** How many prefixes the last page had, and their digest. */
  readonly told?: { readonly count: number; readonly digest: string } | undefined;
}

/** What to list, and the path of its entries. */
interface BucketListing {
  readonly location: Location;
  readonly dir: string;
  readonly cursor?: string | undefined;
  /** The bucket itself was listed. */
  readonly wasListed?: boolean;
  /** Of a tree: only these names. */
  readonly range?: NameRange | undefined;
}

/** Throws `directory-not-found` below a bucket if directories have markers: one without a key is missing. */
function assertMayBeEmpty(store: S3Store, location: Location, dir: string): void {
  if (prefixOf(location) === '' || !store.settings.directoryMarkers) return;
  const where = `${location.bucket}/${location.key}`;
  throw new SyncerError('directory-not-found', `directory not found: ${where}`, { path: dir });
}

/** A page of `listPage` or, with `isTree`, of `listTreePage`, below a bucket. */
export async function listEntries(
  store: S3Store,
  listing: BucketListing,
  isTree: boolean,
  op: Op,
): Promise<Page> {
  const { location, dir, cursor, range = {} } = listing;
  const state = cursor === undefined ? undefined : (JSON.parse(cursor) as ListState);
  const isWhole = listing.range === undefined;
  const prefix = prefixOf(location);
  if (!isTree) {
    const prefixes = prefixesOf(prefix);
    if (prefixes.length > 1) return listTwins(store, listing, prefixes, op);
  }
  const answer = await keyPage(store, listing, state?.position, isTree, op);
  const { page: told, reachesEnd } = keysInRange(answer, prefix, range, state === undefined);
  const { next } = told;
  const isLast = reachesEnd || next === undefined;
  // Some servers repeat the prefixes of the last page on each one.
  const digest = (count?: number) => hash('sha1', told.prefixes.slice(0, count).join('\0'));
  const { count = 0, digest: before } = state?.told ?? {};
  const isRepeat =
    before !== undefined && told.prefixes.length >= count && digest(count) === before;
  const page = isRepeat ? { ...told, prefixes: told.prefixes.slice(count) } : told;
  const isEmpty = page.keys.length + page.prefixes.length === 0 && next === undefined;
  if (isEmpty && state === undefined && isWhole) assertMayBeEmpty(store, location, dir);
  const found = isTree ? treeItems(store, page, prefix, true) : dirItems(store, page, prefix);
  const listed = isWhole ? found : found.filter(({ place, storePlace }) => place === storePlace);
  const failed = isTree
    ? displaced(isWhole ? [] : found, (place) => pathOf(dir, place))
    : await namelessIn(store, page, { location, dir }, op);
  // A directory bucket lists in no order: each page stands for itself.
  let { ready, held } = store.settings.directoryBucket
    ? orderPage(listed, [], undefined, true)
    : orderPage(listed, state?.held ?? [], state?.after, isLast);
  if (!isLast && told.isOverfull === true) {
    // Such a page has the prefixes of later ones, too: those behind the last key are kept back.
    const end = ready.findLastIndex(({ key }) => key !== undefined) + 1;
    held = [...ready.slice(end), ...held];
    ready = ready.slice(0, end);
  }
  // The prefixes of a directory with several (`prefixesOf`), and one that continues on the next page.
  const isRepeated = ({ place, key }: Listed, index: number) =>
    key === undefined && place === (ready[index - 1]?.place ?? state?.after);
  const etagIsNotMd5 = store.etagIsNotMd5(location.bucket);
  const entries = ready
    .filter((item, index) => !isRepeated(item, index))
    .map((item) => toEntry(store, item, dir, etagIsNotMd5));
  const listedPage = failed.length === 0 ? { entries } : { entries, failed };
  if (isLast) return listedPage;
  const following: ListState = {
    position: next,
    held,
    after: ready.at(-1)?.place ?? state?.after,
    told:
      told.prefixes.length === 0 ? undefined : { count: told.prefixes.length, digest: digest() },
  };
  return { ...listedPage, cursor: JSON.stringify(following) };
}

/** The keys at a position. Rejects with the error of a listing. */
async function keyPage(
  store: S3Store,
  { location, wasListed = false, range }: BucketListing,
  position: Position | undefined,
  isTree: boolean,
  op: Op,
): Promise<KeyPage> {
  const { bucket } = location;
  const { lister, settings, showsVersions } = store;
  const prefix = prefixOf(location);
  const start = range?.after === undefined ? undefined : { after: prefix + range.after };
  const query = {
    bucket,
    prefix,
    byDirectory: !isTree,
    position: position ?? start,
    limit: range?.most,
  };
  const mayGuess = !settings.directoryBucket;
  try {
    if (isTree && range === undefined && mayGuess) return await pageAhead(store, query, op);
    const isFirst = !isTree && query.position === undefined;
    return isFirst && op.walk !== undefined && mayGuess && !showsVersions
      ? await walkedDirectory(lister, op.walk, query, op)
      : await lister.page(query, op);
  } catch (error) {
    const hasBegun = wasListed || position !== undefined;
    if (!hasBegun && hasS3Code(error, 'NoSuchBucket')) store.missingBuckets.add(bucket);
    throw missingBucket(error, settings.remote, bucket, hasBegun) ?? error;
  }
}

/** The prefixes of a directory: one, but the segments `.` and `..` of keys are shown as `．` and `．．`, as these are. */
function prefixesOf(prefix: string): readonly string[] {
  if (!/(?:^|\/)．{1,2}\//.test(prefix)) return [prefix];
  return prefix.split('/').reduce<readonly string[]>(
    (before, name, index) => {
      const names = /^．{1,2}$/.test(name) ? [name, name.replaceAll('．', '.')] : [name];
      const slash = index === 0 ? '' : '/';
      return before.flatMap((start) => names.map((each) => start + slash + each));
    },
    [''],
  );
}

/** A directory with several prefixes, as one page. */
async function listTwins(
  store: S3Store,
  { location, dir }: BucketListing,
  prefixes: readonly string[],
  op: Op,
): Promise<Page> {
  const { bucket } = location;
  const files: Entry[] = [];
  const dirs = new Map<string, Entry>();
  const failed: FailedEntry[] = [];
  for (const prefix of prefixes) {
    let position: Position | undefined;
    do {
      const page = await store.lister.page({ bucket, prefix, byDirectory: true, position }, op);
      for (const item of dirItems(store, page, prefix)) {
        const entry = toEntry(store, item, dir, store.etagIsNotMd5(bucket));
        if (item.key === undefined) dirs.set(entry.path, entry);
        else files.push({ ...entry, id: `${bucket}/${item.key.key}` });
      }
      const level = { location: { bucket, key: prefix }, dir };
      for (const nameless of await namelessIn(store, page, level, op)) failed.push(nameless);
      position = page.next;
    } while (position !== undefined);
  }
  const entries = [...files, ...dirs.values()].sort(compareEntries);
  return failed.length === 0 ? { entries } : { entries, failed };
}

/** Files and directories of one level, except those without a name. */
function dirItems(store: S3Store, page: KeyPage, prefix: string): Listed[] {
  const items: Listed[] = [];
  const { prefixes } = page;
  const byKey: string[] = [];
  for (let at = 0; at < page.keys.length; at++) {
    const key = page.keys[at] as ListedKey;
    const storePlace = key.key.slice(prefix.length);
    if (storePlace === '') continue;
    if (!storePlace.endsWith('/')) {
      items.push({ place: store.toStandard(storePlace), storePlace, key });
    } else if (!prefixes.includes(key.key)) {
      // Some servers list the object of a directory, and not its prefix: files below it would be missing.
      byKey.push(key.key);
    }
  }
  for (const name of byKey.length === 0 ? prefixes : [...prefixes, ...byKey]) {
    const storePlace = name.slice(prefix.length);
    if (storePlace === '' || storePlace === '/') continue;
    items.push({ place: `${store.toStandard(storePlace.slice(0, -1))}/`, storePlace });
  }
  return items;
}

/** The objects without a name in a level (`a//b` and `a/` in `a`); an empty `a/` only marks the directory. */
async function namelessIn(
  store: S3Store,
  page: KeyPage,
  { location, dir }: Pick<BucketListing, 'location' | 'dir'>,
  op: Op,
): Promise<FailedEntry[]> {
  const { bucket } = location;
  const prefix = prefixOf(location);
  const toFailed = ({ key }: ListedKey) =>
    namelessFile(pathOf(dir, store.toStandard(key.slice(prefix.length))));
  const isOwn = ({ key }: ListedKey) => key === prefix || key === `${prefix}/`;
  const failed = page.keys.filter((key) => isOwn(key) && !isMarker(key)).map(toFailed);
  for (const below of page.prefixes) {
    if (below !== `${prefix}/`) continue;
    const query = { bucket, prefix: below, byDirectory: false, position: undefined };
    const { keys, next } = await store.lister.page(query, op);
    for (const key of keys) if (!isMarker(key)) failed.push(toFailed(key));
    if (next !== undefined) failed.push(namelessDir(`${dir}/`));
  }
  return failed;
}

/** All files below the prefix; `withMarkers`: and the directories that have a marker. */
function treeItems(store: S3Store, page: KeyPage, prefix: string, withMarkers = false): Listed[] {
  const items: Listed[] = [];
  for (let at = 0; at < page.keys.length; at++) {
    const key = page.keys[at] as ListedKey;
    const storePlace = key.key.slice(prefix.length);
    if (!isMarker(key)) {
      items.push({ place: store.toStandard(storePlace), storePlace, key });
    } else if (withMarkers && storePlace !== '' && !/^\/|\/\//.test(storePlace)) {
      items.push({ place: `${store.toStandard(storePlace.slice(0, -1))}/`, storePlace });
    }
  }
  return items;
}

/** Whether an object is an empty marker of a directory. */
export const isMarker = ({ key, size }: ListedKey): boolean => size === 0 && key.endsWith('/');

/** The path of a key below a directory; that of the directory's own key (`dir/`) keeps its slash. */
export function pathOf(dir: string, place: string): string {
  return place === '' ? `${dir}/` : joinPath(dir, place);
}

function toEntry(
  store: S3Store,
  { place, storePlace, key }: Listed,
  dir: string,
  etagIsNotMd5: boolean,
): Entry {
  if (key === undefined) return { kind: 'dir', path: joinPath(dir, place.slice(0, -1)) };
  const path = pathOf(dir, place);
  const file = fileEntry(path, key, etagIsNotMd5);
  if (place === storePlace && place !== '') return file;
  const { bucket, key: meant } = store.locate(path);
  // Two keys can have one path (`./x` and `．/x`): this is the other one.
  return meant === key.key ? file : { ...file, id: `${bucket}/${key.key}` };
}

/** The keys of a page up to `range.last`. Throws `bad-answer` for keys before `range.after`: ranges would share them. */
export function keysInRange(
  page: KeyPage,
  prefix: string,
  range: NameRange,
  isFirst: boolean,
): { readonly page: KeyPage; readonly reachesEnd: boolean } {
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

/** Listings that are kept for their next page. More are those whose reader has stopped. */
const MOST_KEPT = 4;

/**
 * A page as `Lister.page` gives it. From the second one on, what follows is listed in parallel, up to `op.atOnce`
 * requests, and kept until it is asked for: a call for the position that a page names gets it from there.
 */
async function pageAhead(store: S3Store, query: ListQuery, op: Op): Promise<KeyPage> {
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

/** A page of all files below a directory; of the root of an account bucket by bucket, without a `range` (`usage`). */
export async function listTree(
  store: S3Store,
  dir: string,
  cursor: string | undefined,
  op: Op,
  range?: NameRange,
): Promise<Page> {
  const location = store.locate(dir);
  if (location.bucket === '') {
    if (range === undefined) return listStore(store, cursor, op);
    throw new SyncerError('usage', 'ranges of names are in one bucket: name it after the remote');
  }
  return listEntries(store, { location, dir, cursor, range }, true, op);
}

async function listStore(store: S3Store, cursor: string | undefined, op: Op): Promise<Page> {
  const at: { bucket?: string; inner?: string } = cursor === undefined ? {} : JSON.parse(cursor);
  const bucket = at.bucket ?? (await bucketAfter(store, undefined, op));
  if (bucket === undefined) return { entries: [] };
  const location = store.locate(bucket);
  const listing = { location, dir: joinPath('', bucket), cursor: at.inner, wasListed: true };
  const { entries, cursor: inner } = await listEntries(store, listing, true, op);
  if (inner !== undefined) return { entries, cursor: JSON.stringify({ bucket, inner }) };
  const following = await bucketAfter(store, bucket, op);
  return following === undefined
    ? { entries }
    : { entries, cursor: JSON.stringify({ bucket: following }) };
}

/** The bucket of the next files: by whole path `a-b/x` comes before `a/x`. */
async function bucketAfter(store: S3Store, bucket: string | undefined, op: Op) {
  const names = (await listBuckets(store, op)).map(({ path }) => path);
  const inOrder = names.sort((a, b) => compareNames(`${a}/`, `${b}/`));
  return inOrder.find((name) => bucket === undefined || compareNames(`${name}/`, `${bucket}/`) > 0);
}

/** All files below a directory, in no order: after some pages, by parallel requests. Rejects as `listEntries`. */
export async function* listUnordered(
  store: S3Store,
  dir: string,
  atOnce: number,
  op: Op,
): AsyncGenerator<readonly Entry[]> {
  const location = store.locate(dir);
  if (location.bucket !== '') return yield* listBucket(store, { location, dir }, atOnce, op);
  for (const { path } of await listBuckets(store, op)) {
    const place = { location: store.locate(path), dir: joinPath(dir, path), wasListed: true };
    yield* listBucket(store, place, atOnce, op);
  }
}

async function* listBucket(
  store: S3Store,
  place: Pick<BucketListing, 'location' | 'dir' | 'wasListed'>,
  atOnce: number,
  op: Op,
): AsyncGenerator<readonly Entry[]> {
  const { location, dir, wasListed = false } = place;
  const { bucket } = location;
  const prefix = prefixOf(location);
  const listing = new ListingInParts(store, { bucket, prefix, inOrder: false, atOnce }, op);
  let hasBegun = wasListed;
  let isEmpty = true;
  try {
    for (let keys = await listing.next(); keys !== undefined; keys = await listing.next()) {
      hasBegun = true;
      isEmpty &&= keys.length === 0;
      const items = treeItems(store, { keys, prefixes: [] }, prefix);
      const etagIsNotMd5 = store.etagIsNotMd5(bucket);
      yield items.map((item) => toEntry(store, item, dir, etagIsNotMd5));
    }
  } catch (thrown) {
    throw missingBucket(thrown, store.settings.remote, bucket, hasBegun) ?? thrown;
  } finally {
    listing.end();
  }
  if (isEmpty) assertMayBeEmpty(store, location, dir);
}
