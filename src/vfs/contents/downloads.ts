import { bodyChunks } from '../../core/body.ts';
import { releaseBuffer } from '../../core/buffers.ts';
import { isPassing, SyncerError, toSyncerError } from '../../core/errors.ts';
import type { FileEntry, Op } from '../../core/remote.ts';
import { retry } from '../../core/retry.ts';
import type { VfsOptions } from '../vfs-options.ts';
import type { ContentsKit } from './contents-kit.ts';
import type { ByteRange } from './range-set.ts';

/** A gap of this size before the wanted bytes is waited for, not jumped over, in bytes. */
const SMALL_GAP = 1024 * 1024;
/** How many downloads of one file run in parallel; one without waiting readers is replaced. */
const MOST = 16;

/** All downloads of one file, shared by its readers: each waits for the download that covers its bytes. */
export class Downloads {
  readonly #job: DownloadJob;
  readonly #sink: ByteSink;
  readonly #options: VfsOptions;
  readonly #growth: ReadGrowth;
  readonly #running = new Set<Download>();
  readonly #failures = new Map<Download, SyncerError>();
  /** Reads that wait for the preceding one; due when their bytes are here, or a download comes to them. */
  readonly #early = new Set<{ isDue(): boolean; wake(): void }>();
  #lastEnd = 0;
  #isClosed = false;

  /** @param continues the sink has bytes of the file already */
  constructor(kit: ContentsKit, file: FileEntry, sink: ByteSink, continues = false) {
    const { readChunkStreams: streams, readChunkSize } = kit.options;
    // Requests of one size if several run in parallel, growing ones otherwise.
    const next = (chunk: number) =>
      streams > 1 && chunk >= readChunkSize ? chunk : this.#growth.next(chunk);
    this.#job = { kit, file, sink, continues, next };
    this.#sink = sink;
    this.#options = kit.options;
    this.#growth = new ReadGrowth(kit.options);
  }

  /**
   * Resolves when these bytes are in the sink. Rejects with the signal's reason or with the failure of the download,
   * which the next call repeats.
   */
  async ensure(from: number, to: number, op: Op): Promise<void> {
    const plan = this.#growth.note(from, to, this.#sink.window());
    await this.#waitForOthers(from, op);
    this.#lastEnd = to;
    await this.#fill(from, to, plan, op);
    this.#goAhead(to, plan);
    this.#wakeEarly();
  }

  /** As `ensure`, without reading ahead. */
  async exactly(from: number, to: number, op: Op): Promise<void> {
    await this.#fill(from, to, { chunk: 0, ahead: 0 }, op);
  }

  async #fill(from: number, to: number, plan: FetchPlan, op: Op): Promise<void> {
    for (
      let gap = this.#sink.gap(from, to);
      gap !== undefined && !this.#isClosed;
      gap = this.#sink.gap(from, to)
    ) {
      op.signal.throwIfAborted();
      const download = this.#covering(gap.from) ?? this.#begin(gap.from, to, plan);
      download.want(to + plan.ahead);
      this.#wakeEarly();
      await download.reached(Math.min(gap.to, download.end), op.signal);
      const failure = this.#failures.get(download);
      if (failure !== undefined && this.#sink.gap(from, to) !== undefined) throw failure;
    }
    if (this.#sink.gap(from, to) !== undefined) {
      throw new SyncerError('interrupted', `read ${this.#job.file.path}: the file was closed`);
    }
  }

