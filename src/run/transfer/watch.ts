import type { Watching } from '../../core/changes.ts';
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
  const seen = seenChanges(context, watch);
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
      seen.putBack(changed);
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
function seenChanges(context: Context, { source, filter, delayMs }: Watch) {
  const { clock, signal, emit } = context;
  const { watch } = source.can;
  let [dirs, whole] = [new Set<string>(), new Set<string>()];
  /** Anything may have changed: a run over everything is due. */
  let anything = true;
  let watching: AbortSignal | undefined;
  let root: Watching | undefined;
  let token: string | undefined;
  let wake = () => {};
  const isWatching = () => watching?.aborted === false;
  /** Watches, unless it does already, or too many changes to report come during that: then the next run tries again. */
  const start = async () => {
    if (watch === undefined) {
      token ??= (await source.can.changes?.(undefined, context))?.token;
      return;
    }
    if (isWatching()) return;
    anything = true;
    const begun = linkedAbort(signal);
    const plan = {
      keepDir: (dir: string) => filter.keepDir(dir),
      onChange: (dir: string, isWhole: boolean) => {
        // A marker file (`--exclude-if-present`) decides about all that is below.
        (isWhole || filter.markerFiles.length > 0 ? whole : dirs).add(dir);
        wake();
      },
      onLost: (error?: Error) => {
        if (error === undefined) emit(logText('info', 'Many changes: comparing everything'));
        else {
          const { message, path } = toSyncerError(error);
          emit(logText('error', message, path));
        }
        begun.abort();
        anything = true;
        wake();
      },
    };
    const remote = await watch(plan, begun).catch((thrown) => {
      signal.throwIfAborted();
      if (!begun.signal.aborted) throw thrown;
    });
    if (remote === undefined) return;
    watching = begun.signal;
    root ??= remote;
    const text = `Watching ${remote.dirs} ${remote.dirs === 1 ? 'directory' : 'directories'}`;
    emit(logText('info', text, source.title));
  };
  const poll = async () => {
    const changes = await source.can.changes?.(token, context);
    token = changes?.token;
    anything ||= changes?.items === undefined || changes.items.length > 0;
    return anything;
  };
  /** Resolves to `true` after a change, to `false` if there is none for so long. */
  const event = async (ms?: number) => {
    if (watch === undefined) {
      await clock.sleep(ms ?? 10_000, signal);
      return ms === undefined && (await poll());
    }
    const changed = new AbortController();
    wake = () => changed.abort();
    // An hour, where only a change can end it.
    const either = AbortSignal.any([signal, changed.signal]);
    await clock.sleep(ms ?? 3_600_000, either).catch(() => {});
    wake = () => {};
    signal.throwIfAborted();
    return changed.signal.aborted;
  };
  /** Whether something has changed since `take`. */
  const isDue = () => anything || dirs.size > 0 || whole.size > 0;
  return {
    /** What changed since the last call; `undefined`: anything. Watches from now on. */
    async take(): Promise<ChangedDirs | undefined> {
      // The root of the first watch counts, whatever is there when it is watched again.
      root?.assertSameRoot();
      await start();
      root?.assertSameRoot();
      const changed = anything ? undefined : { dirs, whole };
      [dirs, whole, anything] = [new Set(), new Set(), watch !== undefined && !isWatching()];
      return changed;
    },
    /** The run did not do what was due. */
    putBack(changed: ChangedDirs | undefined) {
      if (changed === undefined) anything = true;
      for (const dir of changed?.dirs ?? []) dirs.add(dir);
      for (const dir of changed?.whole ?? []) whole.add(dir);
    },
    /** Waits until something has changed, and then until nothing more does for a while. */
    async next() {
      while (!isDue()) await event();
      // A file that never rests is copied, too.
      const endMs = clock.monotonic() + 10 * delayMs;
      while (clock.monotonic() < endMs) if (!(await event(delayMs))) return;
    },
    /** Waits so long after a failed run, or until something else changes: that need not wait for what failed. */
    async pause(ms: number) {
      if (await event(ms)) await clock.sleep(PAUSE.first, signal);
    },
    isDue,
  };
}
