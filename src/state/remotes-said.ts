import type { Database } from './database.ts';

/** Keeps what a remote said, as JSON; forgets what it said before. */
export function putSaid(database: Database, name: string, said: object): void {
  database.run('REPLACE INTO remotes_said VALUES (?, ?)', name, JSON.stringify(said));
}

/** What the remotes said last, by name. */
export function allSaid(database: Database): ReadonlyMap<string, unknown> {
  const rows = database.all('SELECT name, said FROM remotes_said');
  return new Map(rows.map(({ name, said }) => [String(name), JSON.parse(String(said))]));
}
