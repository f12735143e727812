import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Hashes, HashName } from '../../core/hash-names.ts';
import { nameToBytes } from '../../core/name-bytes.ts';
import type { HashOverrides, Observer } from '../../core/observed.ts';
import type { FileEntry, Op, Remote } from '../../core/remote.ts';
import { wholePath } from '../../core/remote-path.ts';
import { type CacheOptions, LearningCache } from '../../state/cache-access.ts';
import type { Database, Value } from '../../state/database.ts';
import { realPath } from '../../system/fs-path.ts';
import {
  type ContentVersion,
  type HashRecord,
  isBelieved,
  isSameVersion,
  laterRecord,
  latestRecord,
} from './hash-record.ts';

/** Records that wait for others, and those that are written in one transaction. */
const WRITTEN_TOGETHER = 4096;

/** Rows that one statement reads or writes: in less than half the time of as many statements. */
const TOGETHER = 32;

/** The store of this machine's disks. */
const DISK_STORE = 'disk';

/** A row of the table `hashes` of `cache.db`, without its key. */
interface HashRow {
  /** In milliseconds since the epoch. */
  readonly readMs: number;
  readonly runId: string;
  /** JSON. */
  readonly record: string;
}

/** A row and the name of its file. */
type NamedRow = readonly [name: string, row: HashRow];

/**
 * The hashes that runs have computed. What is lost is computed again. Nothing here rejects; without a usable cache it
 * knows what this run has learned, by store and name: as rows, whose text keeps nothing else in memory, such as the
 * head of a response that a tag was cut out of.
 */
export class HashCache extends LearningCache<HashRow> {
  /** The keys of stores in the cache; they reveal nothing. */
  readonly #keys = new Map<string, string>([[DISK_STORE, DISK_STORE]]);
  #writtenMs = this.clock.now();

  /** What is known of the file at `path` below the root of its server or disk. */
  find(storeId: string, path: string): HashRecord | undefined {
    return this.findAll(storeId, [path])[0];
  }

  /** The same of several files, in less time. */
  findAll(storeId: string, paths: readonly string[]): (HashRecord | undefined)[] {
    const store = this.#keyOf(storeId);
    const rows = this.cache.read((database) => findRows(database, store, paths));
    const leaving = this.leaving.get(store);
    const fresh = this.fresh.get(store);
    return paths.map((path, at) => {
      const row = rows?.[at];
      const learned = [leaving?.get(path), fresh?.get(path)].filter((one) => one !== undefined);
      if (learned.length === 0) return row && recordOfRow(path, row);
      const known = row === undefined ? learned : [row, ...learned];
      return this.#latest(known.map((one) => recordOfRow(path, one)));
    });
  }

  /** Records the hashes of the file `record.name`. */
  learn(storeId: string, record: HashRecord): void {
    const { name, size, readMs } = record;
    if (this.isClosed || name === '' || size < 0) return;
    const store = this.#keyOf(storeId);
    const known = this.fresh.get(store)?.get(name);
    const kept = known === undefined ? record : laterRecord(recordOfRow(name, known), record);
    this.put(store, name, rowOf(kept));
    // An interrupted run shall lose little.
    const isLate = Math.abs(readMs - this.#writtenMs) > 15_000;
    if (isLate || this.count >= (this.options.mostUnwritten ?? WRITTEN_TOGETHER)) this.writeSoon();
  }

  readonly #latest = (same: readonly HashRecord[]) => latestRecord(same, this.clock.now());

  #keyOf(storeId: string): string {
    let key = this.#keys.get(storeId);
    if (key === undefined) {
      key = hash('sha256', storeId).slice(0, 32);
      this.#keys.set(storeId, key);
    }
    return key;
  }

  protected async write(): Promise<void> {
    this.#writtenMs = this.clock.now();
    for (const [store, rows] of this.leaving) {
      const all = [...rows];
      for (let from = 0; from < all.length; from += WRITTEN_TOGETHER) {
        const some = all.slice(from, from + WRITTEN_TOGETHER);
        const hasWritten = await this.cache.write((database) => {
          for (let at = 0; at < some.length; at += TOGETHER)
            this.#keep(database, store, some.slice(at, at + TOGETHER));
          return true;
        });
        this.hasWritten ||= hasWritten === true;
      }
    }
  }

