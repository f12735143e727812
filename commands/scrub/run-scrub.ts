import { pastMs } from '../../src/caches/hashes/hash-record.ts';
import { SyncerError } from '../../src/core/errors.ts';
import type { FileEntry } from '../../src/core/remote.ts';
import { checkPool } from '../../src/engine/task-pool.ts';
import { parseByteSize } from '../../src/go/byte-size.ts';
import { parseDuration } from '../../src/go/duration.ts';
import type { Suspect } from '../../src/run/guards/suspects.ts';
import {
  type Scrubbed,
  type ScrubResult,
  type ScrubWork,
  scrubFile,
  verifiedMs,
} from './scrub-files.ts';

/** What is read in which order. */
export interface ScrubPlan {
  readonly budget: ScrubBudget;
  /** Files verified less than this ago are not due, in milliseconds (`--every`). */
  readonly everyMs: number;
  readonly checkers: number;
  /** Receives each file that was verified. */
  readonly onFile: (scrubbed: Scrubbed) => Promise<void>;
}

/** The numbers of a scrub. */
export interface ScrubTotals {
  readonly counts: Record<ScrubResult, number>;
  /** Read, in bytes. */
  bytes: number;
  /** Files that were due and not read, or changed while they were read. */
  left: number;
}

/** How many files wait in memory; if more are due, the tree is listed again for the next ones. */
const MOST_WAITING = 200_000;

/** Verifies files, those first that were not verified for the longest time. Rejects only if the run ends. */
export async function runScrub(work: ScrubWork, plan: ScrubPlan): Promise<ScrubTotals> {
  const { context } = work.listing.run;
  const startMs = context.clock.now();
  const totals: ScrubTotals = {
    counts: { ok: 0, new: 0, changed: 0, suspect: 0, accepted: 0, unreadable: 0 },
    bytes: 0,
    left: 0,
  };
  if (!work.reads) {
    await compareListed(work, plan, totals);
    return totals;
  }
  for (;;) {
    const due = new OldestFiles<FileEntry>(MOST_WAITING);
    await listDue(work, startMs, plan.everyMs, due);
    const started = await readAll(work, plan, due, totals);
    if (!due.isCut || started === 0 || plan.budget.isSpent) break;
    totals.left = 0;
  }
  return totals;
}

/** Compares what listings say with what is recorded: that takes no time, and needs no order. */
async function compareListed(
  work: ScrubWork,
  { onFile }: ScrubPlan,
  totals: ScrubTotals,
): Promise<void> {
  for await (const files of work.listing.files()) {
    for (const file of files) {
      await count(work, await scrubFile(work, file), totals, onFile);
      work.listing.run.context.emit({ type: 'checked', files: 1 });
    }
  }
}

async function listDue(
  work: ScrubWork,
  startMs: number,
  everyMs: number,
  due: OldestFiles<FileEntry>,
): Promise<void> {
  const { listing, suspects, accepts } = work;
  const { context } = listing.run;
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
      const checkedMs = pastMs(suspect?.checkedMs ?? 0, context.clock.now());
      if (accepts || (suspect === undefined ? isOld : checkedMs < startMs))
        due.add({ file, size: file.size, verifiedMs: ms });
    }
  }
  if (listing.run.tally.count > 0) return;
  for (const note of missing.values()) if (await isGone(work, note)) await suspects.erase(note);
}

/** A filter may have left it out, and its disk may not be mounted. */
async function isGone({ listing, suspects }: ScrubWork, note: Suspect): Promise<boolean> {
  const { remote, run } = listing;
  const path = suspects.pathOf(note);
  if (path === undefined || !(await suspects.isMounted(note))) return false;
  try {
    return (await remote.stat(path, run.op)) === undefined;
  } catch {
    run.op.signal.throwIfAborted();
    return false;
  }
}

/** Resolves to the number of files that were started. */
async function readAll(
  work: ScrubWork,
  { budget, checkers, onFile }: ScrubPlan,
  due: OldestFiles<FileEntry>,
  totals: ScrubTotals,
): Promise<number> {
  const { run } = work.listing;
  const { emit } = run.context;
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
        await count(work, await scrubFile(work, file), totals, onFile);
      } catch (thrown) {
        run.fail(thrown, file.path);
      }
      emit({ type: 'checked', files: 1 });
    });
  }
  await pool.idle();
  run.context.signal.throwIfAborted();
  return started;
}

async function count(
  { listing: { run }, reads }: ScrubWork,
  scrubbed: Scrubbed | undefined,
  totals: ScrubTotals,
  onFile: ScrubPlan['onFile'],
): Promise<void> {
  if (scrubbed === undefined) return;
  const { file, result, reason = '' } = scrubbed;
  if (result === 'left') {
    totals.left++;
    run.log('notice', file.path, 'message', { text: `${reason}: left for the next run` });
    return onFile(scrubbed);
  }
  totals.counts[result]++;
  if (reads && result !== 'unreadable') totals.bytes += Math.max(0, file.size);
  if (result === 'suspect' || result === 'unreadable') {
    const error = new SyncerError('differences', `${result}: ${reason}`, { path: file.path });
    run.log('error', file.path, 'message', { text: error.message, error });
    run.context.emit({ type: 'error', error });
  }
  await onFile(scrubbed);
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

/** A number with a unit of time in small letters: `2h`, `1h30m`. Anything else is a size: `100G`. */
const DURATION = /^([\d.]+(ms|s|m|h|d|w|y))+$/;

/** Parses `--budget`. Throws `command-line`. */
export function parseScrubLimit(text: string | undefined): ScrubLimit {
  if (text === undefined) return {};
  try {
    const amount = DURATION.test(text)
      ? { ms: parseDuration(text, 0) }
      : { bytes: parseByteSize(text) };
    if ((amount.ms ?? amount.bytes ?? 0) > 0) return amount;
  } catch {
    // Reported below.
  }
  const advice = 'use a size such as 100G, or a time such as 2h';
  throw new SyncerError('command-line', `invalid value for flag --budget: "${text}"`, { advice });
}

/** What is left of a limit. */
export class ScrubBudget {
  readonly #limit: ScrubLimit;
  readonly #endMs: number;
  readonly #nowMs: () => number;
  #bytes = 0;

  /** @param nowMs `Clock.monotonic` */
  constructor(limit: ScrubLimit, nowMs: () => number) {
    this.#limit = limit;
    this.#nowMs = nowMs;
    this.#endMs = nowMs() + (limit.ms ?? Number.POSITIVE_INFINITY);
  }

  /** Nothing more may be read. */
  get isSpent(): boolean {
    return this.#bytes >= (this.#limit.bytes ?? Number.POSITIVE_INFINITY) || this.isOver;
  }

  /** The time is over. */
  get isOver(): boolean {
    return this.#nowMs() >= this.#endMs;
  }

  /**
   * Takes a file of `bytes` if it still fits. The first one always does: a file larger than the budget would never be
   * read.
   */
  take(bytes: number): boolean {
    const { bytes: most = Number.POSITIVE_INFINITY } = this.#limit;
    if (this.isOver || (this.#bytes > 0 && this.#bytes + bytes > most)) return false;
    this.#bytes += bytes;
    return true;
  }
}
