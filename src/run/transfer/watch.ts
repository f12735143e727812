import type { Watching, WatchPlan } from '../../core/changes.ts';
import { type Context, linkedAbort } from '../../core/context.ts';
import { type ErrorCode, SyncerError, toSyncerError } from '../../core/errors.ts';
import type { Remote } from '../../core/remote.ts';
import { harmless } from '../../core/shown-text.ts';
import { type ChangedDirs, type Filter, onlyChanged } from '../../filter/filter.ts';
import type { Steering } from '../../shell/command-line/command.ts';
import { logText } from '../../shell/log/log-text.ts';
import { shownText } from '../../shell/log/shown-words.ts';
import { fitLine } from '../../terminal/cells.ts';
import { span } from '../../terminal/span.ts';
import { ago } from '../../terminal/time-texts.ts';

/** How long to wait after a failed run, in milliseconds: twice as long each time. */
const PAUSE = { first: 5000, longest: 300_000 };

/** Errors that end a run, but may have gone by the next one. */
const PASSING: readonly ErrorCode[] = ['quota-exceeded', 'bucket-not-found', 'locked'];

/** What is watched, and what is done about changes. */
export interface Watch extends Steering {
  readonly source: Pick<Remote, 'title'> & {
    readonly can: Pick<Remote['can'], 'watch' | 'changes'>;
  };
  /** What is watched, as the user wrote it. */
  readonly about: string;
  readonly filter: Filter;
  /** How long nothing must change before a run, in milliseconds (`--watch-delay`). */
  readonly delayMs: number;
  /** Runs with the filter: the whole one, or one for what changed. */
  run(filter: Filter, isWhole: boolean): Promise<void>;
  /** Whether the last run did what an earlier one had undone: it may go on like that, so the next one waits. */
  isRestless?(): boolean;
}

/**
 * `--watch`: runs, then again as the source changes, until the context is aborted. A run that fails is repeated, with
 * pauses, unless nothing but a person could help. Rejects with the error that ends it, and with `unsupported` if the
 * source cannot be watched.
 *
 * It is no retry: each run has changes of its own, there is no last one, and a change ends the pause. Within a run,
 * `retryRun` makes the attempts of `--retries`.
 */
export async function watchAndRun(ofRuns: Context, watch: Watch): Promise<never> {
  const { source, filter, control, run } = watch;
  if (source.can.watch === undefined && source.can.changes === undefined) {
    const message = `cannot watch ${source.title}: use a timer (syncer job --print-unit)`;
    throw new SyncerError('unsupported', message);
  }
  // A run that is stopped finishes its files; what waits for changes ends at once.
  control?.enter();
  const { signal } = linkedAbort(ofRuns.signal, ...(control ? [control.stopping] : []));
  const context = { ...ofRuns, signal };
  const seen = new SeenChanges(context, watch);
  const restless = { count: 0, lastMs: 0 };
  for (let failures = 0, isFirst = true; ; isFirst = false) {
    let changed: ChangedDirs | undefined;
    let doing: 'begin' | 'run' | 'wait' = 'begin';
    try {
      const due = await seen.take();
      [changed, doing] = [due, 'run'];
      const isWhole = due === undefined || filter.fileList !== undefined;
      await run(isWhole ? filter : onlyChanged(filter, due), isWhole);
      failures = 0;
      doing = 'wait';
      if (watch.isRestless?.() === true) await calmDown(context, restless);
      await watching(context, watch, () => seen.next());
    } catch (thrown) {
      if (doing === 'wait' && control?.stopping.aborted === true && !seen.isDue())
        throw new SyncerError('stopped', 'stopped watching');
      context.signal.throwIfAborted();
      const error = toSyncerError(thrown);
      if (doing === 'begin' && (isFirst || !error.retry)) throw error;
      if (error.stop && !PASSING.includes(error.code)) throw error;
      // Changes during the run need not wait for what failed, nor do those of the pause.
      const longestMs = doing === 'run' && seen.isDue() ? PAUSE.first : PAUSE.longest;
      seen.restore(changed);
      const pauseMs = Math.min(PAUSE.first * 2 ** failures++, longestMs);
      const text = `${error.message}: the next run is in ${pauseMs / 1000} seconds`;
      context.emit(logText('notice', text, source.title));
      await seen.pause(pauseMs);
    }
  }
}

/** Waits, longer each time; no change ends it: those are what goes on. */
async function calmDown(
  { clock, emit, signal }: Context,
  restless: { count: number; lastMs: number },
): Promise<void> {
  // Without a restless run for an hour it waits for the first pause again.
  if (clock.monotonic() - restless.lastMs > 3_600_000) restless.count = 0;
  const pauseMs = Math.min(PAUSE.first * 2 ** restless.count++, PAUSE.longest);
  const text = `Files that were deleted came back: the next run is in ${pauseMs / 1000} seconds`;
  emit(logText('notice', text));
  await clock.sleep(pauseMs, signal);
  restless.lastMs = clock.monotonic();
}

/** Waits for changes; the view of the run says so. */
async function watching(
  { clock }: Context,
  { about, overview }: Watch,
  wait: () => Promise<void>,
): Promise<void> {
  const endedMs = clock.monotonic();
  overview?.(({ size, look }) => {
    const text = `watching ${harmless(shownText(about))}, last run ${ago(clock.monotonic() - endedMs)}`;
    return [fitLine([span(text)], size.columns, look.glyphs.ellipsis)];
  });
  try {
    await wait();
  } finally {
    overview?.(undefined);
  }
}

