import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';

/** What a statement gives from `state.db` in a state directory; nothing if there is none, or none with tables yet. */
export function stateRows(
  dir: string,
  sql: string,
  ...values: SQLInputValue[]
): Record<string, unknown>[] {
  const path = join(dir, 'state.db');
  if (!existsSync(path)) return [];
  const database = new DatabaseSync(path, { timeout: 60_000 });
  try {
    if (database.prepare('PRAGMA user_version').get()?.['user_version'] === 0) return [];
    return database.prepare(sql).all(...values);
  } finally {
    database.close();
  }
}

/** The notes of failed proofs. */
export const proofNotes = (dir: string) =>
  stateRows(dir, "SELECT * FROM notes WHERE kind = 'failed-proof'");

/** Deletes a database with its log of changes, from which SQLite would restore it. */
export function deleteDatabase(path: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
}

/** Replaces a database by what is none. */
export function damageDatabase(path: string): void {
  deleteDatabase(path);
  writeFileSync(path, 'no database'.repeat(1000));
}
