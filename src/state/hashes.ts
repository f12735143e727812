import { crc32 } from 'node:zlib';
import { nameToBytes } from '../core/name-bytes.ts';
import type { Database, Value } from './database.ts';

/** A row of the table `hashes`, without its key. */
export interface HashRow {
  /** In milliseconds since the epoch. */
  readonly readMs: number;
  readonly runId: string;
  /** JSON. */
  readonly record: string;
}

/** A row and the name of its file. */
export type NamedRow = readonly [name: string, row: HashRow];

/** Rows that one statement reads or writes: in less than half the time of as many statements. */
export const TOGETHER = 32;

/** A query for the rows of `count` names, with the numbers of these. */
function selectOf(count: number): string {
  const asked = Array.from({ length: count }, (_, at) => `(${at}, ?${at + 2})`).join();
  return `
  WITH asked (at, name) AS (VALUES ${asked})
  SELECT at, read_ms, run_id, record, sum FROM asked CROSS JOIN hashes USING (name) WHERE store = ?1`;
}

const [SELECT, SELECT_MANY] = [selectOf(1), selectOf(TOGETHER)];
const PLACES = '(?, ?, ?, ?, ?, ?)';

/** The size, time and tag of the file in a record: its version. */
const VERSION = [0, 1, 3];
const RENEWING = `
  ON CONFLICT DO UPDATE
  SET read_ms = excluded.read_ms, run_id = excluded.run_id, record = excluded.record, sum = excluded.sum
  WHERE read_ms <= excluded.read_ms AND (record = excluded.record OR CASE json_valid(record) WHEN 0 THEN 1 ELSE
    (${VERSION.map((at) => `record ->> ${at}`)}) IS NOT (${VERSION.map((at) => `excluded.record ->> ${at}`)}) END)`;

/** A part of the table: rows behind one key, up to another. */
export interface HashPage {
  readonly after: readonly [store: string, name: Uint8Array];
  readonly to: readonly [store: string, name: Uint8Array];
  /** The time of one of its readings. */
  readonly readMs: number;
}

/** The table `hashes` of `cache.db`. */
export class HashesTable {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** What is known of files; `undefined` also for damaged rows. */
  findAll(store: string, names: readonly string[]): (HashRow | undefined)[] {
    const all: (HashRow | undefined)[] = names.map(() => undefined);
    for (let from = 0; from < names.length; ) {
      const count = names.length - from < TOGETHER ? 1 : TOGETHER;
      const keys = names.slice(from, from + count).map(nameToBytes);
      for (const row of this.#database.lists(count === 1 ? SELECT : SELECT_MANY, store, ...keys)) {
        const [at, readMs, runId, record, sum] = row as [number, number, string, string, number];
        const found = { readMs, runId, record };
        if (sumOf(found) === sum) all[from + at] = found;
      }
      from += count;
    }
    return all;
  }

  /**
   * Adds rows of single readings, and replaces older ones with the same record or of another version of the file; part
   * of a transaction. `false` if there are others, too: then at most `TOGETHER` at once say of which.
   */
  renew(store: string, rows: readonly NamedRow[]): boolean {
    const sql = `INSERT INTO hashes VALUES ${listOf(PLACES, rows.length)} ${RENEWING}`;
    return this.#database.run(sql, ...valuesOf(store, rows)) === rows.length;
  }

  /** Writes rows, which replace those of their names, at most `TOGETHER` at once; part of a transaction. */
  replace(store: string, rows: readonly NamedRow[]): void {
    const sql = `INSERT OR REPLACE INTO hashes VALUES ${listOf(PLACES, rows.length)}`;
    this.#database.run(sql, ...valuesOf(store, rows));
  }

  /** The part of the table behind a page; `undefined` at its end. */
  pageAfter(page: HashPage | undefined): HashPage | undefined {
    const after = page?.to ?? (['', new Uint8Array(0)] as const);
    // In steps through the primary key: the last page is shorter.
    const sql = `SELECT store, name, read_ms FROM (SELECT store, name, read_ms FROM hashes
      WHERE (store, name) > (?, ?) ORDER BY store, name LIMIT 4096)
      ORDER BY store DESC, name DESC LIMIT 1`;
    const last = this.#database.get(sql, ...after);
    if (last === undefined) return undefined;
    const to = [String(last['store']), last['name'] as Uint8Array] as const;
    return { after, to, readMs: Number(last['read_ms']) };
  }

  /** Deletes rows of a page that were read before `ms`; part of a transaction. */
  deleteBefore(ms: number, { after, to }: HashPage): void {
    const sql =
      'DELETE FROM hashes WHERE (store, name) > (?, ?) AND (store, name) <= (?, ?) AND read_ms < ?';
    this.#database.run(sql, ...after, ...to, ms);
  }
}

function listOf(one: string, count: number): string {
  return count === 1 ? one : Array(count).fill(one).join();
}

function valuesOf(store: string, rows: readonly NamedRow[]): Value[] {
  const values: Value[] = [];
  for (const [name, row] of rows)
    values.push(store, nameToBytes(name), row.readMs, row.runId, row.record, sumOf(row));
  return values;
}

/** Without the name: a record fits only the version of a file that it is about. */
const sumOf = ({ readMs, runId, record }: HashRow): number => crc32(`${readMs} ${runId} ${record}`);
