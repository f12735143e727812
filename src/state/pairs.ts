import { crc32 } from 'node:zlib';
import { SyncerError } from '../core/errors.ts';
import { nameFromBytes, nameToBytes } from '../core/name-bytes.ts';
import type { Database, TableRow, Value } from './database.ts';

/** The process whose run has a pair. */
export interface PairOwner {
  readonly mark: string;
  readonly machine: string;
  readonly boot: string;
  /** Its last sign of life. */
  readonly seenMs: number;
}

/** The end of the last run of a pair. */
export interface PairEnd {
  /** `undefined`: what both sides had is not known, since the state was restored. */
  readonly roots: readonly [string, string] | undefined;
  readonly endedMs: number;
  /** As JSON; absent if nothing was deleted. */
  readonly deleted: string | undefined;
}

/** What both sides agreed on about the files of a directory, or about some of them that follow each other. */
export interface AgreedPage {
  readonly dir: string;
  /** No file of the page is before this name; empty for the first page of a directory. */
  readonly first: string;
  /** How many files it has; of a directory without files one page has none. */
  readonly files: number;
  /** Whether one of them has another path on the second side. */
  readonly hasOtherNames: boolean;
  readonly bytes: Uint8Array;
}

/** How many pages are read in one transaction: a few megabytes. */
const PAGES_AT_ONCE = 64;

/**
 * What `state.db` has about one pair of bisync.
 *
 * @param places as JSON; `mark`: of this process
 */
export function pairRows(database: Database, places: string, mark: string) {
  let own = -1;
  const pageIn = (row: TableRow): AgreedPage => {
    const bytes = row['page'] as Uint8Array;
    const dir = nameFromBytes(row['dir'] as Uint8Array);
    if (crc32(bytes) !== row['sum']) {
      const { path } = database;
      const text = `what both sides had in "${dir}" after the last run is damaged: ${path}`;
      throw new SyncerError('config', text, { path, advice: 'run bisync with --resync' });
    }
    return {
      dir,
      first: nameFromBytes(row['first'] as Uint8Array),
      files: Number(row['files']),
      hasOtherNames: row['other_names'] === 1,
      bytes,
    };
  };
  return {
    /** Takes the pair, if there is no owner or `isFree` says so of it; otherwise resolves to the owner. */
    take(
      { machine, boot, seenMs }: Omit<PairOwner, 'mark'>,
      isFree: (before: PairOwner) => boolean,
      signal: AbortSignal,
    ): Promise<PairOwner | undefined> {
      const select = `SELECT id, owner AS mark, machine, boot, seen_ms AS seenMs
      FROM pairs WHERE places = ?`;
      const update = 'UPDATE pairs SET owner = ?, machine = ?, boot = ?, seen_ms = ? WHERE id = ?';
      return database.write(() => {
        database.run('INSERT OR IGNORE INTO pairs (places) VALUES (?)', places);
        const { id = null, ...row } = database.get(select, places) ?? {};
        const before = row as unknown as PairOwner;
        if (row['mark'] !== null && !isFree(before)) return before;
        own = Number(id);
        database.run(update, mark, machine, boot, seenMs, id);
        return undefined;
      }, signal);
    },
    /** Notes a sign of life of the owner. */
    see(nowMs: number) {
      const sql = 'UPDATE pairs SET seen_ms = ? WHERE id = ? AND owner = ?';
      return database.write(() => database.run(sql, nowMs, own, mark));
    },
    /** A pair of which no run has ended is forgotten. */
    async release() {
      const isOwn = 'WHERE id = ? AND owner = ?';
      await database.write(() => {
        database.run(`DELETE FROM pairs ${isOwn} AND ended_ms IS NULL`, own, mark);
        database.run(`UPDATE pairs SET owner = NULL ${isOwn}`, own, mark);
      });
    },
    /** `undefined` if no run has ended. */
    async end(): Promise<PairEnd | undefined> {
      const sql = 'SELECT * FROM pairs WHERE id = ? AND ended_ms IS NOT NULL';
      const row = await database.read(() => database.get(sql, own));
      if (row === undefined) return undefined;
      let roots: PairEnd['roots'];
      try {
        roots = (JSON.parse(String(row['roots'])) as PairEnd['roots'] | null) ?? undefined;
      } catch {
        // As if the state were restored.
      }
      const deleted = row['deleted'] === null ? undefined : String(row['deleted']);
      return { roots, endedMs: Number(row['ended_ms']), deleted };
    },
    /** All pages. Rejects with `config` if one is not as it was written. */
    async pages() {
      const sql = `SELECT * FROM agreed WHERE pair = ? AND (dir, first) >= (?, ?)
      ORDER BY dir, first LIMIT ${PAGES_AT_ONCE}`;
      const pages: AgreedPage[] = [];
      let from: readonly [Value, Value] = [new Uint8Array(), new Uint8Array()];
      for (;;) {
        const rows = await database.read(() => database.all(sql, own, ...from));
        // The first one ended the rows before.
        for (const row of pages.length > 0 ? rows.slice(1) : rows) pages.push(pageIn(row));
        const last = rows.at(-1);
        if (last === undefined || rows.length < PAGES_AT_ONCE) return pages;
        from = [last['dir'] ?? null, last['first'] ?? null];
      }
    },
    /**
     * Notes the end of a run, with all pages that changed, at once. Resolves to `false`, and changes nothing, if another
     * process has taken the pair.
     *
     * @param gone `undefined`: all that there are
     */
    replace(
      { roots, endedMs, deleted }: PairEnd,
      gone: readonly AgreedPage[] | undefined,
      added: readonly AgreedPage[],
    ): Promise<boolean> {
      const end = [JSON.stringify(roots), endedMs, deleted ?? null] as const;
      const update =
        'UPDATE pairs SET roots = ?, ended_ms = ?, deleted = ? WHERE id = ? AND owner = ?';
      const work = () => {
        if (database.run(update, ...end, own, mark) === 0) return false;
        const one = 'DELETE FROM agreed WHERE pair = ?';
        if (gone === undefined) database.run(one, own);
        for (const { dir, first } of gone ?? []) {
          const key = [nameToBytes(dir), nameToBytes(first)];
          database.run(`${one} AND dir = ? AND first = ?`, own, ...key);
        }
        // Two names without bytes of their own may have the same: of one, nothing is known then.
        const insert = 'INSERT OR REPLACE INTO agreed VALUES (?, ?, ?, ?, ?, ?, ?)';
        for (const { dir, first, files, hasOtherNames, bytes } of added) {
          const key = [own, nameToBytes(dir), nameToBytes(first)];
          database.run(insert, ...key, files, Number(hasOtherNames), crc32(bytes), bytes);
        }
        return true;
      };
      return database.write(work, undefined, 'lasting');
    },
  };
}
