import { pastMs } from '../../src/caches/hashes/hash-record.ts';
import { SyncerError } from '../../src/core/errors.ts';
import type { FileEntry } from '../../src/core/remote.ts';
import { checkPool } from '../../src/engine/task-pool.ts';
import { parseByteSize, parseDuration } from '../../src/go/quantities.ts';
import { requestsAtOnce } from '../../src/run/remotes/remote-flags.ts';
import {
  type Scrubbed,
  type ScrubResult,
  type ScrubWork,
  scrubFile,
  verifiedMs,
} from './scrub-files.ts';

/** The numbers of a scrub. */
export interface ScrubTotals {
  readonly counts: Record<ScrubResult, number>;
  /** Read, in bytes. */
  bytes: number;
  /** Files that were due and not read, or changed while they were read. */
  left: number;
}

/**
 * Verifies files, those first that were not verified for the longest time. Rejects only if the run ends.
 *
 * @param onFile receives each file that was verified
 */
export async function runScrub(
  work: ScrubWork,
  budget: ScrubBudget,
  onFile: (scrubbed: Scrubbed) => Promise<void>,
): Promise<ScrubTotals> {
  const { listing, reads } = work;
  const { run } = listing;
  const { clock, emit } = run.context;
  const startMs = clock.now();
  const totals: ScrubTotals = {
    counts: { ok: 0, new: 0, changed: 0, suspect: 0, accepted: 0, unreadable: 0 },
    bytes: 0,
    left: 0,
  };
  const verify = async (entry: FileEntry) => {
    const scrubbed = await scrubFile(work, entry);
    if (scrubbed === undefined) return;
    const { file, result, reason = '' } = scrubbed;
    if (result === 'left') {
      totals.left++;
      run.log('notice', file.path, 'message', { text: `${reason}: left for the next run` });
    } else {
      totals.counts[result]++;
      if (reads && result !== 'unreadable') totals.bytes += Math.max(0, file.size);
    }
    if (result === 'suspect' || result === 'unreadable') {
      const error = new SyncerError('differences', `${result}: ${reason}`, { path: file.path });
      run.log('error', file.path, 'message', { text: error.message, error });
      emit({ type: 'error', error });
    }
    await onFile(scrubbed);
  };
  if (!reads) {
    // To compare what listings say takes no time, and needs no order.
    for await (const files of listing.files()) {
      for (const file of files) {
        await verify(file);
        emit({ type: 'checked', files: 1 });
      }
    }
    return totals;
  }
  const checkers = requestsAtOnce(work.flags, listing.remote);
  for (;;) {
    // They wait in memory; if more are due, the tree is listed again for the next ones.
    const due = new OldestFiles<FileEntry>(200_000);
    await listDue(work, startMs, due);
    const pool = checkPool({ checkers }, run);
    let started = 0;
    for (const { file } of due.sorted()) {
      if (run.op.signal.aborted) break;
      if (!budget.take(Math.max(0, file.size))) {
        totals.left++;
        continue;
      }
      started++;
      emit({ type: 'check-queued', files: 1 });
      await pool.add(async () => {
        try {
          if (run.op.signal.aborted) return;
          await run.control?.ready(run.op.signal);
          await verify(file);
        } catch (thrown) {
          run.fail(thrown, file.path);
        }
        emit({ type: 'checked', files: 1 });
      });
    }
    await pool.idle();
    run.context.signal.throwIfAborted();
    if (!due.isCut || started === 0 || budget.isSpent) return totals;
    totals.left = 0;
  }
}

