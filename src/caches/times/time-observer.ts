import type { Observer, PageOf } from '../../core/around.ts';
import { modTimeToMs } from '../../core/mod-time.ts';
import { ownText } from '../../core/own-text.ts';
import type { Entry, FileEntry, Remote } from '../../core/remote.ts';
import { isWithin, joinPath, leafName, parentPath } from '../../core/remote-path.ts';
import type { CacheOptions } from '../../state/cache-access.ts';
import type { DirectoryTimes } from './directory-times.ts';
import type { LearnedTime } from './known-time.ts';
import { ModTimeIndex } from './mod-time-index.ts';

/** Adds the index of a run to its remotes; opened when the first of them uses it. */
export function openModTimes(options: CacheOptions) {
  const index = new ModTimeIndex(options);
  return {
    async observe(remote: Remote) {
      const observer = timeObserver(remote, index);
      if (observer !== undefined) await index.opened();
      return observer;
    },
    /** Writes what was learned, after the remotes are closed. */
    close: () => index.close(),
  };
}

/**
 * Gives listings the known modification times, and records those of other responses. `undefined` if the listings of
 * the remote have times or are not sorted, or it has no `storeId`.
 */
export function timeObserver(
  { storeId, root, traits }: Remote,
  index: ModTimeIndex,
): Observer | undefined {
  if (!traits.slowModTime || !traits.sortedPages || storeId === undefined) return undefined;
  /** What the paths of files begin with on the server. */
  const prefix = root === '' ? '' : `${root}/`;
  /** Listings between two pages, by the arguments of the next page. */
  const listings = new Map<string, ReturnType<typeof listingTimes>>();
  const timesOf = (dir: string) => index.open(storeId, joinPath(root, dir));
  /** The listing that continues with this page. An unknown one is read from its start. */
  const listingAt = (of: PageOf) => {
    const key = keyOf(of);
    const known = of.cursor === undefined ? undefined : listings.get(key);
    listings.delete(key);
    return known ?? listingTimes(index, timesOf, of.isWhole && of.cursor === undefined);
  };
  const learn = (file: FileEntry, learned: LearnedTime | undefined) => {
    const path = prefix + file.path;
    const slash = path.lastIndexOf('/');
    index.learn(storeId, path.slice(0, Math.max(0, slash)), path.slice(slash + 1), learned);
  };
  return {
    // Not server-side copies: their time is that of the source at that moment.
    writes: ['write', 'set-time'],
    // The index is read in the order of the names.
    needsOrder: true,
    page(page, of) {
      if (of === undefined) return page;
      const listing = listingAt(of);
      const entries = listing.complete(page.entries);
      if (page.cursor === undefined) listing.end();
      else listings.set(keyOf({ ...of, cursor: page.cursor }), listing);
      return { ...page, entries };
    },
    saw(entry, listed) {
      if (entry.kind === 'file') learn(entry, learnFromDetails(entry, listed));
      return entry;
    },
    wrote(file, { startMs }) {
      learn(file, learnFromWrite(file, startMs, index.clock.monotonic()));
    },
    wrong: (file) => learn(file, undefined),
    close: () => listings.clear(),
  };
}

const keyOf = ({ what, dir, cursor }: PageOf): string => JSON.stringify([what, dir, cursor]);

/** Younger objects are not recorded yet, in milliseconds; git's rule for its own index. */
const RACY_MS = 2000;

/** Last-Modified and Date of HTTP have whole seconds: the event was within this many ms after them. */
const WITHIN_SECOND_MS = 999;

/**
 * The time in a HEAD or GET response (`details`); `undefined` if it lacks ETag, LastModified or Date, or the object
 * is too young. Both times are by the server's clock.
 *
 * @param listed its entry from a listing, perhaps with a more exact LastModified
 */
