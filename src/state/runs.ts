import { nameFromBytes, nameToBytes } from '../core/name-bytes.ts';
import type { Lineage } from '../core/place.ts';
import { ownerState } from '../system/owner-state.ts';
import type { Database, TableRow } from './database.ts';

interface AnyRun {
  /** See `newRunId`. */
  readonly id: string;
  /** The words after the program's name, without secrets. */
  readonly words: readonly string[];
  /** The working directory, for local paths among the words; `''` if it was deleted. */
  readonly dir: string;
}

/** A run that goes on, or was interrupted. */
export interface RunEntry extends AnyRun {
  /** Its process; see `ownMark`. */
  readonly mark: string;
  readonly pid: number;
  /** The name of the machine, for runs whose process cannot be looked at from here. */
  readonly host: string;
  /** When it began, in milliseconds since the epoch. */
  readonly startedMs: number;
  /** The name of the program if it is not syncer. */
  readonly program?: string;
  /** It is on the list of running runs. */
  readonly isListed?: true;
  /** Where it can be reached. */
  readonly socket?: string;
  /** The control socket of a hook server. */
  readonly control?: string;
  /** What it changes. */
  readonly places?: readonly Lineage[];
  /** It changes them alone, of the runs that ask for that (`--lock`). */
  readonly isLocked?: true;
}

export interface RunFigures {
  /** How long it took, in milliseconds. */
  readonly tookMs: number;
  readonly exit: number;
  readonly files: number;
  readonly bytes: number;
  readonly checks: number;
  readonly deleted: number;
  readonly errors: number;
  /** The most memory the process had, in bytes. */
  readonly peakMemory?: number;
  /** What interrupted uploads and downloads had left, and was continued, in bytes; absent if nothing. */
  readonly resumedBytes?: number;
  /** What servers copied themselves, in bytes; absent if nothing. */
  readonly copiedByServer?: number;
  /** How long requests waited because servers throttled, all together, in milliseconds; absent if not. */
  readonly throttledMs?: number;
  /** All changes of its journal; absent if none. */
  readonly changes?: number;
  /** Changes whose result is not known; absent if none. */
  readonly unknown?: number;
  /** Nothing was changed: a dry run, or a plan that was only shown or saved. */
  readonly isTrial?: true;
  /** The last error, where there was one. */
  readonly error?: string;
}

export interface PastRun extends AnyRun, RunFigures {
  /** In milliseconds since the epoch. */
  readonly endedMs: number;
}

/** The journal of a run, in numbers. */
export interface RunSum {
  /** By what was done, without changes that failed. */
  readonly changes: Readonly<Partial<Record<string, number>>>;
  /** Deleted and replaced files whose content is not kept anywhere. */
  readonly gone: number;
  /** The journal ends early: it could not be written. */
  readonly isCut?: true;
}

export interface KnownRun extends AnyRun {
  readonly startedMs: number;
  /** Its process; absent after its end. */
  readonly mark?: string;
  /** Absent while it goes on, and if it was interrupted. */
  readonly past?: PastRun;
  /** Absent if it changed nothing, and without an end. */
  readonly sum?: RunSum;
}

/** How many runs are kept, and how many more before the oldest are deleted: not at the end of each run. */
const MOST_RUNS = 1000;
const MOST_EXTRA = 50;

/** Enters a run, or adds to what is known of it. Nothing after its end. */
export function putRun(database: Database, entry: RunEntry): void {
  const { id, program, words, dir, startedMs, mark, pid, host } = entry;
  const { isListed, socket, control, places, isLocked } = entry;
  database.run(
    `INSERT INTO runs (id, program, words, dir, began_ms, mark, pid, host,
      is_listed, socket, control, places, is_locked)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET
      is_listed = max(is_listed, excluded.is_listed),
      socket = coalesce(excluded.socket, socket),
      control = coalesce(excluded.control, control),
      places = coalesce(excluded.places, places),
      is_locked = max(is_locked, excluded.is_locked)
    WHERE ended_ms IS NULL`,
    id,
    program ?? null,
    JSON.stringify(words),
    nameToBytes(dir),
    startedMs,
    mark,
    pid,
    host,
    Number(isListed ?? false),
    socket === undefined ? null : nameToBytes(socket),
    control === undefined ? null : nameToBytes(control),
    places === undefined ? null : JSON.stringify(places),
    Number(isLocked ?? false),
  );
}

