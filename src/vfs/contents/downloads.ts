import { SyncerError } from '../../core/errors.ts';
import type { Op } from '../../core/remote.ts';
import { Download, type DownloadJob } from './download.ts';
import { type ChunkSizes, type FetchPlan, ReadGrowth } from './read-growth.ts';

/** A gap of this size before what is wanted is waited for rather than jumped over, in bytes. */
const SMALL_GAP = 1024 * 1024;
/** So many downloads of one file run at once; one that nobody waits for makes room. */
const MOST = 16;

/** How a file is fetched. */
export interface DownloadRules extends ChunkSizes {
  /** Ranges that are fetched at once for one sequential reader; 0 or 1: one that grows. */
  readonly streams: number;
  /** How long a read that jumps ahead waits for the one before it, in milliseconds. */
  readonly readWaitMs: number;
}

/** All downloads of one file, for all its readers: whoever wants bytes waits for the download that brings them. */
export class Downloads {
  readonly #job: DownloadJob;
  readonly #rules: DownloadRules;
  readonly #growth: ReadGrowth;
  readonly #running = new Set<Download>();
  readonly #failures = new Map<Download, SyncerError>();
  /** Where the last read ended. */
  #lastEnd = 0;
  #isClosed = false;

  constructor(job: Omit<DownloadJob, 'next'>, rules: DownloadRules) {
    this.#growth = new ReadGrowth(rules);
    this.#job = { ...job, next: (chunk) => this.#nextChunk(chunk) };
    this.#rules = rules;
  }

  /**
   * Resolves when these bytes are in the sink. Rejects with the signal's reason or with what made the download fail;
   * the next call tries anew.
   */
  async ensure(from: number, to: number, op: Op): Promise<void> {
    const plan = this.#growth.note(from, to, this.#job.sink.window());
    await this.#waitForOthers(from, op);
    this.#lastEnd = to;
    for (
      let gap = this.#job.sink.gap(from, to);
      gap !== undefined && !this.#isClosed;
      gap = this.#job.sink.gap(from, to)
    ) {
      op.signal.throwIfAborted();
      const download = this.#covering(gap.from) ?? this.#begin(gap.from, to, plan);
      download.want(to + plan.ahead);
      await download.reached(Math.min(gap.to, download.end), op.signal);
      const failure = this.#failures.get(download);
      if (failure !== undefined && this.#job.sink.gap(from, to) !== undefined) throw failure;
    }
    if (this.#job.sink.gap(from, to) !== undefined) {
      throw new SyncerError('interrupted', `read ${this.#job.file.path}: the file was closed`);
    }
    this.#goAhead(to, plan);
  }

  /** Everything from start to end, for a file that must be whole. */
  async all(size: number, op: Op): Promise<void> {
    const step = 4 * 1024 * 1024;
    for (let from = 0; from < size; from += step) {
      await this.ensure(from, Math.min(size, from + step), op);
    }
  }

  /** Ends all of them. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const download of this.#running) download.stop();
    await Promise.all([...this.#running].map(({ over }) => over));
  }

  /** Requests of one size where several run at once, growing ones otherwise. */
  #nextChunk(chunk: number): number {
    return this.#rules.streams > 1 && chunk >= this.#rules.first ? chunk : this.#growth.next(chunk);
  }

  #covering(offset: number): Download | undefined {
    for (const download of this.#running) {
      const { position, end } = download;
      if (position <= offset && offset < end && offset - position <= SMALL_GAP) return download;
    }
    return undefined;
  }

  #begin(from: number, to: number, plan: FetchPlan): Download {
    let end = this.#job.sink.gap(from, Number.MAX_SAFE_INTEGER)?.to ?? to;
    for (const { position } of this.#running) if (position > from) end = Math.min(end, position);
    if (this.#rules.streams > 1) end = Math.min(end, from + Math.max(this.#stride(), to - from));
    this.#makeRoom();
    const chunk = Math.max(plan.chunk, Math.min(end, to) - from);
    const download = new Download(this.#job, from, end, chunk, to + plan.ahead);
    this.#running.add(download);
    void download.over.then((failure) => {
      this.#running.delete(download);
      if (failure !== undefined) this.#failures.set(download, failure);
      // Whoever waits for it has looked by then.
      setImmediate(() => this.#failures.delete(download));
    });
    return download;
  }

  /** Lets downloads go on, and with several streams begins those that a sequential reader will come to. */
  #goAhead(to: number, plan: FetchPlan): void {
    if (plan.ahead === 0 || this.#isClosed) return;
    const target = to + plan.ahead;
    for (const download of this.#running) {
      if (download.position < target && download.end > to) download.want(target);
    }
    let gap = this.#job.sink.gap(to, target);
    let free = Math.max(1, this.#rules.streams) - this.#running.size;
    while (gap !== undefined && free > 0) {
      const { from } = gap;
      const running = [...this.#running].find((each) => each.position <= from && from < each.end);
      if (running === undefined) {
        const end = this.#rules.streams > 1 ? from + this.#stride() : target;
        this.#begin(from, Math.min(gap.to, target, end), { ...plan, ahead: target - from });
        free--;
      }
      const behind = running?.end ?? from + this.#stride();
      gap = this.#rules.streams > 1 ? this.#job.sink.gap(behind, target) : undefined;
    }
  }

  /** How much one of several streams fetches, so that all of them fit into the window. */
  #stride(): number {
    const { first, streams } = this.#rules;
    const share = Math.max(512 * 1024, Math.floor(this.#job.sink.window() / streams));
    return first === 0 ? share : Math.min(first, share);
  }

  /** The kernel's reads of one program may come out of order: the one before this may be about to come. */
  async #waitForOthers(from: number, op: Op): Promise<void> {
    const ahead = from - this.#lastEnd;
    if (ahead <= 0 || ahead > SMALL_GAP || this.#rules.readWaitMs <= 0) return;
    if (this.#job.sink.gap(from, from + 1) === undefined || this.#covering(from)) return;
    await this.#job.context.clock.sleep(this.#rules.readWaitMs, op.signal);
  }

  #makeRoom(): void {
    if (this.#running.size < MOST) return;
    for (const download of this.#running) {
      if (download.isAwaited) continue;
      download.stop();
      return;
    }
  }
}
