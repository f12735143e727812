import { hash } from 'node:crypto';
import { modTimeToMs } from '../../core/mod-time.ts';
import { compareNames, sortedBytes } from '../../core/name-order.ts';
import type { Observer, PageOf } from '../../core/observed.ts';
import { ownText } from '../../core/own-text.ts';
import type { Entry, FileEntry, Remote } from '../../core/remote.ts';
import { lacksListedTimes } from '../../core/remote-calls.ts';
import { isWithin, joinPath, leafName, parentPath } from '../../core/remote-path.ts';
import { type CacheOptions, LearningCache } from '../../state/cache-access.ts';
import { type NewPage, TimesTable } from '../../state/times.ts';
import { DirectoryTimes, type StalePage } from './directory-times.ts';
import { isYoung, type KnownTime, type LearnedTime, settled } from './known-time.ts';
import {
  decodeRecord,
  encodeRecord,
  LONGEST_RECORD,
  RecordBytes,
  recordEnd,
  recordName,
} from './time-format.ts';

const MOST_UNWRITTEN = 4096;

/** Where a transaction begins: at a page of what is new about one of the directories. */
interface Place {
  readonly index: number;
  readonly news: DirectoryNews;
  readonly at: number;
}

/**
 * Modification times that runs have learned and listings do not have. Lost ones are requested again. Nothing here
 * rejects; without a usable directory nothing is known.
 */
export class ModTimeIndex extends LearningCache<LearnedTime> {
  readonly #ids = new Map<string, string>();
  #writeAt = this.options.mostUnwritten ?? MOST_UNWRITTEN;
  #stale = new Map<string, readonly StalePage[]>();
  /** Directories that were read, and not yet today. */
  readonly #used = new Set<string>();

  /**
   * The known times of a directory, to read along with its listing.
   *
   * @param storeId identifies the server and bucket or drive of the remote
   * @param dir its path there
   */
  open(storeId: string, dir: string): DirectoryTimes {
    const id = this.#idOf(storeId, dir);
    const key = Buffer.from(id, 'hex');
    if (this.#read((table) => table.isUnmarked(key)) === true) this.#used.add(id);
    return new DirectoryTimes(id, {
      after: (first) => this.#read((table) => table.pageAfter(key, first)),
      at: (name) => this.#read((table) => table.pageAt(key, name)),
      unwritten: (name) => {
        const learned = this.fresh.get(id)?.get(name) ?? this.leaving.get(id)?.get(name);
        return learned && settled(learned, this.clock.monotonic());
      },
    });
  }

  /** The whole listing of a directory was read. */
  finish(directory: DirectoryTimes): void {
    const stale = directory.finish();
    if (stale.length > 0) this.#stale.set(directory.id, stale);
  }

  /** The ID of a directory in the cache. Responses about files of several directories alternate. */
  #idOf(storeId: string, dir: string): string {
    const name = `${storeId}\n${dir}`;
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    if (this.#ids.size >= 256) this.#ids.clear();
    // It reveals no path.
    const id = hash('sha256', JSON.stringify([storeId, dir])).slice(0, 32);
    this.#ids.set(name, id);
    return id;
  }

  /** Records what a call returned about the file `name`. `undefined` drops what this run had recorded. */
  learn(storeId: string, dir: string, name: string, learned: LearnedTime | undefined): void {
    if (this.isClosed) return;
    const id = this.#idOf(storeId, dir);
    if (learned === undefined) {
      if (this.fresh.get(id)?.delete(name)) this.count--;
      this.leaving.get(id)?.delete(name);
      return;
    }
    this.put(id, name, learned);
    if (this.count >= this.#writeAt) this.writeSoon();
  }

  /** Times of objects that are too young stay for later; at the end they are dropped. */
  protected async write(isLast: boolean): Promise<void> {
    const nowMs = this.clock.monotonic();
    const stale = this.#stale;
    this.#stale = new Map();
    const ids = [...new Set([...this.leaving.keys(), ...stale.keys()])];
    const placeAt = (index: number): Place | undefined => {
      const id = ids[index];
      if (id === undefined) return undefined;
      const learned = this.leaving.get(id)?.values() ?? [];
      const fresh = [...learned].flatMap((one) => settled(one, nowMs) ?? []);
      fresh.sort((a, b) => compareNames(a.name, b.name));
      const news = { id: Buffer.from(id, 'hex'), fresh, stale: stale.get(id) ?? [] };
      return fresh.length + news.stale.length === 0 ? placeAt(index + 1) : { index, news, at: 0 };
    };
    let place = placeAt(0);
    while (place !== undefined) {
      const from = place;
      const end = await this.#change((table) => ({ place: writeSome(table, from, placeAt) }));
      if (end === undefined) break;
      this.hasWritten = true;
      place = end.place;
    }
    const used = [...this.#used];
    this.#used.clear();
    while (used.length > 0) {
      const some = used.splice(-1024);
      await this.#change((table) => {
        for (const id of some) table.markUsed(Buffer.from(id, 'hex'));
      });
    }
    for (const [id, names] of isLast ? [] : this.leaving) {
      for (const [name, learned] of names) {
        const isNewer = this.fresh.get(id)?.has(name) === true;
        if (!isNewer && isYoung(learned, nowMs)) this.put(id, name, learned);
      }
    }
    this.#writeAt = this.count + (this.options.mostUnwritten ?? MOST_UNWRITTEN);
  }

  /** Deletes what was not used for longest, if all takes too much. */
  protected async tidy(): Promise<void> {
    const { maxBytes = 256 * 1024 ** 2 } = this.options;
    const bytes = this.#read((table) => table.bytes) ?? 0;
    if (bytes <= maxBytes) return;
    // Somewhat below the limit, so that the next run need not repeat it.
    let excess = bytes - maxBytes * 0.9;
    while (excess > 0) {
      const deleted = await this.#change((table) => table.deleteOldest(excess));
      if (!deleted) break;
      excess -= deleted;
    }
    await this.cache.shrink();
  }

  #read<T>(work: (table: TimesTable) => T): T | undefined {
    return this.cache.read((database) => work(new TimesTable(database, this.clock.now())));
  }