  #keep(database: Database, store: string, rows: readonly NamedRow[]): void {
    const nowMs = this.clock.now();
    // One reading with hashes and nothing else.
    const areAlike = rows.every(([, row]) => row.record.endsWith('"},0]') && row.readMs <= nowMs);
    if (areAlike && putRows(database, store, rows, RENEWING) === rows.length) return;
    const names = rows.map(([name]) => name);
    const known = findRows(database, store, names);
    const kept = rows.map(([name, row], at): NamedRow => {
      const before = known[at];
      if (before === undefined) return [name, row];
      const record = recordOfRow(name, row);
      const latest = this.#latest([recordOfRow(name, before), record]);
      return [name, latest === undefined || latest === record ? row : rowOf(latest)];
    });
    putRows(database, store, kept);
  }

  /** Forgets files whose content was not read for three years, which may be gone: once a month, and if all takes too much. */
  protected async tidy(): Promise<void> {
    const { maxBytes = 4 * 1024 ** 3 } = this.options;
    const nowMs = this.clock.now();
    const dayMs = 24 * 3_600_000;
    const isFull = this.cache.read((database) => database.bytes > maxBytes) ?? false;
    const task = 'hashes';
    const lastMs =
      this.cache.read((database) => {
        const row = database.get('SELECT done_ms FROM upkeep WHERE task = ?', task);
        return Number(row?.['done_ms'] ?? 0);
      }) ?? nowMs;
    if (!isFull && Math.abs(nowMs - lastMs) < 30 * dayMs) return;
    const times = await this.#deleteBefore(nowMs - 3 * 366 * dayMs);
    if (isFull) {
      times.sort((a, b) => a - b);
      await this.#deleteBefore(times[Math.ceil(times.length * 0.15)] ?? nowMs);
    }
    const note = 'INSERT OR REPLACE INTO upkeep VALUES (?, ?)';
    await this.cache.write((database) => database.run(note, task, nowMs));
    await this.cache.shrink();
  }

  /** Deletes what was read before `ms`, page by page. Returns the time of one reading of each page. */
  async #deleteBefore(ms: number): Promise<number[]> {
    const times: number[] = [];
    // In steps through the primary key: the last page is shorter.
    const ends = `SELECT store, name, read_ms FROM (SELECT store, name, read_ms FROM hashes
      WHERE (store, name) > (?, ?) ORDER BY store, name LIMIT 4096)
      ORDER BY store DESC, name DESC LIMIT 1`;
    const deletes =
      'DELETE FROM hashes WHERE (store, name) > (?, ?) AND (store, name) <= (?, ?) AND read_ms < ?';
    let after: readonly [Value, Value] = ['', new Uint8Array(0)];
    for (;;) {
      const from = after;
      const last = await this.cache.write((database) => {
        const row = database.get(ends, ...from);
        if (row === undefined) return undefined;
        const to = [row['store'] ?? null, row['name'] ?? null] as const;
        database.run(deletes, ...from, ...to, ms);
        return { to, readMs: Number(row['read_ms']) };
      });
      if (last === undefined) return times;
      times.push(last.readMs);
      after = last.to;
    }
  }
}

/** A query for the rows of `count` names, with the numbers of these. */
function selectOf(count: number): string {
  const asked = Array.from({ length: count }, (_, at) => `(${at}, ?${at + 2})`).join();
  return `
  WITH asked (at, name) AS (VALUES ${asked})
  SELECT at, read_ms, run_id, record, sum FROM asked CROSS JOIN hashes USING (name) WHERE store = ?1`;
}

const [SELECT, SELECT_MANY] = [selectOf(1), selectOf(TOGETHER)];

/** What is known of files; `undefined` also for damaged rows. */
function findRows(
  database: Database,
  store: string,
  names: readonly string[],
): (HashRow | undefined)[] {
  const all: (HashRow | undefined)[] = names.map(() => undefined);
  for (let from = 0; from < names.length; ) {
    const count = names.length - from < TOGETHER ? 1 : TOGETHER;
    const keys = names.slice(from, from + count).map(nameToBytes);
    for (const row of database.lists(count === 1 ? SELECT : SELECT_MANY, store, ...keys)) {
      const [at, readMs, runId, record, sum] = row as [number, number, string, string, number];
      const found = { readMs, runId, record };
      if (sumOf(found) === sum) all[from + at] = found;
    }
    from += count;
  }
  return all;
}

/** The size, time and tag of the file in a record: its version. */
const VERSION = [0, 1, 3];

/** For single readings: they replace older ones with the same record or of another version of the file, and no others. */
const RENEWING = `
  ON CONFLICT DO UPDATE
  SET read_ms = excluded.read_ms, run_id = excluded.run_id, record = excluded.record, sum = excluded.sum
  WHERE read_ms <= excluded.read_ms AND (record = excluded.record OR CASE json_valid(record) WHEN 0 THEN 1 ELSE
    (${VERSION.map((at) => `record ->> ${at}`)}) IS NOT (${VERSION.map((at) => `excluded.record ->> ${at}`)}) END)`;

