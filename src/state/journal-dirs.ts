import { nameToBytes } from '../core/name-bytes.ts';
import { parentPath } from '../core/remote-path.ts';
import type { Database } from './database.ts';

/** A directory of which a run has changed something. */
export interface JournalDir {
  /** `disk`, or what identifies a server. */
  readonly store: string;
  /** Its path below the root of the disk or server. */
  readonly dir: string;
  /** Also what is below it: it was deleted or moved as a whole. */
  readonly isWhole: boolean;
}

/** The runs whose journals are in the table. */
export function indexedRuns(database: Database): ReadonlySet<string> {
  return new Set(database.all('SELECT run FROM indexed_runs').map(({ run }) => String(run)));
}

/** Adds some directories that a run has changed; part of a transaction. */
export function addChangedDirs(database: Database, run: string, dirs: readonly JournalDir[]): void {
  const sql = `INSERT INTO changed_dirs (store, dir, run, is_whole) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET is_whole = max(is_whole, excluded.is_whole)`;
  for (const { store, dir, isWhole } of dirs) {
    database.run(sql, store, nameToBytes(dir), run, Number(isWhole));
  }
}

/** Says that all directories of a run are in the table; part of a transaction. */
export function setIndexed(database: Database, run: string): void {
  database.run('INSERT OR IGNORE INTO indexed_runs (run) VALUES (?)', run);
}

/** Forgets runs; part of a transaction. */
export function forgetIndexed(database: Database, runs: readonly string[]): void {
  for (const run of runs) {
    database.run('DELETE FROM indexed_runs WHERE run = ?', run);
    database.run('DELETE FROM changed_dirs WHERE run = ?', run);
  }
}

/** The runs that may have changed something at a path, below it, or with a directory above it. */
export function runsAt(database: Database, store: string, path: string): ReadonlySet<string> {
  const bytes = nameToBytes(path);
  // Right behind a slash comes the zero, and 255 is in no path.
  const [from, to] =
    path === '' ? [bytes, Buffer.from([255])] : [`${path}/`, `${path}0`].map(nameToBytes);
  const rows = database.all(
    `SELECT DISTINCT run FROM changed_dirs
      WHERE store = ? AND (dir = ? OR dir = ? OR dir >= ? AND dir < ?)`,
    store,
    bytes,
    nameToBytes(parentPath(path)),
    from ?? bytes,
    to ?? bytes,
  );
  const found = new Set(rows.map(({ run }) => String(run)));
  const whole = 'SELECT run FROM changed_dirs WHERE store = ? AND dir = ? AND is_whole';
  for (let dir = path; dir !== ''; ) {
    dir = parentPath(dir);
    for (const { run } of database.all(whole, store, nameToBytes(dir))) found.add(String(run));
  }
  return found;
}