/** The changes since the last run. */
class SeenChanges {
  readonly #context: Context;
  readonly #watch: Watch;
  #dirs = new Set<string>();
  /** Directories of which anything below may have changed. */
  #whole = new Set<string>();
  /** Anything may have changed: a run over everything is due. */
  #anything = true;
  /** Of the watch that runs, until it has lost something. */
  #watching: AbortSignal | undefined;
  /** The first watch: it knows which root was there. */
  #root: Watching | undefined;
  /** Where a source that is polled has come to. */
  #token: string | undefined;
  #wake = () => {};

  constructor(context: Context, watch: Watch) {
    this.#context = context;
    this.#watch = watch;
  }

  /** What changed since the last call; `undefined`: anything. Watches from now on. */
  async take(): Promise<ChangedDirs | undefined> {
    // The root of the first watch counts, whatever is there when it is watched again.
    this.#root?.assertSameRoot();
    await this.#start();
    this.#root?.assertSameRoot();
    const changed = this.#anything ? undefined : { dirs: this.#dirs, whole: this.#whole };
    [this.#dirs, this.#whole] = [new Set(), new Set()];
    this.#anything = this.#watch.source.can.watch !== undefined && !this.#isWatching();
    return changed;
  }

  /** The run did not do what was due. */
  restore(changed: ChangedDirs | undefined): void {
    if (changed === undefined) this.#anything = true;
    for (const dir of changed?.dirs ?? []) this.#dirs.add(dir);
    for (const dir of changed?.whole ?? []) this.#whole.add(dir);
  }

  /** Waits until something has changed, and then until nothing more does for a while. */
  async next(): Promise<void> {
    const { clock } = this.#context;
    const { delayMs } = this.#watch;
    while (!this.isDue()) await this.#event();
    // A file that never rests is copied, too.
    const endMs = clock.monotonic() + 10 * delayMs;
    while (clock.monotonic() < endMs) if (!(await this.#event(delayMs))) return;
  }

  /** Waits so long after a failed run, or until something else changes: that need not wait for what failed. */
  async pause(ms: number): Promise<void> {
    const { clock, signal } = this.#context;
    if (await this.#event(ms)) await clock.sleep(PAUSE.first, signal);
  }

  /** Whether something has changed since `take`. */
  isDue(): boolean {
    return this.#anything || this.#dirs.size > 0 || this.#whole.size > 0;
  }

  #isWatching(): boolean {
    return this.#watching?.aborted === false;
  }

  /** Watches, unless it does already, or too many changes to report come during that: then the next run tries again. */
  async #start(): Promise<void> {
    const { signal, emit } = this.#context;
    const { source } = this.#watch;
    const { watch } = source.can;
    if (watch === undefined) {
      this.#token ??= (await source.can.changes?.(undefined, this.#context))?.token;
      return;
    }
    if (this.#isWatching()) return;
    this.#anything = true;
    const begun = linkedAbort(signal);
    const onLost = (error?: Error) => {
      this.#logLost(error);
      begun.abort();
      this.#anything = true;
      this.#wake();
    };
    const remote = await watch(this.#watchPlan(onLost), begun).catch((thrown) => {
      signal.throwIfAborted();
      if (!begun.signal.aborted) throw thrown;
    });
    if (remote === undefined) return;
    this.#watching = begun.signal;
    this.#root ??= remote;
    const text = `Watching ${remote.dirs} ${remote.dirs === 1 ? 'directory' : 'directories'}`;
    emit(logText('info', text, source.title));
  }

  #watchPlan(onLost: WatchPlan['onLost']): WatchPlan {
    const { filter } = this.#watch;
    return {
      keepDir: (dir) => filter.keepDir(dir),
      onChange: (dir, isWhole) => {
        // A marker file (`--exclude-if-present`) decides about all that is below.
        (isWhole || filter.markerFiles.length > 0 ? this.#whole : this.#dirs).add(dir);
        this.#wake();
      },
      onLost,
    };
  }

  /** @param error absent: more changes came than can be reported */
  #logLost(error: Error | undefined): void {
    const { emit } = this.#context;
    if (error === undefined) emit(logText('info', 'Many changes: comparing everything'));
    else {
      const { message, path } = toSyncerError(error);
      emit(logText('error', message, path));
    }
  }

  async #poll(): Promise<boolean> {
    const changes = await this.#watch.source.can.changes?.(this.#token, this.#context);
    this.#token = changes?.token;
    this.#anything ||= changes?.items === undefined || changes.items.length > 0;
    return this.#anything;
  }

  /** Resolves to `true` after a change, to `false` if there is none for so long. */
  async #event(ms?: number): Promise<boolean> {
    const { clock, signal } = this.#context;
    if (this.#watch.source.can.watch === undefined) {
      await clock.sleep(ms ?? 10_000, signal);
      return ms === undefined && (await this.#poll());
    }
    const changed = new AbortController();
    this.#wake = () => changed.abort();
    // An hour, where only a change can end it.
    const either = AbortSignal.any([signal, changed.signal]);
    await clock.sleep(ms ?? 3_600_000, either).catch(() => {});
    this.#wake = () => {};
    signal.throwIfAborted();
    return changed.signal.aborted;
  }
}
