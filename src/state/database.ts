import fs from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { DamagedDatabase, hasCode, SyncerError } from '../core/errors.ts';
import { makeFolderSync } from '../system/make-folder.ts';
import { hadState } from './lost-state.ts';

/** A row of a table, by the names of its columns. */
export type TableRow = Readonly<Record<string, SQLOutputValue>>;

/** A value that a statement takes. */
export type Value = SQLInputValue;

export interface Schema {
  /** The file's name in its directory. */
  readonly file: string;
  /** What it holds, for messages: `the state of syncer`. */
  readonly title: string;
  /** Nothing waits for the disk, so a power cut may damage it, and not for long for other processes. */
  readonly mayBeLost?: true;
  /** The SQL that leads to version 1, 2 and so on, one for each. */
  readonly steps: readonly string[];
}

/** How long SQLite itself waits for another process, in milliseconds: this one does nothing else during that. */
const BUSY_MS = 50;

/** Settings for some writes, and those for all others. */
const HOW = {
  lasting: ['PRAGMA synchronous = FULL', 'PRAGMA synchronous = NORMAL'],
  later: ['PRAGMA busy_timeout = 0', `PRAGMA busy_timeout = ${BUSY_MS}`],
} as const;

/** File systems over a network by their numbers (statfs(2)): their processes share no memory, which WAL needs. */
const NETWORK: ReadonlySet<number> = new Set([
  0x6969, // NFS
  0xff534d42, // CIFS
  0xfe534d42, // SMB 2
  0x517b, // SMB
  0x65735546, // FUSE: sshfs and others
  0x01021997, // 9P
  0x00c36400, // Ceph
  0x5346414f, // AFS
  0x0bd00bd0, // Lustre
  0x47504653, // GPFS
]);

/**
 * A SQLite database that only the user can read. Several processes may use it at the same time. It is synchronous: a
 * transaction does one page of work, and waits for nothing.
 */
export class Database {
  readonly path: string;
  readonly #schema: Schema;
  readonly #onWait: () => void;
  readonly #inner: DatabaseSync;
  readonly #inode: number | undefined;
  #isWal = false;
  readonly #statements = new Map<string, StatementSync>();
  /** The end of the last transaction that waits. */
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Opens it, and creates it or brings it to the newest version where needed. Rejects with `config` if it is damaged
   * (`DamagedDatabase`), of a newer version, or cannot be used; with `locked` as `write` does.
   *
   * @param onWait called each time that another process is in the way for a second
   */
  static open(
    dir: string,
    schema: Schema,
    onWait: () => void,
    signal?: AbortSignal,
  ): Promise<Database> {
    return whenFree(() => new Database(dir, schema, onWait), schema, onWait, signal);
  }

  private constructor(dir: string, schema: Schema, onWait: () => void) {
    this.#onWait = onWait;
    this.path = join(dir, schema.file);
    this.#schema = schema;
    const { DatabaseSync: Sqlite } = process.getBuiltinModule('node:sqlite');
    try {
      makeFolderSync(dir, 0o700);
      // SQLite would wait for the other end of a pipe, and say of a directory only that it cannot open it.
      for (const end of ['', '-wal', '-shm']) requireFile(this.path + end);
      const size = fs.statSync(this.path, { throwIfNoEntry: false })?.size;
      // SQLite would delete its log of changes.
      if (!size) this.#requireNew(size === undefined ? 'gone' : 'empty');
      this.#inner = new Sqlite(this.path, { timeout: BUSY_MS });
      this.#inode = fs.statSync(this.path, { throwIfNoEntry: false })?.ino;
      this.#prepare(dir, !size);
    } catch (thrown) {
      this.close();
      throw this.#errorOf(thrown);
    }
  }

  /** The first row of a query. */
  get(sql: string, ...values: Value[]): TableRow | undefined {
    try {
      return this.#statement(sql).get(...values);
    } catch (thrown) {
      throw this.#errorOf(thrown);
    }
  }

  all(sql: string, ...values: Value[]): TableRow[] {
    try {
      return this.#statement(sql).all(...values);
    } catch (thrown) {
      throw this.#errorOf(thrown);
    }
  }

  /** As `all`, with each row as a list, in half the time; never `all` with the same text. */
  lists(sql: string, ...values: Value[]): SQLOutputValue[][] {
    try {
      const statement = this.#statement(sql);
      statement.setReturnArrays(true);
      return statement.all(...values) as unknown as SQLOutputValue[][];
    } catch (thrown) {
      throw this.#errorOf(thrown);
    }
  }