/** Writes at most `TOGETHER` rows, which replace those of their names if `renewing` says nothing else. Returns how many. */
function putRows(
  database: Database,
  store: string,
  rows: readonly NamedRow[],
  renewing?: string,
): number {
  const values: Value[] = [];
  for (const [name, row] of rows)
    values.push(store, nameToBytes(name), row.readMs, row.runId, row.record, sumOf(row));
  const places = Array(rows.length).fill('(?, ?, ?, ?, ?, ?)').join();
  const insert = renewing === undefined ? 'INSERT OR REPLACE' : 'INSERT';
  return database.run(`${insert} INTO hashes VALUES ${places} ${renewing ?? ''}`, ...values);
}

/** Without the name: a record fits only the version of a file that it is about. */
const sumOf = ({ readMs, runId, record }: HashRow): number => crc32(`${readMs} ${runId} ${record}`);

/** What a row has of a record, as JSON. Times are text: they have more digits than numbers. */
type Stored = readonly [
  size: number,
  modTime: string,
  changedAt: string,
  tag: string,
  hashes: Hashes,
  flags: number,
];

/** The row of a record. */
export function rowOf(record: HashRecord): HashRow {
  const { size, modTime, changedAt, tag, runId, hashes, readMs } = record;
  const flags =
    (record.isUnread ? 1 : 0) | (record.isAccepted ? 2 : 0) | (record.isDoubted ? 4 : 0);
  const stored: Stored = [size, String(modTime), String(changedAt), tag, hashes, flags];
  return { readMs, runId, record: JSON.stringify(stored) };
}

/** The record of a row. */
export function recordOfRow(name: string, { readMs, runId, record }: HashRow): HashRecord {
  const [size, modTime, changedAt, tag, hashes, flags] = JSON.parse(record) as Stored;
  const version = { size, modTime: BigInt(modTime), changedAt: BigInt(changedAt), tag };
  const plain = { ...version, name, hashes, readMs, runId };
  if (flags === 0) return plain;
  return {
    ...plain,
    ...((flags & 1) === 0 ? {} : { isUnread: true }),
    ...((flags & 2) === 0 ? {} : { isAccepted: true }),
    ...((flags & 4) === 0 ? {} : { isDoubted: true }),
  };
}

/** How a run uses the cache. */
export interface CacheUse {
  readonly cache: HashCache;
  readonly runId: string;
  /** Cached hashes stand for a reading of the file (`--use-hash-cache`); otherwise the cache only learns. */
  readonly believes: boolean;
}

/** Adds the cache of hashes of a run to its remotes; opened when the first hash is known. */
export function openHashCache(options: CacheOptions, how: Omit<CacheUse, 'cache'>) {
  const cache = new HashCache(options);
  return {
    async observe(remote: Remote) {
      const observer = hashObserver(remote, { ...how, cache });
      if (observer !== undefined && how.believes) await cache.opened();
      return observer;
    },
    /** Writes what was learned, after the remotes are closed. */
    close: () => cache.close(),
  };
}

/** Where the cache keeps the files of a remote; `undefined` if it cannot identify them. */
export function cacheStoreOf({ storeId, traits }: Remote): string | undefined {
  return storeId ?? (traits.onDisk && traits.inProcess !== true ? DISK_STORE : undefined);
}

/** The path of a file below the root of its server or disk; on a disk whatever symbolic links lead to the remote. */
export function cachePath(remote: Remote, path: string): string {
  if (!remote.traits.onDisk) return wholePath(remote.root, path);
  let real = realRoots.get(remote);
  if (real === undefined) {
    real = realPath(remote.root);
    realRoots.set(remote, real);
  }
  return wholePath(real, path);
}

const realRoots = new WeakMap<Remote, string>();

/**
 * The version of a listed file as it is now, or was when it was read; `undefined` if it has changed, or nothing
 * distinguishes it from others.
 */
export function currentVersion(
  { can }: Remote,
  file: FileEntry,
  when?: 'now' | 'read',
): ContentVersion | undefined {
  const { size, modTime, contentTag, etag } = file;
  if (can.stamp === undefined) {
    const tag = contentTag ?? etag ?? '';
    return tag === '' ? undefined : { size, modTime: 0n, tag, changedAt: 0n };
  }
  const stamp = can.stamp(file, when);
  if (stamp === undefined) return undefined;
  const { tag, changedAt } = stamp;
  if (changedAt === undefined) return { size, modTime: 0n, tag, changedAt: 0n };
  return modTime === undefined ? undefined : { size, modTime, tag, changedAt };
}

/** Recorded hashes of a version of a file. */
interface KnownHashes {
  readonly hashes: Hashes;
  /** They may stand for a reading. */
  readonly isBelieved: boolean;
}

