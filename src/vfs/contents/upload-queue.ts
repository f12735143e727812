import { abortable } from '../../core/context.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { Op } from '../../core/remote.ts';
import { isWithin } from '../../core/remote-path.ts';
import { backOffMs } from '../../core/retry.ts';
import type { CachedFile } from './cached-file.ts';
import type { ContentsKit } from './contents-kit.ts';
import { uploadCached } from './upload-cached.ts';

/** Between the tries of an upload, as in rclone. */
const BETWEEN_TRIES = { baseMs: 1_000, capMs: 60_000 };

/**
 * How long a superseded upload may take to end, in milliseconds. An aborted one can still arrive, after the next
 * version.
 */
const GRACE_MS = 3_000;
/**
 * Larger files are uploaded in parts, in bytes: an upload that is aborted between parts is never whole on the remote.
 */
const AT_ONCE = 16 * 1024 * 1024;

/** Uploads committed files some time after their last use, a few in parallel, until each has succeeded. */
export class UploadQueue {
  readonly #kit: ContentsKit;
  /** The files that are queued or uploading, each with its controller. */
  readonly #turns = new Map<CachedFile, AbortController>();
  /** Queued files whose delay has passed. */
  readonly #ready = new Map<CachedFile, AbortController>();
  /** Running uploads, including superseded ones, until they have really ended. */
  readonly #runs = new Map<CachedFile, Promise<void>>();
  readonly #settled = new Set<() => void>();
  #drains = 0;
  #isClosed = false;

  constructor(kit: ContentsKit) {
    this.#kit = kit;
  }

  /** The number of uploads, for `ContentsState`. */
  counts(): { waiting: number; running: number; failed: number } {
    const files = [...this.#turns.keys()];
    const running = files.filter(({ upload }) => upload === 'uploading').length;
    const failed = files.filter(isFailed).length;
    return { waiting: files.length - running - failed, running, failed };
  }

  /** Uploads the file after a delay in milliseconds; a queued or running upload is restarted. */
  schedule(file: CachedFile, delayMs: number): void {
    this.cancel(file);
    file.failures = 0;
    file.failure = undefined;
    this.#enqueue(file, delayMs);
  }

  /** Removes the file from the queue; its upload ends soon. The caller schedules again what has to be uploaded. */
  cancel(file: CachedFile): void {
    const turn = this.#turns.get(file);
    if (turn === undefined) return;
    const mayEnd = file.upload === 'uploading' && file.isUncertain && file.size <= AT_ONCE;
    this.#turns.delete(file);
    this.#ready.delete(file);
    file.upload = undefined;
    const end = () => turn.abort(new SyncerError('source-changed', 'the upload restarts'));
    if (mayEnd && !this.#isClosed) {
      // It ends by itself, or after a while.
      const over = new AbortController();
      void this.#runs.get(file)?.then(() => over.abort());
      void this.#kit.context.clock.sleep(GRACE_MS, over.signal).then(end, end);
    } else end();
    this.#tell();
  }

  /** As `cancel`; resolves when no upload of it runs, to whether it was scheduled. */
  async stop(file: CachedFile): Promise<boolean> {
    const isScheduled = this.#turns.has(file);
    this.cancel(file);
    if (file.path !== undefined) await this.quiet(file.path);
    return isScheduled;
  }

  /** Resolves when the current uploads to `path` or below it have ended. */
  async quiet(path: string): Promise<void> {
    const runs = [...this.#runs].filter(([{ uploadsTo }]) => {
      return uploadsTo !== undefined && isWithin(path, uploadsTo);
    });
    await Promise.all(runs.map(([, run]) => run));
  }

  /** Uploads all queued files without delay. Resolves when nothing is left; rejects as `FileContents.drain` does. */
  async drain(op: Op): Promise<void> {
    this.#drains++;
    try {
      for (const [file, turn] of [...this.#turns]) {
        if (file.upload !== 'queued' || this.#ready.has(file)) continue;
        turn.abort();
        this.#enqueue(file, 0);
      }
      while (this.#turns.size > 0 || this.#runs.size > 0) {
        op.signal.throwIfAborted();
        // All that is left fails permanently.
        const left = [...this.#turns.keys()];
        const isHopeless = (file: CachedFile) => isFailed(file) && file.failure?.retry === false;
        if (this.#runs.size === 0 && left.every(isHopeless)) throw left[0]?.failure;
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#settled.add(resolve);
        await abortable(promise, op.signal).finally(() => this.#settled.delete(resolve));
      }
    } finally {
      this.#drains--;
    }
  }

  /** Ends everything; what was not uploaded is in the journal. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const file of [...this.#turns.keys()]) this.cancel(file);
    await Promise.all(this.#runs.values());
  }

  /** Starts uploads while there is capacity. Call it when a path is released. */
  goOn(): void {
    for (const [file, turn] of this.#ready) {
      if (this.#runs.size >= this.#kit.options.transfers) return;
      // A superseded upload must not arrive after this one.
      if (this.#kit.holds.isHeld(file.path) || this.#runs.has(file) || this.#isWrittenTo(file.path))
        continue;
      this.#ready.delete(file);
      file.upload = 'uploading';
      file.uploadsTo = file.path;
      const run = this.#run(file, turn).then(() => {
        this.#runs.delete(file);
        file.uploadsTo = undefined;
        this.#tell();
        this.goOn();
      });
      this.#runs.set(file, run);
    }
  }

  #enqueue(file: CachedFile, delayMs: number): void {
    if (this.#isClosed) return;
    const turn = new AbortController();
    this.#turns.set(file, turn);
    file.upload = 'queued';
    const isDue = delayMs <= 0 || (this.#drains > 0 && file.failures === 0);
    void this.#wait(file, turn, isDue ? 0 : delayMs);
  }

  async #wait(file: CachedFile, turn: AbortController, delayMs: number): Promise<void> {
    if (delayMs > 0)
      await this.#kit.context.clock.sleep(delayMs, turn.signal).catch(() => undefined);
    if (turn.signal.aborted) return;
    this.#ready.set(file, turn);
    this.goOn();
  }

  #isWrittenTo(path: string | undefined): boolean {
    for (const { uploadsTo } of this.#runs.keys()) if (uploadsTo === path) return true;
    return false;
  }

  async #run(file: CachedFile, turn: AbortController): Promise<void> {
    let failure: SyncerError | undefined;
    try {
      await uploadCached(this.#kit, file, { signal: turn.signal });
    } catch (thrown) {
      failure = toSyncerError(thrown);
    }
    if (this.#turns.get(file) !== turn) {
      // It was closed again without a change: its next turn would find an object that the cache no longer knows.
      if (!file.isDirty) this.cancel(file);
      return;
    }
    this.#turns.delete(file);
    file.upload = undefined;
    if (failure !== undefined) this.#again(file, failure);
  }

  #again(file: CachedFile, error: SyncerError): void {
    file.failures++;
    file.failure = error;
    const ms = backOffMs(file.failures, error.retryAfterMs, BETWEEN_TRIES);
    const event = { code: 'upload-retry', fields: { ms, error } } as const;
    this.#kit.context.emit({ type: 'log', level: 'error', path: file.path ?? '', ...event });
    this.#enqueue(file, ms);
  }

  #tell(): void {
    for (const done of [...this.#settled]) done();
  }
}

/** Whether the file waits for another try. */
function isFailed({ upload, failure }: CachedFile): boolean {
  return upload === 'queued' && failure !== undefined;
}
