import { join } from 'node:path';
import { abortable } from '../core/abort.ts';
import { systemClock } from '../core/context.ts';
import { SyncerError, toSyncerError } from '../core/errors.ts';
import type { Database } from './database.ts';
import { hadState, isThere } from './lost-state.ts';

/** Where the databases of a run are; a user without a home has none. */
export interface StoreFolders {
  readonly state: string | undefined;
  readonly cache: string | undefined;
}

/** For how long a run waits for what it can do without, in milliseconds. */
const PATIENCE_MS = 2_000;

/** The databases of a run, each opened when it is first used. */
export class Stores {
  readonly #folders: StoreFolders;
  readonly #notice: (text: string) => void;
  readonly #now: () => number;
  readonly #told = new Set<string>();
  readonly #closing = new AbortController();
  #state: Promise<Database> | undefined;
  #cache: Promise<Database | undefined> | undefined;
  #cacheTrouble: SyncerError | undefined;

  /**
   * @param notice shows the user a text, each once
   * @param now in milliseconds since the epoch
   */
  constructor(folders: StoreFolders, notice: (text: string) => void, now = systemClock.now) {
    this.#folders = folders;
    this.#notice = notice;
    this.#now = now;
  }

  /** The directory of `state.db`; `undefined` for a user without a home. */
  get stateFolder(): string | undefined {
    return this.#folders.state;
  }

  /** `state.db`. Rejects with `config` for a user without a home, and as `Database.open`. */
  state(): Promise<Database> {
    this.#state ??= this.#openState();
    return this.#state;
  }

  /** As `state`; `undefined` if there was none yet: what only reads makes none. */
  async stateThere(): Promise<Database | undefined> {
    return this.#hasState() ? this.state() : undefined;
  }

  /**
   * Does work in one transaction of `state.db` that the run can do without. Where another program has it for two
   * seconds, and where it cannot be used although there is one, it is left with a notice. Never rejects.
   *
   * @param missing what is missing then: `this run is not in the history`
   */
  async tryState<T>(
    missing: string,
    work: (database: Database) => T,
    signal?: AbortSignal,
  ): Promise<T | undefined> {
    if (this.#folders.state === undefined) return undefined;
    const late = AbortSignal.timeout(PATIENCE_MS);
    const stop = signal === undefined ? late : AbortSignal.any([late, signal]);
    try {
      const database = await abortable(this.state(), stop);
      return await database.writeLater(() => work(database), stop);
    } catch (thrown) {
      if (signal?.aborted === true || !this.#hasState()) return undefined;
      const busy = new SyncerError('locked', 'another program uses the state of syncer');
      this.tellMissing(missing, late.aborted ? busy : thrown);
      return undefined;
    }
  }

  /** A notice of what is missing because of an error; one for each cause. */
  tellMissing(missing: string, thrown: unknown): void {
    const { message, advice } = toSyncerError(thrown);
    const why = advice === undefined ? message : `${message}; ${advice}`;
    this.#tell(`${missing}: ${why}`, message);
  }

  /**
   * `cache.db`; `undefined` where there can be none (`cacheTrouble`). A damaged one is put aside, with a notice, and a
   * new one made. Never rejects.
   */
  cache(): Promise<Database | undefined> {
    this.#cache ??= this.#openCache();
    return this.#cache;
  }

  /** Why there is no cache, or no longer; absent for a user without a home. */
  get cacheTrouble(): SyncerError | undefined {
    return this.#cacheTrouble;
  }

  /** What failed with `cache.db`: the rest of the run goes on without it, and a damaged one is put aside. Never rejects. */
  async cacheFailed(thrown: unknown): Promise<void> {
    const opened = this.#cache;
    this.#cache = Promise.resolve(undefined);
    const cache = await opened;
    if (cache === undefined) return;
    this.#cacheTrouble = toSyncerError(thrown);
    cache.close();
    const { isDamaged } = await import('./database.ts');
    if (isDamaged(thrown)) await this.#putAside(cache.path);
  }

  /**
   * For a process that ends next: keeps a copy of the state, one a day, and waits for no other program. It closes
   * nothing, so that the log of changes is left to the next process: the last one to close a database waits for the disk
   * four times, and deletes the log, which loses what a run writes later whose locks are gone because it read the
   * database as a file (a copy of the home directory). Never rejects.
   */
  async leave(): Promise<void> {
    this.#closing.abort();
    await this.#keepCopy();
  }

  /** Closes what is open, as `leave` before. Never rejects. */
  async close(): Promise<void> {
    await this.leave();
    const opened = await Promise.allSettled([this.#state, this.#cache]);
    for (const each of opened) if (each.status === 'fulfilled') each.value?.close();
  }

  async #keepCopy(): Promise<void> {
    const state = await this.#state?.catch(() => undefined);
    if (state === undefined) return;
    const isGone = !isThere(state.path);
    if (isGone) {
      const text = `the state of syncer was deleted during this run: ${state.path}`;
      this.#tell(`${text}; run "syncer doctor --fix", which restores it`);
    }
    const { keepCopy } = await import('./state-copy.ts');
    keepCopy(state, this.#now(), isGone);
  }

  async #openState(): Promise<Database> {
    const { state } = this.#folders;
    if (state === undefined) {
      const why = 'this user has no home directory to keep its state in';
      throw new SyncerError('config', why, { advice: 'set HOME or XDG_STATE_HOME' });
    }
    return this.#open('STATE', state);
  }

  #hasState(): boolean {
    const { state } = this.#folders;
    if (state === undefined) return false;
    const path = join(state, 'state.db');
    return isThere(path) || hadState(path);
  }

  async #openCache(): Promise<Database | undefined> {
    const { cache } = this.#folders;
    if (cache === undefined) return undefined;
    try {
      return await this.#open('CACHE', cache);
    } catch (thrown) {
      const { isDamaged } = await import('./database.ts');
      const trouble = toSyncerError(thrown);
      const { path } = trouble;
      if (isDamaged(thrown) && path !== undefined && (await this.#putAside(path))) {
        return this.#open('CACHE', cache).catch(() => undefined);
      }
      this.#cacheTrouble = trouble;
      return undefined;
    }
  }

  async #open(which: 'STATE' | 'CACHE', dir: string): Promise<Database> {
    const [{ Database: Opened }, schemas] = await Promise.all([
      import('./database.ts'),
      import('./schemas.ts'),
    ]);
    const schema = schemas[which];
    const onWait = () => this.#tell(`waiting for another program that uses ${schema.title}`);
    return Opened.open(dir, schema, onWait, this.#closing.signal);
  }

  /** Whether the damaged file of the cache could be put aside. */
  async #putAside(path: string): Promise<boolean> {
    try {
      const { putAside } = await import('./database.ts');
      const aside = putAside(path);
      this.#tell(`the cache was damaged, and a new one is made; the old one is ${aside}`);
      return true;
    } catch (thrown) {
      const why = toSyncerError(thrown).message;
      this.#tell(`the cache is damaged and cannot be put aside: ${why}`);
      return false;
    }
  }

  #tell(text: string, cause = text): void {
    if (!this.#told.has(cause)) this.#notice(text);
    this.#told.add(cause);
  }
}
