import type { Clock } from '../core/context.ts';
import { hasCode } from '../core/errors.ts';
import type { Database } from './database.ts';
import type { Stores } from './stores.ts';

/** Where `cache.db` comes from. */
export type CacheStores = Pick<Stores, 'cache' | 'cacheFailed'>;

/** Options of a cache in `cache.db`. */
export interface CacheOptions {
  readonly stores: CacheStores;
  readonly clock: Clock;
  /** Called once, with the reason, if there is no cache or it cannot be written. */
  readonly onTrouble: (error: unknown) => void;
  /** Limit of what it takes, in bytes. */
  readonly maxBytes?: number;
  /** How much that was learned is written together. The rest is written at the end. */
  readonly mostUnwritten?: number;
}

/**
 * What one part of a run does with `cache.db`. Whatever fails, the run goes on without it; the first trouble is
 * reported, and no other.
 */
export class CacheAccess {
  readonly #stores: CacheStores;
  readonly #onTrouble: (error: unknown) => void;
  #database: Database | undefined;
  #opened: Promise<void> | undefined;
  #isReported = false;

  constructor(stores: CacheStores, onTrouble: (error: unknown) => void) {
    this.#stores = stores;
    this.#onTrouble = onTrouble;
  }

  /** Opens it; until then `read` finds nothing. Never rejects. */
  open(): Promise<void> {
    this.#opened ??= this.#stores.cache().then(
      (database) => {
        this.#database = database;
      },
      (thrown: unknown) => this.#report(thrown),
    );
    return this.#opened;
  }

  /** The result of reading; `undefined` if there is no cache, or it fails. */
  read<T>(work: (database: Database) => T): T | undefined {
    if (this.#database === undefined) return undefined;
    try {
      return work(this.#database);
    } catch (thrown) {
      // Where readers wait for a writer, only this is not found.
      if (hasCode(thrown, 'locked')) this.#report(thrown);
      else void this.#fail(thrown);
      return undefined;
    }
  }

  /** The result of work in one transaction; `undefined` if there is no cache, or it fails. Never rejects. */
  async write<T>(work: (database: Database) => T): Promise<T | undefined> {
    await this.open();
    const database = this.#database;
    if (database === undefined) return undefined;
    try {
      const result = await database.write(() => work(database));
      // A transaction takes some milliseconds: others have a turn.
      await new Promise((resolve) => setImmediate(resolve));
      return result;
    } catch (thrown) {
      await this.#fail(thrown);
      return undefined;
    }
  }

  /** Gives the disk back what deleted rows took. Never rejects. */
  async shrink(): Promise<void> {
    while ((await this.write((database) => database.shrink())) === true);
  }

  /** The rest of the run goes on without it. */
  async #fail(thrown: unknown): Promise<void> {
    this.#database = undefined;
    // Another process that keeps it busy harms only what waits for it.
    const isBusy = hasCode(thrown, 'locked');
    this.#report(isBusy ? thrown : await this.#stores.cacheFailed(thrown));
  }

  #report(error: unknown): void {
    if (!this.#isReported) this.#onTrouble(error);
    this.#isReported = true;
  }
}

/** A cache in `cache.db` that learns during a run, and writes what is new now and then, and at the end. */
export abstract class LearningCache<Value> {
  readonly clock: Clock;
  protected readonly options: CacheOptions;
  protected readonly cache: CacheAccess;
  /** What is not written yet, by what its names belong to. */
  protected fresh = new Map<string, Map<string, Value>>();
  /** What is being written. */
  protected leaving = new Map<string, Map<string, Value>>();
  /** How many names are not written. */
  protected count = 0;
  protected isClosed = false;
  /** Set by `write`: there is something to tidy. */
  protected hasWritten = false;
  #writing: Promise<void> | undefined;

  constructor(options: CacheOptions) {
    this.clock = options.clock;
    this.options = options;
    this.cache = new CacheAccess(options.stores, options.onTrouble);
  }

  /** Until then only what this run has learned is known. Never rejects. */
  opened(): Promise<void> {
    return this.cache.open();
  }

  /** Writes what was learned; nothing more is recorded. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    await this.#writing;
    await this.#writeFresh(true);
    if (this.hasWritten) await this.tidy();
  }

  /** Writes `leaving`. */
  protected abstract write(isLast: boolean): Promise<void>;

  /** Forgets what is old or too much. */
  protected abstract tidy(): Promise<void>;

  protected put(of: string, name: string, value: Value): void {
    const names = this.fresh.get(of) ?? new Map<string, Value>();
    if (names.size === 0) this.fresh.set(of, names);
    const before = names.size;
    names.set(name, value);
    this.count += names.size - before;
  }

  /** Begins to write, unless it does already. */
  protected writeSoon(): void {
    this.#writing ??= this.#writeFresh(false).finally(() => {
      this.#writing = undefined;
    });
  }

  async #writeFresh(isLast: boolean): Promise<void> {
    this.leaving = this.fresh;
    this.fresh = new Map();
    this.count = 0;
    await this.write(isLast);
    this.leaving = new Map();
  }
}