/** Completes a run that has ended, and deletes the oldest ones that `isKept` does not name. */
export function endRun(
  database: Database,
  { id, words, dir, endedMs, ...result }: PastRun,
  { startedMs, sum }: Pick<KnownRun, 'startedMs' | 'sum'>,
  isKept: (id: string) => boolean,
): void {
  const sql = `REPLACE INTO runs (id, words, dir, began_ms, ended_ms, result, sum)
    VALUES (?, ?, ?, ?, ?, ?, ?)`;
  const head = [id, JSON.stringify(words), nameToBytes(dir), startedMs, endedMs];
  database.run(
    sql,
    ...head,
    JSON.stringify(result),
    sum === undefined ? null : JSON.stringify(sum),
  );
  const [count] = Object.values(database.get('SELECT count(*) FROM runs') ?? {});
  if (Number(count) <= MOST_RUNS + MOST_EXTRA) return;
  const old = database.all(
    'SELECT id, mark FROM runs ORDER BY number DESC LIMIT -1 OFFSET ?',
    MOST_RUNS,
  );
  for (const row of old) {
    const [each, mark] = [String(row['id']), row['mark']];
    const lives = mark !== null && ownerState(String(mark)) === 'alive';
    if (!lives && !isKept(each)) database.run('DELETE FROM runs WHERE id = ?', each);
  }
}

/** Counts more of what a run deleted or replaced as no longer kept. */
export function addGone(database: Database, id: string, files: number): void {
  const sum = `json_set(sum, '$.gone', json_extract(sum, '$.gone') + ?)`;
  database.run(`UPDATE runs SET sum = ${sum} WHERE id = ? AND sum IS NOT NULL`, files, id);
}

/** Deletes a run that has no end; with `isKept` only from the list of running runs. */
export function dropRun(database: Database, id: string, isKept = false): void {
  const where = 'WHERE id = ? AND ended_ms IS NULL';
  const unlist = `UPDATE runs SET is_listed = 0, socket = NULL, places = NULL, is_locked = 0 ${where}`;
  database.run(isKept ? unlist : `DELETE FROM runs ${where}`, id);
}

/** The runs of the list without an end, also of processes that are gone, in any order. */
export function listedRuns(database: Database): readonly RunEntry[] {
  return database.all('SELECT * FROM runs WHERE ended_ms IS NULL AND is_listed').map(entryOf);
}

/** Whether a run goes on in a process of this machine. */
export function goesOn(database: Database, id: string): boolean {
  const row = database.get('SELECT mark FROM runs WHERE id = ? AND ended_ms IS NULL', id);
  return row !== undefined && ownerState(String(row['mark'])) === 'alive';
}

/** The last runs that have ended, newest first. */
export function pastRuns(database: Database, limit: number): readonly PastRun[] {
  const sql = 'SELECT * FROM runs WHERE ended_ms IS NOT NULL ORDER BY number DESC LIMIT ?';
  return readable(database.all(sql, limit), (row) => pastOf(row) ?? []);
}

/** All runs, newest first; none whose row is damaged. */
export function knownRuns(database: Database): readonly KnownRun[] {
  const rows = database.all('SELECT * FROM runs ORDER BY number DESC');
  return readable(rows, (row): KnownRun => {
    const past = pastOf(row);
    return {
      ...anyRun(row),
      startedMs: Number(row['began_ms']),
      ...(row['mark'] === null ? {} : { mark: String(row['mark']) }),
      ...(past && { past }),
      ...(row['sum'] === null ? {} : { sum: JSON.parse(String(row['sum'])) as RunSum }),
    };
  });
}

function readable<T>(rows: readonly TableRow[], read: (row: TableRow) => T | readonly T[]): T[] {
  return rows.flatMap((row) => {
    try {
      return read(row);
    } catch {
      return [];
    }
  });
}

function anyRun(row: TableRow): AnyRun {
  const words = JSON.parse(String(row['words'])) as readonly string[];
  return { id: String(row['id']), words, dir: pathOf(row['dir']) ?? '' };
}

function pastOf(row: TableRow): PastRun | undefined {
  if (row['ended_ms'] === null) return undefined;
  const result = JSON.parse(String(row['result'])) as RunFigures;
  return { ...anyRun(row), ...result, endedMs: Number(row['ended_ms']) };
}

/** The entry in a row. */
export function entryOf(row: TableRow): RunEntry {
  const { program, places } = row;
  const [socket, control] = [pathOf(row['socket']), pathOf(row['control'])];
  return {
    ...anyRun(row),
    startedMs: Number(row['began_ms']),
    mark: String(row['mark']),
    pid: Number(row['pid']),
    host: String(row['host']),
    ...(typeof program === 'string' && { program }),
    ...(row['is_listed'] === 1 && { isListed: true }),
    ...(socket !== undefined && { socket }),
    ...(control !== undefined && { control }),
    ...(typeof places === 'string' && { places: JSON.parse(places) as readonly Lineage[] }),
    ...(row['is_locked'] === 1 && { isLocked: true }),
  };
}

function pathOf(value: TableRow[string] | undefined): string | undefined {
  return value instanceof Uint8Array ? nameFromBytes(value) : undefined;
}
