import type { CachedFile } from './cached-file.ts';
import type { Journal } from './journal.ts';

/** So many files are synced before the journal is told. */
const BATCH = 64;
/** So many files are synced at once. */
const AT_ONCE = 2;

interface Waiting {
  readonly file: CachedFile;
  readonly number: number;
  readonly resolve: () => void;
  readonly reject: (thrown: unknown) => void;
}

/**
 * Brings the bytes of committed files to the disk, and then says so in the journal: after a power cut only what the
 * journal calls safe counts. Many files share one sync of the journal.
 */
export class SafetyQueue {
  readonly #journal: Journal;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Resolves when the record with this number, and the bytes it tells of, survive a power cut. */
  add(file: CachedFile, number: number): Promise<void> {
    const safe = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ file, number, resolve, reject });
    });
    // Whoever needs to know waits for it; nobody has to.
    safe.catch(() => undefined);
    this.#running ??= this.#run();
    return safe;
  }

  /** Resolves when nothing waits. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    // Those that are closed in the same moment share the journal's sync.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH);
      try {
        const safe: Waiting[] = [];
        const rest = [...batch];
        const work = async () => {
          for (let each = rest.shift(); each !== undefined; each = rest.shift()) {
            if (await syncBytes(each)) safe.push(each);
          }
        };
        await Promise.all(Array.from({ length: AT_ONCE }, work));
        await this.#journal.markSafe(safe.map(({ file, number }) => [file.id, number]));
        await this.#journal.sync();
        for (const { resolve } of safe) resolve();
      } catch (thrown) {
        for (const { reject } of batch) reject(thrown);
      }
    }
    this.#running = undefined;
  }
}

/** Tells a failure to those who wait; `true` where the bytes are on the disk. */
async function syncBytes({ file, reject }: Waiting): Promise<boolean> {
  try {
    await file.data.acquire();
    try {
      await file.data.sync();
    } finally {
      await file.data.release();
    }
    return true;
  } catch (thrown) {
    reject(thrown);
    return false;
  }
}
