import type { Clock } from '../../core/context.ts';
import { mapAtOnce } from '../../core/map-at-once.ts';
import type { CachedFile } from './cached-file.ts';
import type { Journal } from './journal.ts';

/** How many files are synced before the journal records it. */
const BATCH = 64;
/** How many files are synced in parallel. */
const AT_ONCE = 2;
/** Closes do not wait for a disk whose sync takes longer, in milliseconds. */
const FAST_MS = 10;
/** Delay of a sync that is not urgent, in milliseconds. */
const SOON_MS = 20;
/** Ends a wait. */
const ENOUGH = new Error('enough');

interface Waiting {
  readonly file: CachedFile;
  readonly number: number;
  readonly resolve: () => void;
  readonly reject: (thrown: unknown) => void;
}

/**
 * Syncs the bytes of committed files to disk, then records it in the journal: only such files survive a power cut.
 * Many files share one sync of the journal.
 */
export class SafetyQueue {
  readonly #journal: Journal;
  readonly #clock: Pick<Clock, 'monotonic' | 'sleep'>;
  /** The recent average time until a file is safe, in milliseconds. */
  #usual = 0;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  #later: Promise<void> | undefined;

  constructor(journal: Journal, clock: Pick<Clock, 'monotonic' | 'sleep'>) {
    this.#journal = journal;
    this.#clock = clock;
  }

  /**
   * Waits until a file is safe, if the disk is fast. Closes must not wait for a slow or busy disk: there the file is
   * safe a moment later.
   */
  async wait(safe: Promise<void>): Promise<void> {
    if (this.#usual > FAST_MS) return;
    const over = new AbortController();
    const enough = this.#clock.sleep(2 * FAST_MS, over.signal).catch(() => undefined);
    await Promise.race([safe.catch(() => undefined), enough]);
    // The same object each time: a new error is expensive.
    over.abort(ENOUGH);
  }

  /** Resolves when the record with this number and its bytes survive a power cut. */
  add(file: CachedFile, number: number): Promise<void> {
    // Two objects for the same data would have different states.
    file.pin();
    const safe = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ file, number, resolve, reject });
    });
    // Callers need not wait for it.
    safe.catch(() => undefined);
    this.#running ??= this.#run();
    return safe;
  }

  /**
   * Resolves when a record with this much content survives a power cut. Empty files can wait: a shell creates one
   * before it writes.
   */
  addContent(length: number): Promise<void> {
    const since = this.#clock.monotonic();
    const note = () => this.#note(this.#clock.monotonic() - since);
    const safe = length === 0 ? this.#soon() : this.#journal.sync().then(note);
    safe.catch(() => undefined);
    return safe;
  }

  /** Resolves when nothing waits. */
  async idle(): Promise<void> {
    await this.#running;
    await this.#later;
  }

  #soon(): Promise<void> {
    this.#later ??= this.#clock.sleep(SOON_MS).then(() => {
      this.#later = undefined;
      return this.#journal.sync();
    });
    return this.#later;
  }

  #note(ms: number): void {
    this.#usual = 0.7 * this.#usual + 0.3 * ms;
  }

  async #run(): Promise<void> {
    // Files closed in the same moment share the journal's sync.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH);
      const since = this.#clock.monotonic();
      try {
        const safe: Waiting[] = [];
        await mapAtOnce(batch, AT_ONCE, async (each) => {
          const { file, reject } = each;
          try {
            if (file.path === undefined) throw new Error('no longer needed');
            await file.acquire();
            try {
              await file.syncHere();
            } finally {
              await file.release();
            }
            safe.push(each);
          } catch (thrown) {
            reject(thrown);
          }
        });
        await this.#journal.markSafe(safe.map(({ file, number }) => [file.id, number]));
        await this.#journal.sync();
        this.#note((this.#clock.monotonic() - since) / Math.max(1, batch.length / AT_ONCE));
        for (const { resolve } of safe) resolve();
      } catch (thrown) {
        for (const { reject } of batch) reject(thrown);
      }
      for (const { file } of batch) await file.unpin();
    }
    this.#running = undefined;
  }
}