  /** Changes rows; gives their number. Outside of `write` it throws `locked` while another process writes. */
  run(sql: string, ...values: Value[]): number {
    try {
      return Number(this.#statement(sql).run(...values).changes);
    } catch (thrown) {
      throw this.#errorOf(thrown);
    }
  }

  /**
   * Does work in one transaction, all of it or nothing. Waits for other processes, and for earlier calls of this one;
   * rejects with `locked` after half a minute (a cache: 5 s), and with the signal's reason.
   *
   * @param work synchronous, and done again from its begin where another process was in the way
   * @param how `lasting`: neither a power cut undoes it nor the loss of the log of changes (`-wal`); `later`: no wait stops
   *   other work of this process
   */
  write<T>(work: (own: Database) => T, signal?: AbortSignal, how?: keyof typeof HOW): Promise<T> {
    const attempt = () => this.#transaction('BEGIN IMMEDIATE', work, how);
    const onWait = how === 'later' ? () => {} : this.#onWait;
    const end = this.#last.then(() => whenFree(attempt, this.#schema, onWait, signal));
    this.#last = end.catch(() => {});
    return end;
  }

  /** Does work that only reads, which sees one state of the database. Waits as `write` does. */
  read<T>(work: () => T, signal?: AbortSignal): Promise<T> {
    const begin = () => this.#transaction('BEGIN', work);
    return whenFree(begin, this.#schema, this.#onWait, signal);
  }

  /** As `write`, at once: throws `locked` if another process writes. */
  writeNow<T>(work: () => T): T {
    return this.#transaction('BEGIN IMMEDIATE', work);
  }

  /** Whether its file is still at its path, and no other one. */
  get isInPlace(): boolean {
    return fs.statSync(this.path, { throwIfNoEntry: false })?.ino === this.#inode;
  }

  /** Size of its rows and indexes, in bytes. */
  get bytes(): number {
    const pages = this.#pragma('page_count') - this.#pragma('freelist_count');
    return pages * this.#pragma('page_size');
  }

  /** Gives the disk back some of what deleted rows took: whether there is more. */
  shrink(): boolean {
    // 4 MiB.
    this.exec('PRAGMA incremental_vacuum(1024)');
    return this.#pragma('freelist_count') > 0;
  }

  /** What is wrong with the file; `undefined` if nothing. Reads all of it. */
  fault(): string | undefined {
    const [first] = Object.values(this.get('PRAGMA quick_check(1)') ?? {});
    if (first !== 'ok') return String(first);
    const { DatabaseSync: Sqlite } = process.getBuiltinModule('node:sqlite');
    const expected = new Sqlite(':memory:');
    for (const step of this.#schema.steps) expected.exec(step);
    const there = columnsOf(this.#inner);
    const missing = columnsOf(expected).find((each) => !there.includes(each));
    expected.close();
    return missing && `no ${missing}`;
  }

  /** Runs a statement of its own, such as `PRAGMA incremental_vacuum`. */
  exec(sql: string): void {
    try {
      this.#inner.exec(sql);
    } catch (thrown) {
      throw this.#errorOf(thrown);
    }
  }

  close(): void {
    this.#statements.clear();
    if (this.#inner?.isOpen) this.#inner.close();
  }

  /** @param isNew its file was missing or empty */
  #prepare(dir: string, isNew: boolean): void {
    const version = this.#pragma('user_version');
    const { steps, title, file } = this.#schema;
    if (version > steps.length) {
      const why = `${title} in ${this.path} was written by a newer syncer`;
      const variable = file.startsWith('cache') ? 'XDG_CACHE_HOME' : 'XDG_STATE_HOME';
      const advice = `update this one, or set ${variable} to another directory`;
      throw new SyncerError('config', why, { path: this.path, advice });
    }
    if (version === 0) {
      if (!isNew) this.#requireNew('empty');
      if (this.get('SELECT 1 FROM sqlite_schema LIMIT 1') !== undefined) {
        throw damaged(DamagedDatabase, `${title} is another database`, this.path);
      }
      fs.chmodSync(this.path, 0o600);
      this.#inner.exec('PRAGMA auto_vacuum = INCREMENTAL');
    }
    const mode = NETWORK.has(fs.statfsSync(dir).type) ? 'delete' : 'wal';
    const level = this.#schema.mayBeLost ? 'OFF' : mode === 'wal' ? 'NORMAL' : 'FULL';
    this.#inner.exec(`PRAGMA synchronous = ${level}`);
    // Setting it again would wait for other processes.
    if (this.get('PRAGMA journal_mode')?.['journal_mode'] !== mode) {
      this.#inner.exec(`PRAGMA journal_mode = ${mode}`);
    }
    this.#isWal = mode === 'wal';
    // Each process reads the log of changes as it opens it.
    this.#inner.exec('PRAGMA wal_autocheckpoint = 100');
    if (version === steps.length) return;
    this.#transaction('BEGIN IMMEDIATE', () => {
      // Another process may have done it since.
      for (let at = this.#pragma('user_version'); at < steps.length; at++)
        this.#inner.exec(steps[at] ?? '');
      this.#inner.exec(`PRAGMA user_version = ${steps.length}`);
    });
    this.#writeBack();
  }

  /** Throws if there was a state before: to begin it again would lose what it had in silence. */
  #requireNew(now: 'gone' | 'empty'): void {
    const { mayBeLost, title } = this.#schema;
    if (mayBeLost || !hadState(this.path)) return;
    throw damaged(LostDatabase, `${title} is ${now}`, this.path);
  }

  /** Writes the log of changes into the file, as far as no other process reads it: the log may be deleted. */
  #writeBack(): void {
    if (!this.#isWal || this.#schema.mayBeLost) return;
    this.exec('PRAGMA wal_checkpoint(PASSIVE)');
  }

  /** @param how with another setting than usual */
  #transaction<T>(begin: string, work: (own: Database) => T, how?: keyof typeof HOW): T {
    const inner = this.#inner;
    const [setting, usual] =
      how === undefined || (how === 'lasting' && !this.#isWal) ? [] : HOW[how];
    try {
      if (setting !== undefined) inner.exec(setting);
      try {
        inner.exec(begin);
        const result = work(this);
        inner.exec('COMMIT');
        return result;
      } catch (thrown) {
        // SQLite has ended some transactions by itself.
        if (inner.isTransaction) inner.exec('ROLLBACK');
        throw thrown;
      } finally {
        if (usual !== undefined) inner.exec(usual);
      }
    } catch (thrown) {
      throw this.#errorOf(thrown);
    } finally {
      if (how === 'lasting') this.#writeBack();
    }
  }

  #pragma(name: string): number {
    return Number(Object.values(this.get(`PRAGMA ${name}`) ?? {})[0]);
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#inner.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** The error of syncer for one of SQLite. */
  #errorOf(thrown: unknown): unknown {
    const { path } = this;
    const { title } = this.#schema;
    const { code, errcode, message } = thrown as Error & { code?: string; errcode?: number };
    if (thrown instanceof SyncerError || code === undefined) return thrown;
    // SQLite's result codes (https://sqlite.org/rescode.html), without their extensions.
    const result = (errcode ?? 0) & 0xff;
    const details = { path, cause: thrown };
    const isBusy = result === 5 || result === 6;
    // All content of one in use is gone: others wait for its lock until the last user ends.
    const isEmptied = () =>
      fs.statSync(path, { throwIfNoEntry: false })?.size === 0 && fs.existsSync(`${path}-shm`);
    const lacksTable = /^no such (table|column)|has no column named/;
    const isDamaged =
      (isBusy && isEmptied()) ||
      (result === 1 && lacksTable.test(message)) ||
      result === 11 ||
      result === 26;
    if (isDamaged) return damaged(DamagedDatabase, `${title} is damaged`, path, thrown);
    if (isBusy) {
      const pid = writerOf(path);
      const which = pid === undefined ? 'another program' : `process ${pid}`;
      const advice = 'wait for it; "syncer ps" lists what runs';
      return new SyncerError('locked', `${which} uses ${title}: ${path}`, { ...details, advice });
    }
    const advice =
      result === 10
        ? 'run it again, then "syncer doctor --fix"'
        : 'make room there, and let this user write it';
    const text = `${title} cannot be used: ${path}: ${message}`;
    return new SyncerError('config', text, { ...details, advice });
  }
}

/** Does something until no other process is in the way; see `Database.write`. */
async function whenFree<T>(
  work: () => T,
  { mayBeLost }: Schema,
  onWait: () => void,
  signal?: AbortSignal,
): Promise<T> {
  const begunMs = performance.now();
  const waitMs = mayBeLost ? 5000 : 30_000;
  let hasSaid = false;
  for (;;) {
    signal?.throwIfAborted();
    try {
      return work();
    } catch (thrown) {
      const waitedMs = performance.now() - begunMs;
      if (!hasCode(thrown, 'locked') || waitedMs > waitMs) throw thrown;
      if (waitedMs > 1000 && !hasSaid) {
        hasSaid = true;
        onWait();
      }
    }
    // Others have a turn, longer the longer it lasts: the process has other work.
    const pauseMs = Math.min(500, Math.max(20, (performance.now() - begunMs) / 10));
    await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + Math.random())));
  }
}

