import type { Context } from '../../core/context.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { Op } from '../../core/remote.ts';
import { isWithin } from '../../core/remote-path.ts';
import { backOffMs } from '../../kit/back-off.ts';
import type { CachedFile } from './cached-file.ts';

/** Between the tries of an upload, as rclone has it. */
const BETWEEN_TRIES = { baseMs: 1_000, capMs: 60_000 };

/**
 * An upload that is given up may end in good order, in milliseconds. Broken off, its bytes can be on their way all the
 * same, and arrive after those of the next version.
 */
const GRACE_MS = 3_000;
/** Larger files go up in pieces, in bytes: one that is given up in their midst is never whole on the remote. */
const AT_ONCE = 16 * 1024 * 1024;

interface Item {
  readonly file: CachedFile;
  readonly abort: AbortController;
  /** Aborted to end the wait before it runs. */
  readonly wait: AbortController;
  /** Aborted when its run has ended. */
  readonly over: AbortController;
  isRunning: boolean;
  failures: number;
  error: SyncerError | undefined;
}

/** How many uploads there are, for `ContentsState`. */
export interface UploadCounts {
  readonly waiting: number;
  readonly running: number;
  readonly failed: number;
}

/** Uploads committed files some time after their last use, a few at once, until each has succeeded. */
export class UploadQueue {
  readonly #upload: (file: CachedFile, op: Op) => Promise<void>;
  readonly #atOnce: number;
  readonly #context: Pick<Context, 'clock' | 'emit'>;
  readonly #isHeld: (path: string | undefined) => boolean;
  readonly #items = new Map<CachedFile, Item>();
  /** Those whose time has come. */
  readonly #ready = new Set<Item>();
  readonly #settled = new Set<() => void>();
  /** What runs, with the path it writes to; what was cancelled counts until it has really ended. */
  readonly #runs = new Map<Promise<void>, string | undefined>();
  #drains = 0;
  #isClosed = false;

  constructor(
    upload: (file: CachedFile, op: Op) => Promise<void>,
    atOnce: number,
    context: Pick<Context, 'clock' | 'emit'>,
    isHeld: (path: string | undefined) => boolean,
  ) {
    this.#upload = upload;
    this.#atOnce = Math.max(1, atOnce);
    this.#context = context;
    this.#isHeld = isHeld;
  }