  /** Downloads the whole file. */
  async all(size: number, op: Op): Promise<void> {
    const step = 4 * 1024 * 1024;
    for (let from = 0; from < size; from += step) {
      await this.ensure(from, Math.min(size, from + step), op);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const download of this.#running) download.stop();
    await Promise.all([...this.#running].map(({ over }) => over));
  }

  #covering(offset: number): Download | undefined {
    for (const download of this.#running) {
      const { position, end } = download;
      if (position <= offset && offset < end && offset - position <= SMALL_GAP) return download;
    }
    return undefined;
  }

  #begin(from: number, to: number, plan: FetchPlan): Download {
    let end = this.#sink.gap(from, Number.MAX_SAFE_INTEGER)?.to ?? to;
    for (const { position } of this.#running) if (position > from) end = Math.min(end, position);
    if (this.#options.readChunkStreams > 1)
      end = Math.min(end, from + Math.max(this.#stride(), to - from));
    if (this.#running.size >= MOST) [...this.#running].find((each) => !each.isAwaited)?.stop();
    const chunk = Math.max(plan.chunk, Math.min(end, to) - from);
    const download = new Download(this.#job, from, end, chunk, to + plan.ahead);
    this.#running.add(download);
    void download.over.then((failure) => {
      this.#running.delete(download);
      if (failure !== undefined) this.#failures.set(download, failure);
      // By then all waiting readers have seen it.
      setImmediate(() => this.#failures.delete(download));
    });
    return download;
  }

  /** Continues downloads, and with several streams starts those that a sequential reader will reach. */
  #goAhead(to: number, plan: FetchPlan): void {
    if (plan.ahead === 0 || this.#isClosed) return;
    const target = to + plan.ahead;
    for (const download of this.#running) {
      if (download.position < target && download.end > to) download.want(target);
    }
    let gap = this.#sink.gap(to, target);
    let free = Math.max(1, this.#options.readChunkStreams) - this.#running.size;
    while (gap !== undefined && free > 0) {
      const { from } = gap;
      const running = [...this.#running].find((each) => each.position <= from && from < each.end);
      if (running === undefined) {
        const end = this.#options.readChunkStreams > 1 ? from + this.#stride() : target;
        this.#begin(from, Math.min(gap.to, target, end), { ...plan, ahead: target - from });
        free--;
      }
      const behind = running?.end ?? from + this.#stride();
      gap = this.#options.readChunkStreams > 1 ? this.#sink.gap(behind, target) : undefined;
    }
  }

  /** How much one of several streams downloads, so that all of them fit into the window. */
  #stride(): number {
    const { readChunkSize: first, readChunkStreams: streams } = this.#options;
    const share = Math.max(512 * 1024, Math.floor(this.#sink.window() / streams));
    return first === 0 ? share : Math.min(first, share);
  }

  /** The kernel's reads of one program may come out of order: the preceding one may come soon. */
  async #waitForOthers(from: number, op: Op): Promise<void> {
    const isDue = () => {
      const ahead = from - this.#lastEnd;
      if (ahead <= 0 || ahead > SMALL_GAP) return true;
      return this.#sink.gap(from, from + 1) === undefined || this.#covering(from) !== undefined;
    };
    if (this.#options.readWait <= 0 || isDue()) return;
    const due = new AbortController();
    const early = { isDue, wake: () => due.abort() };
    this.#early.add(early);
    const signal = AbortSignal.any([op.signal, due.signal]);
    const { clock } = this.#job.kit.context;
    await clock.sleep(this.#options.readWait, signal).catch(() => undefined);
    this.#early.delete(early);
    op.signal.throwIfAborted();
  }

  #wakeEarly(): void {
    for (const early of this.#early) if (early.isDue()) early.wake();
  }
}

/** Reads closer than this are one sequence, in bytes. */
const NEAR = 1024 * 1024;
/** The smallest request, in bytes: a random read costs about as much as its response. */
const SMALLEST = 128 * 1024;
/** How many sequences of one file are tracked. */
const SEQUENCES = 16;

/** What to download for a read. */
interface FetchPlan {
  /** The size of the first request, in bytes. */
  readonly chunk: number;
  /** How far beyond the read to download, in bytes. */
  readonly ahead: number;
}

/**
 * Plans requests. A sequential reader gets large ones, and read-ahead that grows with what it has read; a random
 * reader gets little more than it asked for, in requests that run to their end.
 */
class ReadGrowth {
  readonly #options: VfsOptions;
  /** The most recently used comes last. */
  #sequences: { readonly begin: number; end: number; bytes: number }[] = [];

  constructor(options: VfsOptions) {
    this.#options = options;
  }

  /** Records a read, and plans for it. */
  note(from: number, to: number, window: number): FetchPlan {
    const known = this.#sequences.find(({ end }) => Math.abs(from - end) <= NEAR);
    const sequence = known ?? { begin: from, end: from, bytes: 0 };
    sequence.bytes += to - from;
    sequence.end = Math.max(sequence.end, to);
    this.#sequences = this.#sequences.filter((each) => each !== sequence).slice(1 - SEQUENCES);
    this.#sequences.push(sequence);
    const first = this.#options.readChunkSize || Number.MAX_SAFE_INTEGER;
    // A program that wants the whole file reads from its start.
    const isWhole = sequence.begin === 0;
    const ramp = Math.max(SMALLEST, to - from, known === undefined ? 0 : 4 * sequence.bytes);
    return {
      chunk: isWhole ? first : Math.min(first, ramp),
      ahead:
        known === undefined && !isWhole ? 0 : Math.min(window, 2 * SMALLEST + 2 * sequence.bytes),
    };
  }

  /** The size of the request after one of `chunk` bytes of the same download. */
  next(chunk: number): number {
    const { readChunkSize: first, readChunkSizeLimit: limit } = this.#options;
    if (first === 0) return chunk;
    if (chunk < first) return Math.min(first, chunk * 4);
    return Math.max(first, Math.min(limit ?? Number.MAX_SAFE_INTEGER, chunk * 2));
  }
}

/** How long a connection without readers is kept, in milliseconds. */
const IDLE_MS = 5_000;
/** How many chunks are written to the sink in parallel. */
const PUTS = 4;

/** The source, range and target of a download. */
interface DownloadJob {
  readonly kit: ContentsKit;
  readonly file: FileEntry;
  readonly sink: ByteSink;
  /** As in `ReadRange`. */
  readonly continues: boolean;
  /** The size of the request after one of `chunk` bytes. */
  next(chunk: number): number;
}

/** One download of a part of a remote file, from `position` to `end`, in requests that grow. */
class Download {
  readonly end: number;
  readonly #job: DownloadJob;
  readonly #abort = new AbortController();
  /** All bytes before it have arrived. */
  position: number;
  #chunk: number;
  /** It stops here for now. */
  #wanted: number;
  #waiters: { readonly offset: number; readonly resolve: () => void }[] = [];
  #wake: (() => void) | undefined;
  /** Settles when it has ended; never rejects. */
  readonly over: Promise<SyncerError | undefined>;

  constructor(job: DownloadJob, from: number, end: number, chunk: number, wanted: number) {
    this.#job = job;
    this.position = from;
    this.end = end;
    this.#chunk = chunk;
    this.#wanted = wanted;
    this.over = this.#run().then(
      () => undefined,
      (thrown: unknown) => (this.#abort.signal.aborted ? undefined : toSyncerError(thrown)),
    );
    void this.over.then(() => this.#tell(Number.POSITIVE_INFINITY));
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
    if (this.position >= offset) return Promise.resolve();
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
      while (this.position < this.end && this.position < this.#wanted) {
        await this.#fetch(Math.min(this.end, this.position + this.#chunk));
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
      progress: () => this.position,
    });
  }

  async #fetch(to: number): Promise<void> {
    const { kit, file, continues } = this.#job;
    const { signal } = this.#abort;
    const from = this.position;
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
    releaseBuffer(chunk);
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
    return this.#wanted > this.position;
  }

  #tell(position: number): void {
    const reached = this.#waiters.filter(({ offset }) => offset <= position);
    if (Number.isFinite(position)) this.position = position;
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