/** The file of a database is gone or empty. */
class LostDatabase extends DamagedDatabase {}

function damaged(
  Kind: typeof DamagedDatabase,
  what: string,
  path: string,
  cause?: unknown,
): DamagedDatabase {
  const advice = 'run "syncer doctor --fix"';
  return new Kind('config', `${what}: ${path}`, { path, advice, cause });
}

/** Whether an error says that the file of a database is gone or empty, and nothing else. */
export const isLost = (thrown: unknown): boolean => thrown instanceof LostDatabase;

/** Puts a damaged file aside, under its name with `.damaged`. Throws Node's errors. */
export function putAside(path: string, replacesEarlier = true): string {
  let aside = `${path}.damaged`;
  for (let n = 2; !replacesEarlier && fs.existsSync(aside); n++) aside = `${path}.damaged-${n}`;
  fs.renameSync(path, aside);
  dropLog(path);
  return aside;
}

/** Deletes what belongs to a file that is gone, and would be applied to the next one. Throws Node's errors. */
export function dropLog(path: string): void {
  for (const end of ['-wal', '-shm', '-journal']) fs.rmSync(path + end, { force: true });
}

/**
 * The rows of a table in the database of another user, who may have put anything there: read with the rights of that
 * user, so that no link leads anywhere else. Throws the errors of Node and SQLite.
 */
