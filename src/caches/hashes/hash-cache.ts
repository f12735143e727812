import { hash } from 'node:crypto';
import type { Hashes } from '../../core/hash-names.ts';
import { LearningCache } from '../../state/cache-access.ts';
import {
  HashesTable,
  type HashPage,
  type HashRow,
  type NamedRow,
  TOGETHER,
} from '../../state/hashes.ts';
import { type HashRecord, laterRecord, latestRecord } from './hash-record.ts';

/** Records that wait for others, and those that are written in one transaction. */
const WRITTEN_TOGETHER = 4096;

/** The store of this machine's disks. */
export const DISK_STORE = 'disk';

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
    const rows = this.cache.read((database) => new HashesTable(database).findAll(store, paths));
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
        const hasWritten = await this.#change((table) => {
          for (let at = 0; at < some.length; at += TOGETHER)
            this.#keep(table, store, some.slice(at, at + TOGETHER));
          return true;
        });
        this.hasWritten ||= hasWritten === true;
      }
    }
  }

  #keep(table: HashesTable, store: string, rows: readonly NamedRow[]): void {
    const nowMs = this.clock.now();
    // One reading with hashes and nothing else.
    const areAlike = rows.every(([, row]) => row.record.endsWith('"},0]') && row.readMs <= nowMs);
    if (areAlike && table.renew(store, rows)) return;
    const names = rows.map(([name]) => name);
    const known = table.findAll(store, names);
    const kept = rows.map(([name, row], at) => {
      const before = known[at];
      if (before === undefined) return row;
      const record = recordOfRow(name, row);
      const latest = this.#latest([recordOfRow(name, before), record]);
      return latest === undefined || latest === record ? row : rowOf(latest);
    });
    table.replace(
      store,
      kept.map((row, at) => [names[at] ?? '', row]),
    );
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
    let page: HashPage | undefined;
    do {
      const last: HashPage | undefined = page;
      page = await this.#change((table) => {
        const next = table.pageAfter(last);
        if (next !== undefined) table.deleteBefore(ms, next);
        return next;
      });
      if (page !== undefined) times.push(page.readMs);
    } while (page !== undefined);
    return times;
  }

  #change<T>(work: (table: HashesTable) => T): Promise<T | undefined> {
    return this.cache.write((database) => work(new HashesTable(database)));
  }
}

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
