import { SyncerError } from '../../core/errors.ts';
import type { FileEntry, Op } from '../../core/remote.ts';
import type { VfsOptions } from '../vfs-options.ts';
import type { ContentsKit } from './contents-kit.ts';
import { type ByteSink, Download, type DownloadJob } from './download.ts';

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
    this.#goAhead(to, plan);
    this.#wakeEarly();
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
