import { nameFromBytes, nameToBytes } from '../core/name-bytes.ts';
import type { Database } from './database.ts';

/** Pins a place, or unpins it; `path` as commands take it. */
export function putPin(database: Database, path: string, isPinned: boolean, nowMs: number): void {
  const bytes = nameToBytes(path);
  if (isPinned) database.run('REPLACE INTO pins VALUES (?, ?)', bytes, nowMs);
  else database.run('DELETE FROM pins WHERE path = ?', bytes);
}

/** The paths of the pinned places, the first one that was pinned first. */
export function allPins(database: Database): readonly string[] {
  const rows = database.all('SELECT path FROM pins ORDER BY pinned_ms, path');
  return rows.map(({ path }) => nameFromBytes(path as Uint8Array));
}