async function listDue(
  work: ScrubWork,
  startMs: number,
  due: OldestFiles<FileEntry>,
): Promise<void> {
  const { listing, suspects } = work;
  const { accept: accepts, every: everyMs } = work.flags;
  const { remote, run } = listing;
  const missing = new Map(
    suspects.below(listing.file?.path ?? '').map((note) => [note.path, note]),
  );
  for await (const files of listing.files()) {
    for (const file of files) {
      const suspect = suspects.at(file.path);
      if (suspect !== undefined) missing.delete(suspect.path);
      if (accepts && suspect?.was === undefined) continue;
      const ms = accepts ? 0 : verifiedMs(work, file);
      const isOld = ms < startMs && (ms === 0 || ms <= startMs - everyMs);
      const checkedMs = pastMs(suspect?.checkedMs ?? 0, run.context.clock.now());
      if (accepts || (suspect === undefined ? isOld : checkedMs < startMs))
        due.add({ file, size: file.size, verifiedMs: ms });
    }
  }
  if (run.tally.count > 0) return;
  for (const note of missing.values()) {
    const path = suspects.pathOf(note);
    // A filter may have left it out, and its disk may not be mounted.
    if (path === undefined || !(await suspects.isMounted(note))) continue;
    const found = await remote.stat(path, run.op).catch(() => {
      run.op.signal.throwIfAborted();
      return 'unknown';
    });
    if (found === undefined) await suspects.erase(note);
  }
}

/** A file that waits to be read. */
interface DueFile<T> {
  readonly file: T;
  /** In bytes. */
  readonly size: number;
  /** When its content was last verified, in milliseconds since the epoch; 0: never. */
  readonly verifiedMs: number;
}

/** The `most` files that were not verified for the longest time, of any number. */
export class OldestFiles<T> {
  readonly #most: number;
  #files: DueFile<T>[] = [];
  #newestMs = Number.POSITIVE_INFINITY;
  /** Some files did not fit. */
  isCut = false;

  constructor(most: number) {
    this.#most = most;
  }

  add(due: DueFile<T>): void {
    if (due.verifiedMs >= this.#newestMs) {
      this.isCut = true;
      return;
    }
    this.#files.push(due);
    if (this.#files.length >= this.#most * 2) this.#cut();
  }

  /** The files, the one that waits longest first; of those that wait equally long the largest, which fit least. */
  sorted(): readonly DueFile<T>[] {
    this.#cut();
    return this.#files;
  }

  #cut(): void {
    this.#files.sort((a, b) => a.verifiedMs - b.verifiedMs || b.size - a.size);
    if (this.#files.length <= this.#most) return;
    this.isCut = true;
    this.#files.length = this.#most;
    this.#newestMs = this.#files.at(-1)?.verifiedMs ?? Number.POSITIVE_INFINITY;
  }
}

/** How much a scrub reads, in bytes or in milliseconds; neither: everything. */
export interface ScrubLimit {
  readonly bytes?: number;
  readonly ms?: number;
}

/** Parses `--budget`. Throws `command-line`. */
export function parseScrubLimit(text: string | undefined): ScrubLimit {
  if (text === undefined) return {};
  try {
    // A number with a unit of time in small letters: `2h`, `1h30m`. Anything else is a size: `100G`.
    const isTime = /^([\d.]+(ms|s|m|h|d|w|y))+$/.test(text);
    const amount = isTime ? { ms: parseDuration(text, 0) } : { bytes: parseByteSize(text) };
    if ((amount.ms ?? amount.bytes ?? 0) > 0) return amount;
  } catch {
    // Reported below.
  }
  const advice = 'use a size such as 100G, or a time such as 2h';
  throw new SyncerError('command-line', `invalid value for flag --budget: "${text}"`, { advice });
}

/** What is left of a limit. */
export class ScrubBudget {
  readonly #mostBytes: number;
  readonly #endMs: number;
  readonly #nowMs: () => number;
  #bytes = 0;

  /** @param nowMs `Clock.monotonic` */
  constructor({ bytes, ms }: ScrubLimit, nowMs: () => number) {
    this.#mostBytes = bytes ?? Number.POSITIVE_INFINITY;
    this.#endMs = nowMs() + (ms ?? Number.POSITIVE_INFINITY);
    this.#nowMs = nowMs;
  }

  /** Nothing more may be read. */
  get isSpent(): boolean {
    return this.#bytes >= this.#mostBytes || this.#nowMs() >= this.#endMs;
  }

  /**
   * Takes a file of `bytes` if it still fits. The first one always does: a file larger than the budget would never be
   * read.
   */
  take(bytes: number): boolean {
    const fits = this.#bytes === 0 || this.#bytes + bytes <= this.#mostBytes;
    if (!fits || this.#nowMs() >= this.#endMs) return false;
    this.#bytes += bytes;
    return true;
  }
}