  counts(): UploadCounts {
    const items = [...this.#items.values()];
    const failed = items.filter((item) => item.error !== undefined && !item.isRunning).length;
    const running = items.filter((item) => item.isRunning).length;
    return { waiting: items.length - running - failed, running, failed };
  }

  /** Uploads the file in so many milliseconds; one that waits or runs is begun anew. */
  schedule(file: CachedFile, delayMs: number): void {
    this.cancel(file);
    this.#enqueue(file, delayMs, 0, undefined);
  }

  /** The file waits no longer, and what runs is ended soon. Who cancels schedules again what has to be uploaded. */
  cancel(file: CachedFile): void {
    const item = this.#items.get(file);
    if (item === undefined) return;
    this.#items.delete(file);
    this.#ready.delete(item);
    const reason = new SyncerError('source-changed', 'the upload restarts');
    item.wait.abort(reason);
    const mayEnd = item.isRunning && file.isUncertain && file.data.size <= AT_ONCE;
    if (mayEnd && !this.#isClosed) {
      const over = () => item.abort.abort(reason);
      void this.#context.clock.sleep(GRACE_MS, item.over.signal).then(over, over);
    } else {
      item.abort.abort(reason);
    }
    this.#tell();
  }

  /** As `cancel`, and resolves when nothing is on its way any more; to whether it was scheduled. */
  async stop(file: CachedFile): Promise<boolean> {
    const isScheduled = this.#items.has(file);
    this.cancel(file);
    if (file.path !== undefined) await this.quiet(file.path);
    return isScheduled;
  }

  /** Resolves when nothing writes to `path` or below it that runs now. */
  async quiet(path: string): Promise<void> {
    const runs = [...this.#runs].filter(([, to]) => to !== undefined && isWithin(path, to));
    await Promise.all(runs.map(([run]) => run));
  }

  /** Uploads at once what waits. Resolves when nothing is left; rejects as `FileContents.drain` does. */
  async drain(op: Op): Promise<void> {
    this.#drains++;
    try {
      for (const { wait } of this.#items.values()) wait.abort();
      while (this.#items.size > 0 || this.#runs.size > 0) {
        op.signal.throwIfAborted();
        const hopeless = this.#hopeless();
        if (hopeless !== undefined) throw hopeless;
        await this.#change(op.signal);
      }
    } finally {
      this.#drains--;
    }
  }

  /** Ends everything; what was not uploaded is in the journal. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const file of [...this.#items.keys()]) this.cancel(file);
    await Promise.all(this.#runs.keys());
  }

  #enqueue(
    file: CachedFile,
    delayMs: number,
    failures: number,
    error: SyncerError | undefined,
  ): void {
    if (this.#isClosed) return;
    const item: Item = {
      file,
      abort: new AbortController(),
      wait: new AbortController(),
      over: new AbortController(),
      isRunning: false,
      failures,
      error,
    };
    this.#items.set(file, item);
    void this.#ripen(item, this.#drains > 0 && failures === 0 ? 0 : delayMs);
  }

  async #ripen(item: Item, delayMs: number): Promise<void> {
    if (delayMs > 0) {
      await this.#context.clock.sleep(delayMs, item.wait.signal).catch(() => undefined);
    }
    if (item.abort.signal.aborted) return;
    this.#ready.add(item);
    this.goOn();
  }

  /** Begins what may begin; to be called when a path is not held any more. */
  goOn(): void {
    for (const item of this.#ready) {
      if (this.#runs.size >= this.#atOnce) return;
      const { path } = item.file;
      // An older version that is still on its way must not arrive after this one.
      if (this.#isHeld(path) || [...this.#runs.values()].includes(path)) continue;
      this.#ready.delete(item);
      item.isRunning = true;
      const run = this.#run(item).then(() => {
        this.#runs.delete(run);
        this.#tell();
        this.goOn();
      });
      this.#runs.set(run, path);
    }
  }

  async #run(item: Item): Promise<void> {
    const { file, abort } = item;
    let failure: SyncerError | undefined;
    try {
      await this.#upload(file, { signal: abort.signal });
    } catch (thrown) {
      failure = toSyncerError(thrown);
    }
    item.isRunning = false;
    item.over.abort();
    if (this.#items.get(file) === item) {
      this.#items.delete(file);
      if (failure !== undefined) this.#again(item, failure);
    }
  }

  #again({ file, failures }: Item, error: SyncerError): void {
    const ms = backOffMs(failures + 1, error.retryAfterMs, BETWEEN_TRIES);
    const seconds = (ms / 1000).toFixed(1);
    const message = `Upload failed, trying again in ${seconds}s: ${error.message}`;
    const path = file.path ?? '';
    this.#context.emit({ type: 'log', level: 'error', path, message, error });
    this.#enqueue(file, ms, failures + 1, error);
  }

  /** Where only such are left that fail for reasons that do not pass, one of them. */
  #hopeless(): SyncerError | undefined {
    const items = [...this.#items.values()];
    const isHopeless = ({ error, isRunning }: Item) =>
      error !== undefined && !error.retry && !isRunning;
    return this.#runs.size === 0 && items.every(isHopeless) ? items[0]?.error : undefined;
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#settled.delete(done);
        signal.removeEventListener('abort', onAbort);
      };
      const done = () => {
        end();
        resolve();
      };
      const onAbort = () => {
        end();
        reject(signal.reason);
      };
      this.#settled.add(done);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #tell(): void {
    for (const done of [...this.#settled]) done();
  }
}