export function rowsOfUser(uid: number, path: string, table: string): readonly TableRow[] {
  const { DatabaseSync: Sqlite } = process.getBuiltinModule('node:sqlite');
  const own = process.geteuid?.();
  if (own !== uid) process.seteuid?.(uid);
  try {
    const stats = fs.lstatSync(path);
    if (!stats.isFile() || stats.uid !== uid) return [];
    const database = new Sqlite(path, { readOnly: true, timeout: BUSY_MS });
    try {
      // The query of a view need not end.
      const sql = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?";
      if (database.prepare(sql).get(table) === undefined) return [];
      return database.prepare(`SELECT * FROM "${table}" LIMIT 10000`).all();
    } finally {
      database.close();
    }
  } finally {
    if (own !== undefined && own !== uid) process.seteuid?.(own);
  }
}

/** `table a` and `column b in a` for each. */
function columnsOf(database: DatabaseSync): string[] {
  const tables = "SELECT 'table ' || name AS what FROM sqlite_schema WHERE type = 'table'";
  const columns =
    "SELECT 'column ' || p.name || ' in ' || m.name FROM sqlite_schema m, pragma_table_info(m.name) p WHERE m.type = 'table'";
  const rows = database.prepare(`${tables} UNION ALL ${columns}`).all();
  return rows.map(({ what }) => String(what));
}

function requireFile(path: string): void {
  const own = fs.lstatSync(path, { throwIfNoEntry: false });
  // A link that leads nowhere is no new file either.
  const found = own?.isSymbolicLink() ? fs.statSync(path, { throwIfNoEntry: false }) : own;
  if (own === undefined || found?.isFile()) return;
  throw new SyncerError('config', `not a regular file: ${path}`, { path, advice: 'move it away' });
}

/** The process that locks a SQLite database, from the locks of this machine; `undefined` if they do not show it. */
function writerOf(path: string): number | undefined {
  try {
    const inodes = ['', '-shm'].flatMap(
      (end) => fs.statSync(path + end, { throwIfNoEntry: false })?.ino ?? [],
    );
    const lines = fs.readFileSync('/proc/locks', 'utf8').split('\n');
    const found = lines
      .map((line) => / WRITE +(\d+) [0-9a-f]+:[0-9a-f]+:(\d+) /.exec(line))
      .find((line) => inodes.includes(Number(line?.[2])) && Number(line?.[1]) !== process.pid);
    return Number(found?.[1]) || undefined;
  } catch {
    return undefined;
  }
}