/** Records the hashes of a remote's files; `undefined` if the cache has no place for them. */
export function hashObserver(
  remote: Remote,
  { cache, runId, believes }: CacheUse,
): Observer | undefined {
  const storeId = cacheStoreOf(remote);
  if (storeId === undefined) return undefined;
  const { can, traits } = remote;
  /** What the names of its files begin with in the cache. */
  const prefix = cachePath(remote, 'x').slice(0, -1);
  const hashed = (file: FileEntry, hashes: Hashes, sinceMs: number) => {
    const version = currentVersion(remote, file, 'read');
    if (version === undefined || Object.keys(hashes).length === 0) return;
    const { size, modTime, tag, changedAt } = version;
    const name = prefix + file.path;
    cache.learn(storeId, { name, size, modTime, tag, changedAt, hashes, readMs: sinceMs, runId });
  };
  /** What the cache has of files, if it may be used. */
  const recorded = (files: readonly FileEntry[]): readonly (HashRecord | undefined)[] =>
    believes
      ? cache.findAll(
          storeId,
          files.map(({ path }) => prefix + path),
        )
      : [];
  /** What the cache has of the file as it is, if it may be used. */
  const knownBy = (file: FileEntry, record: HashRecord | undefined): KnownHashes | undefined => {
    const version = record && currentVersion(remote, file);
    if (!(version && isSameVersion(record, version))) return undefined;
    return { hashes: record.hashes, isBelieved: isBelieved(record, version) };
  };
  /** Hashes from the cache, or computed with one that the cache has, too. */
  const hashesOf = async (
    file: FileEntry,
    names: readonly HashName[],
    op: Op,
    compute: (also: HashName | undefined) => Promise<Hashes>,
  ): Promise<Hashes> => {
    const known = knownBy(file, recorded([file])[0]);
    if (hasAll(known, names)) return taken(file, known, op);
    const sinceMs = cache.clock.now();
    const found = await compute(shared(known, names, traits.hashes));
    hashed(file, found, sinceMs);
    return found;
  };
  const hashing: HashOverrides = {
    hash: (hash) => async (file, name, op) => {
      const found = await hashesOf(file, [name], op, async (also) =>
        also === undefined || can.hashes === undefined
          ? withValue(name, await hash(file, name, op))
          : can.hashes(file, [name, also], op),
      );
      return found[name];
    },
    hashes: (hashes) => (file, names, op) =>
      hashesOf(file, names, op, (also) =>
        hashes(file, also === undefined ? names : [...names, also], op),
      ),
    // What is to be computed together with a recorded hash is left to `hash`.
    hashMany: (hashMany) => async (files, name, op) => {
      const all = files.map((): string | undefined => undefined);
      const unknown: number[] = [];
      const records = recorded(files);
      for (let at = 0; at < files.length; at++) {
        const file = files[at] as FileEntry;
        const known = knownBy(file, records[at]);
        if (hasAll(known, [name])) all[at] = taken(file, known, op)[name];
        else if (shared(known, [name], traits.hashes) === undefined) unknown.push(at);
      }
      const sinceMs = cache.clock.now();
      const asked = unknown.map((at) => files[at] as FileEntry);
      const found = await hashMany(asked, name, op);
      for (let at = 0; at < asked.length; at++) {
        const value = found[at];
        if (value === undefined) continue;
        hashed(asked[at] as FileEntry, withValue(name, value), sinceMs);
        all[unknown[at] as number] = value;
      }
      return all;
    },
  };
  return {
    writes: ['write'],
    // Elsewhere a hash comes from the server, and the content is not read.
    overrides: traits.slowHash ? hashing : {},
    wrote(file, { sinceMs }) {
      if (file.hashes !== undefined && file.isRewritten !== true)
        hashed(file, file.hashes, sinceMs);
    },
    hashed,
  };
}

function withValue(name: HashName, value: string | undefined): Hashes {
  return value === undefined ? {} : { [name]: value };
}

function hasAll(known: KnownHashes | undefined, names: readonly HashName[]): known is KnownHashes {
  return known?.isBelieved === true && names.every((name) => known.hashes[name] !== undefined);
}

/** Hashes from the cache, for which nothing is read. */
function taken({ size }: FileEntry, { hashes }: KnownHashes, op: Op): Hashes {
  op.onHashed?.(Math.max(0, size));
  return hashes;
}

/** A recorded hash to compute besides, if none is anyway: what is found comes into the same record then. */
function shared(
  known: KnownHashes | undefined,
  names: readonly HashName[],
  possible: readonly HashName[],
): HashName | undefined {
  if (known === undefined || names.some((name) => known.hashes[name] !== undefined))
    return undefined;
  return possible.find((name) => known.hashes[name] !== undefined);
}
