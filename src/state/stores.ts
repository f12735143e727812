import { join } from 'node:path';
import { abortable, systemClock } from '../core/context.ts';
import { DamagedDatabase, SyncerError, toSyncerError } from '../core/errors.ts';
import type { Database } from './database.ts';
import { hadState, isThere } from './lost-state.ts';

/** Where the databases of a run are; a user without a home has none. */
export interface StoreFolders {
  readonly state: string | undefined;
  readonly cache: string | undefined;
}

/** The databases of a run, each opened when it is first used. */
export class Stores {
  readonly #folders: StoreFolders;
  readonly #notice: (text: string) => void;
  readonly #now: () => number;
  readonly #told = new Set<string>();
  readonly #closing = new AbortController();
  #state: Promise<Database> | undefined;
  /** The state, once it is open. */
  #opened: Database | undefined;
  #cache: Promise<Database | undefined> | undefined;

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
    this.#state ??= this.#open('STATE', this.#folders.state).then((database) => {
      this.#opened = database;
      return database;
    });
    return this.#state;
  }

  /** Looks in `state.db`; resolves to `none` if there is none yet: what only reads makes none. Rejects as `state`. */
  async look<T>(none: T, work: (database: Database) => T | Promise<T>): Promise<T> {
    return this.#hasState() ? work(await this.state()) : none;
  }

  /**
   * Does work in one transaction of `state.db` that the run can do without. Where another program has it for two
   * seconds, and where it cannot be used although there is one, it is left with a notice. Never rejects.
   *
   * @param missing what is missing then: `this run is not in the history`; `undefined`: it is left without a notice
   */
  async tryState<T>(
    missing: string | undefined,
    work: (database: Database) => T,
    signal?: AbortSignal,
  ): Promise<T | undefined> {
    if (this.#folders.state === undefined) return undefined;
    const late = AbortSignal.timeout(2_000);
    const stop = signal === undefined ? late : AbortSignal.any([late, signal]);
    try {
      const database = this.#opened ?? (await abortable(this.state(), stop));
      return await database.write(work, stop, 'later');
    } catch (thrown) {
      if (missing === undefined || signal?.aborted === true || !this.#hasState()) return undefined;
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
   * `cache.db`; `undefined` for a user without a home. Rejects with what failed first: the run goes on without it. A
   * damaged one is put aside, with a notice, and a new one made.
   */
  cache(): Promise<Database | undefined> {
    this.#cache ??= (async () => {
      const { cache } = this.#folders;
      if (cache === undefined) return undefined;
      try {
        return await this.#open('CACHE', cache);
      } catch (thrown) {
        if (!(thrown instanceof DamagedDatabase)) throw thrown;
        await this.#putAside(thrown);
        return this.#open('CACHE', cache);
      }
    })();
    return this.#cache;
  }

  /**
   * The rest of the run goes on without `cache.db`, of which something failed; a damaged one is put aside. Resolves to
   * what failed first.
   */
  cacheFailed(thrown: unknown): Promise<unknown> {
    const opened = this.#cache;
    const drop = async (): Promise<never> => {
      (await opened)?.close();
      if (thrown instanceof DamagedDatabase) await this.#putAside(thrown);
      throw thrown;
    };
    const dropped = drop();
    this.#cache = dropped;
    return dropped.catch((first: unknown) => first);
  }

  /**
   * For a process that ends next: keeps a copy of the state, one a day, and waits for no other program. It closes
   * nothing, so that the log of changes is left to the next process: the last one to close a database waits for the disk
   * four times, and deletes the log, which loses what a run writes later whose locks are gone because it read the
   * database as a file (a copy of the home directory). Never rejects.
   */
  async leave(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled([this.#keepCopy(), this.#cache]);
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
    } else if (!state.isInPlace) {
      this.#tell(
        `the state of syncer was replaced during this run, which is not in it: ${state.path}`,
      );
    }
    const { keepCopy } = await import('./state-copy.ts');
    keepCopy(state, this.#now(), isGone);
  }

  #hasState(): boolean {
    const { state } = this.#folders;
    if (state === undefined) return false;
    const path = join(state, 'state.db');
    return isThere(path) || hadState(path);
  }

  async #open(which: 'STATE' | 'CACHE', dir: string | undefined): Promise<Database> {
    if (dir === undefined) {
      const why = 'this user has no home directory to keep its state in';
      throw new SyncerError('config', why, { advice: 'set HOME or XDG_STATE_HOME' });
    }
    const [{ Database: Opened }, schemas] = await Promise.all([
      import('./database.ts'),
      import('./schemas.ts'),
    ]);
    const schema = schemas[which];
    const onWait = () => this.#tell(`waiting for another program that uses ${schema.title}`);
    return Opened.open(dir, schema, onWait, this.#closing.signal);
  }

  async #putAside({ path = '' }: DamagedDatabase): Promise<void> {
    try {
      const { putAside } = await import('./database.ts');
      const aside = putAside(path);
      this.#tell(`the cache was damaged, and a new one is made; the old one is ${aside}`);
    } catch (thrown) {
      const why = toSyncerError(thrown).message;
      this.#tell(`the cache is damaged and cannot be put aside: ${why}`);
    }
  }

  #tell(text: string, cause = text): void {
    if (!this.#told.has(cause)) this.#notice(text);
    this.#told.add(cause);
  }
}
