import { nameFromBytes, nameToBytes } from '../core/name-bytes.ts';
import type { Database } from './database.ts';

/** What a remote said when it was last asked. */
export interface RemoteHealth {
  /** What the name stood for: the type and place. */
  readonly of?: string;
  /** When, in milliseconds since the epoch. */
  readonly askedMs: number;
  /** Why it did not work; absent where it did. */
  readonly problem?: string;
  /** It could not be reached: perhaps this machine is offline. */
  readonly isOffline?: boolean;
  /** In bytes, where the remote knows them. */
  readonly used?: number;
  readonly free?: number;
  readonly total?: number;
  /** When these were asked for, if that is longer ago. */
  readonly measuredMs?: number;
}

/** Whether a remote need not be asked again in the background: for ten minutes. `changedMs`: when the configuration was changed. */
export function isFresh(
  health: RemoteHealth | undefined,
  nowMs: number,
  changedMs = Number.NEGATIVE_INFINITY,
): boolean {
  if (health === undefined || health.askedMs <= changedMs) return false;
  return Math.abs(nowMs - health.askedMs) < 10 * 60_000;
}

/** What is known of a remote after another answer: where it cannot be reached, its space as it was. */
export function afterAnswer(known: RemoteHealth | undefined, answer: RemoteHealth): RemoteHealth {
  if (answer.isOffline !== true || known?.used === undefined) return answer;
  return { measuredMs: known.askedMs, ...known, ...answer };
}

/** Keeps what a remote said, as JSON; forgets what it said before. */
export function putSaid(database: Database, name: string, said: object): void {
  database.run('REPLACE INTO remotes_said VALUES (?, ?)', name, JSON.stringify(said));
}

/** What the remotes said last, by name. */
export function allSaid(database: Database): ReadonlyMap<string, unknown> {
  const rows = database.all('SELECT name, said FROM remotes_said');
  return new Map(rows.map(({ name, said }) => [String(name), JSON.parse(String(said))]));
}

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
