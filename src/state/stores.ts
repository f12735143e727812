import { SyncerError, toSyncerError } from '../core/errors.ts';
import type { Database } from './database.ts';

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
  #state: Promise<Database> | undefined;
  #cache: Promise<Database | undefined> | undefined;

  /**
   * @param notice shows the user a text, each once
   * @param now in milliseconds since the epoch
   */
  constructor(folders: StoreFolders, notice: (text: string) => void, now: () => number) {
    this.#folders = folders;
    this.#notice = notice;
    this.#now = now;
  }

  /** `state.db`. Rejects with `config` for a user without a home, and as `Database.open`. */
  state(): Promise<Database> {
    this.#state ??= this.#openState();
    return this.#state;
  }

  /**
   * `cache.db`; `undefined`, with a notice, where there can be none. A damaged one is put aside, and a new one made.
   * Never rejects.
   */
  cache(): Promise<Database | undefined> {
    this.#cache ??= this.#openCache();
    return this.#cache;
  }

  /** What failed with `cache.db`: the rest of the run goes on without it, and a damaged one is put aside. Never rejects. */
  async cacheFailed(thrown: unknown): Promise<void> {
    const opened = this.#cache;
    this.#cache = Promise.resolve(undefined);
    const cache = await opened;
    if (cache === undefined) return;
    cache.close();
    const { isDamaged } = await import('./database.ts');
    if (isDamaged(thrown)) await this.#putAside(cache.path);
    else this.#tell(`the rest of this run keeps no cache: ${toSyncerError(thrown).message}`);
  }

  /** Closes what is open, and keeps a copy of the state, one a day. Never rejects. */
  async close(): Promise<void> {
    const [state, cache] = await Promise.all([
      this.#state?.catch(() => undefined),
      this.#cache?.catch(() => undefined),
    ]);
    if (state !== undefined) {
      const { keepCopy } = await import('./state-copy.ts');
      keepCopy(state, this.#now());
    }
    state?.close();
    cache?.close();
  }

  async #openState(): Promise<Database> {
    const { state } = this.#folders;
    if (state === undefined) {
      const why = 'this user has no home directory to keep its state in';
      throw new SyncerError('config', why, { advice: 'set HOME or XDG_STATE_HOME' });
    }
    return this.#open('STATE', state);
  }

  async #openCache(): Promise<Database | undefined> {
    const { cache } = this.#folders;
    if (cache === undefined) return undefined;
    try {
      return await this.#open('CACHE', cache);
    } catch (thrown) {
      const { isDamaged } = await import('./database.ts');
      const { path, message } = toSyncerError(thrown);
      if (isDamaged(thrown) && path !== undefined && (await this.#putAside(path))) {
        return this.#open('CACHE', cache).catch(() => undefined);
      }
      this.#tell(`this run keeps no cache: ${message}`);
      return undefined;
    }
  }

  async #open(which: 'STATE' | 'CACHE', dir: string): Promise<Database> {
    const [{ Database: Opened }, schemas] = await Promise.all([
      import('./database.ts'),
      import('./schemas.ts'),
    ]);
    const schema = schemas[which];
    return Opened.open(dir, schema, () => {
      this.#tell(`waiting for another program that uses ${schema.title}`);
    });
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

  #tell(text: string): void {
    if (!this.#told.has(text)) this.#notice(text);
    this.#told.add(text);
  }
}
