import { bodyChunks, giveBack } from '../../core/body.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import { isPassing } from '../../core/passing-failure.ts';
import type { FileEntry } from '../../core/remote.ts';
import { retry } from '../../core/retry.ts';
import type { ContentsKit } from './contents-kit.ts';
import type { ByteRange } from './range-set.ts';

/** How long a connection without readers is kept, in milliseconds. */
const IDLE_MS = 5_000;

/** How many chunks are written to the sink in parallel. */
const PUTS = 4;

/** The source, range and target of a download. */
export interface DownloadJob {
  readonly kit: ContentsKit;
  readonly file: FileEntry;
  readonly sink: ByteSink;
  /** As in `ReadRange`. */
  readonly continues: boolean;
  /** The size of the request after one of `chunk` bytes. */
  next(chunk: number): number;
}

/** One download of a part of a remote file, from `position` to `end`, in requests that grow. */
export class Download {
  readonly end: number;
  readonly #job: DownloadJob;
  readonly #abort = new AbortController();
  #position: number;
  #chunk: number;
  /** It stops here for now. */
  #wanted: number;
  #waiters: { readonly offset: number; readonly resolve: () => void }[] = [];
  #wake: (() => void) | undefined;
  /** Settles when it has ended; never rejects. */
  readonly over: Promise<SyncerError | undefined>;

  constructor(job: DownloadJob, from: number, end: number, chunk: number, wanted: number) {
    this.#job = job;
    this.#position = from;
    this.end = end;
    this.#chunk = chunk;
    this.#wanted = wanted;
    this.over = this.#run().then(
      () => undefined,
      (thrown: unknown) => (this.#abort.signal.aborted ? undefined : toSyncerError(thrown)),
    );
    void this.over.then(() => this.#tell(Number.POSITIVE_INFINITY));
  }

  /** All bytes before it have arrived. */
  get position(): number {
    return this.#position;
  }

  get isAwaited(): boolean {
    return this.#waiters.length > 0;
  }

  /** A reader will read up to `offset`. */
  want(offset: number): void {
    if (offset <= this.#wanted) return;
    this.#wanted = offset;
    this.#wake?.();
  }

  /**
   * Resolves when the byte before `offset` has arrived, or the download has ended; rejects with the signal's reason.
   */
  reached(offset: number, signal: AbortSignal): Promise<void> {
    if (this.#position >= offset) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiters = this.#waiters.filter((each) => each !== waiter);
        // No reader continues from here: another request may use the connection.
        if (this.#waiters.length === 0) this.stop();
        reject(signal.reason);
      };
      const waiter = {
        offset,
        resolve: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener('abort', leave, { once: true });
      this.#waiters.push(waiter);
    });
  }

  stop(): void {
    this.#abort.abort(new SyncerError('interrupted', 'the download is no longer needed'));
  }

  async #run(): Promise<void> {
    const { kit, file } = this.#job;
    const fetchWanted = async () => {
      while (this.#position < this.end && this.#position < this.#wanted) {
        await this.#fetch(Math.min(this.end, this.#position + this.#chunk));
        this.#chunk = this.#job.next(this.#chunk);
      }
    };
    await retry(fetchWanted, {
      tries: kit.options.lowLevelRetries,
      what: `read ${file.path}`,
      signal: this.#abort.signal,
      context: kit.context,
      // A changed object is not the one being read.
      giveUp: (error) => !isPassing(error),
      progress: () => this.#position,
    });
  }

  async #fetch(to: number): Promise<void> {
    const { kit, file, continues } = this.#job;
    const { signal } = this.#abort;
    const from = this.#position;
    const isWhole = from === 0 && to === file.size;
    const range = isWhole ? undefined : { offset: from, length: to - from, continues };
    const body = await kit.remote.read(file, range, { signal });
    let arrived = from;
    const puts: Promise<void>[] = [];
    try {
      for await (const chunk of bodyChunks(body, signal)) {
        if (chunk.length > to - arrived) {
          const text = `read ${file.path}: it is longer than it was`;
          throw new SyncerError('source-changed', text, { path: file.path });
        }
        const put = this.#put(arrived, chunk, puts.at(-1));
        put.catch(() => undefined);
        puts.push(put);
        arrived += chunk.length;
        if (puts.length >= PUTS) await puts.shift();
        if (arrived === to || arrived < this.#wanted) continue;
        await Promise.all(puts);
        puts.length = 0;
        if (!(await this.#isWanted())) return;
      }
      await Promise.all(puts);
    } finally {
      // Nothing may be on its way to the sink at the end.
      await Promise.allSettled(puts);
    }
    if (arrived < to) {
      throw new SyncerError('body-cut', `read ${file.path}: the answer ended too early`);
    }
  }

  /** Writes a chunk to the sink; it counts when all before it is written. */
  async #put(at: number, chunk: Buffer, before: Promise<void> | undefined): Promise<void> {
    const both = await Promise.allSettled([this.#job.sink.put(at, chunk), before]);
    for (const each of both) if (each.status === 'rejected') throw each.reason;
    this.#tell(at + chunk.length);
    giveBack(chunk);
  }

  /** Waits until more is wanted; `false` if nothing is for a while. */
  async #isWanted(): Promise<boolean> {
    const pause = new AbortController();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const end = () => pause.abort();
    this.#abort.signal.addEventListener('abort', end, { once: true });
    try {
      const idle = this.#job.kit.context.clock.sleep(IDLE_MS, pause.signal).catch(() => undefined);
      await Promise.race([promise, idle]);
      this.#abort.signal.throwIfAborted();
    } finally {
      this.#wake = undefined;
      pause.abort();
      this.#abort.signal.removeEventListener('abort', end);
    }
    return this.#wanted > this.#position;
  }

  #tell(position: number): void {
    const reached = this.#waiters.filter(({ offset }) => offset <= position);
    if (Number.isFinite(position)) this.#position = position;
    if (reached.length === 0) return;
    this.#waiters = this.#waiters.filter(({ offset }) => offset > position);
    for (const { resolve } of reached) resolve();
  }
}

/** The target of downloaded bytes, and which bytes it has already. */
export interface ByteSink {
  /** The first gap in these bytes; `undefined` if there is none. */
  gap(from: number, to: number): ByteRange | undefined;
  /** Adds downloaded bytes; bytes that are already there stay. */
  put(offset: number, chunk: Uint8Array): Promise<void>;
  /** How far ahead of a reader to download now, in bytes. */
  window(): number;
}
