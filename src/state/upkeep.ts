import type { Database } from './database.ts';

/** The time of the last upkeep of a kind, in milliseconds since the epoch; 0 for never. */
export function lastUpkeep(database: Database, task: string): number {
  const row = database.get('SELECT done_ms FROM upkeep WHERE task = ?', task);
  return Number(row?.['done_ms'] ?? 0);
}

/** Notes an upkeep; part of a transaction. */
export function noteUpkeep(database: Database, task: string, nowMs: number): void {
  database.run('INSERT OR REPLACE INTO upkeep VALUES (?, ?)', task, nowMs);
}
