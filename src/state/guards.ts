import { nameToBytes } from '../core/name-bytes.ts';
import type { Database } from './database.ts';

/**
 * What is known of two places, named by `placeKey`: how many good runs are remembered, whether all of them went the other
 * way, and the file system of the source in the last one from it.
 */
export function knownPair(state: Database, source: string, dest: string) {
  const { a, b, side } = sides(source, dest);
  const sql = 'SELECT sources, device_a AS a, device_b AS b FROM guard_pairs WHERE a = ? AND b = ?';
  const row = state.get(sql, a, b);
  const sources = String(row?.['sources'] ?? '');
  const device = row?.[side] ?? undefined;
  return {
    runs: sources.length,
    isTurned: sources.length > 0 && !sources.includes(side),
    device: device === undefined ? undefined : String(device),
  };
}

/** Adds a good run: the last three decide what is source and what is destination. `device` is that of the source, `undefined` if it has none. */
export function addGoodRun(
  state: Database,
  source: string,
  dest: string,
  device: string | undefined,
): void {
  const { a, b, side } = sides(source, dest);
  const sql = `INSERT INTO guard_pairs (a, b, sources, device_${side}) VALUES (?, ?, ?, ?)
    ON CONFLICT (a, b) DO UPDATE SET
      sources = substr(excluded.sources || sources, 1, 3),
      device_${side} = coalesce(excluded.device_${side}, device_${side})`;
  state.run(sql, a, b, side, device ?? null);
}

/** The remembered value of a marker; `undefined` if there is none. */
export function knownMarker(state: Database, place: string): string | undefined {
  const sql = 'SELECT value FROM guard_markers WHERE place = ?';
  const value = state.get(sql, nameToBytes(place))?.['value'];
  return value === undefined ? undefined : String(value);
}

/** Remembers the value of a marker; `isFirst`: only if none is known. */
export function putMarker(state: Database, place: string, value: string, isFirst: boolean): void {
  const end = isFirst ? 'NOTHING' : 'UPDATE SET value = excluded.value';
  const sql = `INSERT INTO guard_markers VALUES (?, ?) ON CONFLICT (place) DO ${end}`;
  state.run(sql, nameToBytes(place), value);
}

/** The places in the order of the table, and which one is the source. */
function sides(source: string, dest: string) {
  const [from, to] = [nameToBytes(source), nameToBytes(dest)];
  return from.compare(to) <= 0
    ? ({ a: from, b: to, side: 'a' } as const)
    : ({ a: to, b: from, side: 'b' } as const);
}
