import type { Clock } from '../core/context.ts';
import { CacheAccess, type CacheOptions } from '../state/cache-access.ts';

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
    if (!names.has(name)) this.count++;
    names.set(name, value);
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