  #change<T>(work: (table: TimesTable) => T): Promise<T | undefined> {
    return this.cache.write((database) => work(new TimesTable(database, this.clock.now())));
  }
}

/** Writes what one transaction may hold. Returns where the next one begins; `undefined` after the last. */
function writeSome(
  table: TimesTable,
  from: Place,
  placeAt: (index: number) => Place | undefined,
): Place | undefined {
  let place: Place | undefined = from;
  // To write a page costs as much as 32 records.
  for (let cost = 0; place !== undefined && cost < MOST_TOGETHER; cost += 32) {
    const { index, news, at }: Place = place;
    const end = writePage(table, news, at);
    cost += end - at;
    const isDone: boolean = end >= news.stale.length + news.fresh.length;
    place = isDone ? placeAt(index + 1) : { index, news, at: end };
  }
  return place;
}

/** From this size a page gets no more records, in bytes. */
const PAGE_BYTES = 64 * 1024;

/** Records that are written in one transaction, about. */
const MOST_TOGETHER = 4096;

/** An encoded record. */
interface Piece {
  readonly name: string;
  readonly bytes: Buffer;
}

/** What to write about a directory. */
interface DirectoryNews {
  readonly id: Buffer;
  /** What was learned, sorted by name. */
  readonly fresh: readonly KnownTime[];
  readonly stale: readonly StalePage[];
}

/** Writes one page of what is new, from `at` on; part of a transaction. Returns where the next one begins. */
export function writePage(
  table: TimesTable,
  { id, fresh, stale }: DirectoryNews,
  at: number,
): number {
  const page = stale[at];
  if (page === undefined) return stale.length + merge(table, id, fresh, at - stale.length);
  const { first, sum, seen } = page;
  // What a listing did not confirm is deleted, if the page is as it was then.
  const now = table.pageAt(id, first);
  if (now?.sum === sum && now.first.equals(first)) {
    const kept = piecesOf(now.records).filter((_, ordinal) => seen[ordinal] === 1);
    table.replace(id, now, pagesOf(kept, true));
  }
  return at + 1;
}

/** Merges records, from the number `at` on, into the page that they belong to. Returns the number of the next one. */
function merge(table: TimesTable, id: Buffer, fresh: readonly KnownTime[], at: number): number {
  const first = sortedBytes(fresh[at]?.name ?? '');
  // What is before the first page is merged into it.
  const page = table.pageAt(id, first) ?? table.pageAfter(id);
  const next = page && table.firstAfter(id, page.first);
  let end = at + 1;
  for (; end < fresh.length && end - at < MOST_TOGETHER; end++) {
    const name = fresh[end]?.name ?? '';
    if (next !== undefined && sortedBytes(name).compare(next) >= 0) break;
  }
  const there = page === undefined ? [] : piecesOf(page.records);
  const space = new RecordBytes(Buffer.allocUnsafe(LONGEST_RECORD));
  const added = fresh.slice(at, end).flatMap((known): Piece[] => {
    const length = encodeRecord(known, space, 0);
    if (length === undefined) return [];
    return [{ name: known.name, bytes: Buffer.from(space.bytes.subarray(0, length)) }];
  });
  const pieces = merged(there, added);
  table.replace(id, page, pagesOf(pieces, next === undefined));
  return end;
}

