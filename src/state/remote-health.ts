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

/** For this long a remote is not asked again in the background, in milliseconds. */
const FRESH_MS = 10 * 60_000;

/** Whether a remote need not be asked again for a while; `changedMs`: when the configuration was changed. */
export function isFresh(
  health: RemoteHealth | undefined,
  nowMs: number,
  changedMs = Number.NEGATIVE_INFINITY,
): boolean {
  if (health === undefined || health.askedMs <= changedMs) return false;
  return Math.abs(nowMs - health.askedMs) < FRESH_MS;
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