export function learnFromDetails(
  details: FileEntry,
  listed: FileEntry | undefined,
): LearnedTime | undefined {
  const { storedTime, toldAt } = details;
  if (storedTime === undefined || toldAt === undefined) return undefined;
  const writtenMs = Math.floor(modTimeToMs(storedTime) / 1000) * 1000;
  const newestMs = modTimeToMs(toldAt) - RACY_MS;
  // LastModified of the listing, if the later response has the same second.
  const isSame = listed?.etag === details.etag && listed?.size === details.size;
  const listedTime = isSame ? listed?.storedTime : undefined;
  const listedMs = listedTime === undefined ? Number.NaN : modTimeToMs(listedTime);
  const exactMs = Math.floor(listedMs / 1000) * 1000 === writtenMs ? listedMs : undefined;
  // An object without a modification time uses LastModified, which a listing may give more exactly than these
  // headers.
  if (exactMs === undefined && details.modTime === storedTime) return undefined;
  return learned(
    details,
    exactMs ?? writtenMs,
    Math.min(exactMs ?? writtenMs + WITHIN_SECOND_MS, newestMs),
    { md5: details.hashes?.md5 },
  );
}

/**
 * The time of an object that a call wrote. Its LastModified is within the call: the end is `written.toldAt`, by the
 * server's clock, the duration by the local one. So the clocks need not agree.
 *
 * @param startMs start of the call, by `Clock.monotonic`
 * @param endMs its end
 */
export function learnFromWrite(
  written: FileEntry,
  startMs: number,
  endMs: number,
): LearnedTime | undefined {
  if (written.toldAt === undefined) return undefined;
  const toldMs = modTimeToMs(written.toldAt);
  const tookMs = Math.max(0, endMs - startMs);
  const fromMs = Math.floor((toldMs - tookMs) / 1000) * 1000;
  const toMs = toldMs + WITHIN_SECOND_MS + Math.ceil(tookMs);
  const ageOffsetMs = toldMs - endMs - RACY_MS;
  return learned(written, fromMs, toMs, { ageOffsetMs });
}

function learned(
  file: FileEntry,
  fromMs: number,
  toMs: number,
  more: { readonly md5?: string | undefined; readonly ageOffsetMs?: number },
): LearnedTime | undefined {
  const { size, etag, modTime } = file;
  if (etag === undefined || etag === '' || modTime === undefined || size < 0) return undefined;
  if (toMs < fromMs) return undefined;
  const md5 = more.md5 === etag ? undefined : more.md5;
  const name = leafName(file.path);
  const known = {
    name,
    size,
    // Otherwise each keeps the head of its response until it is written.
    etag: ownText(etag),
    fromMs,
    toMs,
    modTime,
    ...(md5 === undefined ? {} : { md5 }),
  };
  return { known, ...(more.ageOffsetMs === undefined ? {} : { ageOffsetMs: more.ageOffsetMs }) };
}

/**
 * Adds the known times to the entries of one listing: of a directory, or of a tree sorted by whole paths, where only
 * the directories above the last file are open.
 *
 * @param isWhole the listing is read from its start
 */
function listingTimes(
  index: ModTimeIndex,
  timesOf: (dir: string) => DirectoryTimes,
  isWhole: boolean,
) {
  const open: { readonly dir: string; readonly prefix: string; readonly times: DirectoryTimes }[] =
    [];
  const leave = (times: DirectoryTimes) => {
    if (isWhole) index.finish(times);
  };
  const enter = (path: string) => {
    const last = open.at(-1);
    const isSame =
      last !== undefined &&
      path.startsWith(last.prefix) &&
      path.lastIndexOf('/') === last.prefix.length - 1;
    if (isSame) return last;
    const dir = parentPath(path);
    for (let top = last; top !== undefined && !isWithin(top.dir, dir); top = open.at(-1)) {
      leave(top.times);
      open.pop();
    }
    const top = open.at(-1);
    if (top?.dir === dir) return top;
    const entered = { dir, prefix: dir === '' ? '' : `${dir}/`, times: timesOf(dir) };
    if (!isWhole) entered.times.skipTo(path.slice(entered.prefix.length));
    open.push(entered);
    return entered;
  };
  const complete = (entry: Entry): Entry => {
    if (entry.kind === 'dir' || entry.modTime !== undefined) return entry;
    const { prefix, times } = enter(entry.path);
    const known = times.find(entry.path.slice(prefix.length), entry);
    if (known === undefined) return entry;
    const { modTime, md5 } = known;
    return md5 === undefined || entry.hashes?.md5 !== undefined
      ? { ...entry, modTime }
      : { ...entry, modTime, hashes: { ...entry.hashes, md5 } };
  };
  return {
    /** Completes the entries of the next page. */
    complete: (entries: readonly Entry[]) => entries.map(complete),
    /** The listing was read to its end. */
    end() {
      for (const { times } of open.splice(0)) leave(times);
    },
  };
}