function piecesOf(records: Buffer): Piece[] {
  const all = new RecordBytes(records);
  const pieces: Piece[] = [];
  for (let at = 0; at < records.length; ) {
    const end = recordEnd(all, at);
    pieces.push({ name: recordName(all, at), bytes: records.subarray(at, end) });
    at = end;
  }
  return pieces;
}

function merged(there: readonly Piece[], added: readonly Piece[]): Piece[] {
  const known = ({ name, bytes }: Piece) => decodeRecord(new RecordBytes(bytes), 0, name);
  const all: Piece[] = [];
  let [at, addedAt] = [0, 0];
  for (;;) {
    const [old, fresh] = [there[at], added[addedAt]];
    if (old === undefined && fresh === undefined) return all;
    const order =
      old === undefined ? 1 : fresh === undefined ? -1 : compareNames(old.name, fresh.name);
    let kept = order < 0 ? old : fresh;
    if (order === 0) {
      // The last written if both cannot be valid; none if they say two times of one object.
      const [was, is] = [known(old as Piece), known(fresh as Piece)];
      if (was.toMs > is.toMs) kept = old;
      const mayBeOne =
        was.etag === is.etag &&
        was.size === is.size &&
        was.fromMs <= is.toMs &&
        is.fromMs <= was.toMs;
      if (mayBeOne && was.modTime !== is.modTime) kept = undefined;
    }
    if (kept !== undefined) all.push(kept);
    if (order <= 0) at++;
    if (order >= 0) addedAt++;
  }
}

/** Cuts records into pages: full ones if they are the last of their directory, where most are added, else equal ones. */
function pagesOf(pieces: readonly Piece[], areLast: boolean): NewPage[] {
  const total = pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const most = areLast ? PAGE_BYTES : Math.ceil(total / Math.ceil(total / PAGE_BYTES));
  const pages: NewPage[] = [];
  let page: Piece[] = [];
  let size = 0;
  const close = () => {
    const [first] = page;
    if (first === undefined) return;
    const records = Buffer.concat(page.map(({ bytes }) => bytes));
    pages.push({ first: sortedBytes(first.name), records });
    page = [];
    size = 0;
  };
  for (const piece of pieces) {
    if (size >= most) close();
    page.push(piece);
    size += piece.bytes.length;
  }
  close();
  return pages;
}

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
 * Gives listings the known modification times, and records those of other responses. `undefined` if the remote has no
 * use for that (`lacksListedTimes`).
 */
export function timeObserver(remote: Remote, index: ModTimeIndex): Observer | undefined {
  const { storeId, root } = remote;
  if (!lacksListedTimes(remote) || storeId === undefined) return undefined;
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
  const object = described(details);
  if (object === undefined || storedTime === undefined || toldAt === undefined) return undefined;
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
  const fromMs = exactMs ?? writtenMs;
  const toMs = Math.min(exactMs ?? writtenMs + WITHIN_SECOND_MS, newestMs);
  if (toMs < fromMs) return undefined;
  const md5 = details.hashes?.md5;
  const known = { ...object, fromMs, toMs };
  return { known: md5 === undefined || md5 === object.etag ? known : { ...known, md5 } };
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
  const object = described(written);
  if (object === undefined || written.toldAt === undefined) return undefined;
  const toldMs = modTimeToMs(written.toldAt);
  const tookMs = Math.max(0, endMs - startMs);
  const fromMs = Math.floor((toldMs - tookMs) / 1000) * 1000;
  const toMs = toldMs + WITHIN_SECOND_MS + Math.ceil(tookMs);
  const ageOffsetMs = toldMs - endMs - RACY_MS;
  return { known: { ...object, fromMs, toMs }, ageOffsetMs };
}

/** What is known of an object without a look at when it was written; `undefined` if that is too little. */
function described(file: FileEntry): Omit<KnownTime, 'fromMs' | 'toMs'> | undefined {
  const { size, etag, modTime } = file;
  if (etag === undefined || etag === '' || modTime === undefined || size < 0) return undefined;
  // The ETag's own text: otherwise each keeps the head of its response until it is written.
  return { name: leafName(file.path), size, etag: ownText(etag), modTime };
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
