import { crc32 } from 'node:zlib';
import type { Database, TableRow } from './database.ts';

/** Records of one directory, which were written together. */
export interface TimePage {
  /** The name of its first record; see `sortedBytes`. */
  readonly first: Buffer;
  /** Identifies its content. */
  readonly sum: number;
  /** Empty if they are damaged. */
  readonly records: Buffer;
  readonly isDamaged: boolean;
}

export type NewPage = Pick<TimePage, 'first' | 'records'>;

/** What a row takes besides the records, about, in bytes. */
const ROW_BYTES = 128;

const PAGES = 'SELECT first, sum, records FROM times WHERE directory = ? AND';

/** The tables `times` and `time_directories` of `cache.db`. */
export class TimesTable {
  readonly #database: Database;
  readonly #day: number;

  /** @param nowMs in milliseconds since the epoch */
  constructor(database: Database, nowMs: number) {
    this.#database = database;
    this.#day = Math.floor(nowMs / (24 * 3_600_000));
  }

  /** The page behind the one that begins with `first`; without it the first page. */
  pageAfter(directory: Buffer, first: Buffer = Buffer.alloc(0)): TimePage | undefined {
    const sql = `${PAGES} first > ? ORDER BY first LIMIT 1`;
    return pageOf(directory, this.#database.get(sql, directory, first));
  }

  /** The last page that begins at `name` or before. */
  pageAt(directory: Buffer, name: Buffer): TimePage | undefined {
    const sql = `${PAGES} first <= ? ORDER BY first DESC LIMIT 1`;
    return pageOf(directory, this.#database.get(sql, directory, name));
  }

  /** The first name of the page behind. */
  firstAfter(directory: Buffer, first: Buffer): Buffer | undefined {
    const sql = 'SELECT first FROM times WHERE directory = ? AND first > ? ORDER BY first LIMIT 1';
    const row = this.#database.get(sql, directory, first);
    return row && bufferOf(row['first']);
  }

  /** Writes pages of a directory, which replace one; part of a transaction. */
  replace(directory: Buffer, old: TimePage | undefined, pages: readonly NewPage[]): void {
    const database = this.#database;
    let bytes = 0;
    if (old !== undefined) {
      // The records may be damaged, and have another length than once.
      bytes -= ROW_BYTES + old.records.length;
      database.run('DELETE FROM times WHERE directory = ? AND first = ?', directory, old.first);
    }
    for (const { first, records } of pages) {
      bytes += ROW_BYTES + records.length;
      const sum = sumOf(directory, records);
      database.run('INSERT INTO times VALUES (?, ?, ?, ?)', directory, first, sum, records);
    }
    database.run(
      `INSERT INTO time_directories VALUES (?, ?, ?) ON CONFLICT DO UPDATE
       SET used_day = excluded.used_day, bytes = max(0, bytes + excluded.bytes)`,
      directory,
      this.#day,
      bytes,
    );
    if (pages.length === 0 && this.pageAfter(directory) === undefined) this.#delete(directory);
  }

  /** Whether it is to be marked as used today. */
  isUnmarked(directory: Buffer): boolean {
    const sql = 'SELECT used_day FROM time_directories WHERE id = ?';
    const day = this.#database.get(sql, directory)?.['used_day'];
    return day !== undefined && day !== this.#day;
  }

  markUsed(directory: Buffer): void {
    const sql = 'UPDATE time_directories SET used_day = ? WHERE id = ?';
    this.#database.run(sql, this.#day, directory);
  }

  /** What all pages take, about, in bytes. */
  get bytes(): number {
    const row = this.#database.get('SELECT SUM(bytes) AS bytes FROM time_directories');
    return Number(row?.['bytes'] ?? 0);
  }

  /** Deletes some of the directories that were not used for longest, of at least `bytes` if there are; part of a transaction. */
  deleteOldest(bytes: number): number {
    const sql = 'SELECT id, bytes FROM time_directories ORDER BY used_day LIMIT 256';
    let deleted = 0;
    for (const row of this.#database.all(sql)) {
      if (deleted >= bytes) break;
      this.#delete(bufferOf(row['id']));
      deleted += Number(row['bytes']);
    }
    return deleted;
  }

  #delete(directory: Buffer): void {
    this.#database.run('DELETE FROM times WHERE directory = ?', directory);
    this.#database.run('DELETE FROM time_directories WHERE id = ?', directory);
  }
}

function pageOf(directory: Buffer, row: TableRow | undefined): TimePage | undefined {
  if (row === undefined) return undefined;
  const sum = Number(row['sum']);
  const read = bufferOf(row['records']);
  const isDamaged = read.length === 0 || sumOf(directory, read) !== sum;
  const records = isDamaged ? Buffer.alloc(0) : read;
  return { first: bufferOf(row['first']), sum, records, isDamaged };
}

const sumOf = (directory: Buffer, records: Buffer): number => crc32(records, crc32(directory));

function bufferOf(value: unknown): Buffer {
  const { buffer, byteOffset, length } = value as Uint8Array<ArrayBuffer>;
  return Buffer.from(buffer, byteOffset, length);
}
