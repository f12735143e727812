import type { Clock, Context } from '../../core/context.ts';
import type { SyncerError } from '../../core/errors.ts';
import type { LogEvent, LogLevel, SyncerEvent } from '../../core/events.ts';
import { nameFromBytes, nameToBytes } from '../../core/name-bytes.ts';
import type { RunSteering } from '../../engine/run-control.ts';
import type { CommandLine, CommandSummary } from '../../shell/command-line/command.ts';
import { FILTER_FLAGS } from '../../shell/flags/filter-flags.ts';
import { tellDump } from '../../shell/log/dump-list.ts';
import type { KnownSecrets } from '../../shell/log/known-secrets.ts';
import { recordOf } from '../../shell/log/log-record.ts';
import { logSettings, openRunLog } from '../../shell/log/run-log.ts';
import { shownWords } from '../../shell/log/shown-words.ts';
import type { OutputStream } from '../../shell/output/output.ts';
import type { ProgramIo } from '../../shell/process/program-io.ts';
import {
  addError,
  applyEvent,
  holdClock,
  ProgressState,
} from '../../shell/progress/progress-state.ts';
import { isPlainTerminal } from '../../system/plain-terminal.ts';
import type { ProgressView } from './progress-view.ts';
import { startStatistics, statisticsSettings } from './run-statistics.ts';

/** As many log lines of the time of a screen are shown after it; the earlier ones are only counted, as in rclone. */
const SCREEN_LINES = 100;

/** Everything a run shows: its log, its statistics and the view of its progress. */
export type RunReport = Awaited<ReturnType<typeof openReport>>;

/**
 * Opens log, statistics and progress by the flags. Throws `usage` for invalid flags.
 *
 * @param runId of a run that the history will have
 */
export async function openReport(
  line: CommandLine,
  { name, showsStats, listed }: Pick<CommandSummary, 'name' | 'showsStats' | 'listed'>,
  io: ProgramIo,
  clock: Clock,
  secrets: KnownSecrets,
  runId = '',
) {
  const { flags, given } = line;
  const logging = logSettings(flags);
  const state = new ProgressState(clock.monotonic());
  // A view that is redrawn leaves no place for questions and answers.
  const onTerminal = io.stdout.isTTY === true && !flags.interactive && !isPlainTerminal(io.env);
  const settings = statisticsSettings(flags, given, showsStats, onTerminal);
  const shown =
    flags.progress && onTerminal
      ? (await import('./open-progress-view.ts')).openProgressView(
          io,
          flags,
          state,
          clock,
          settings,
          runId,
          wordsAgain(name, line),
        )
      : undefined;
  const view = shown?.view;
  const { print, hold, showHeld } = logLines(io, view, flags['quiet-unless'] !== undefined);
  const { rotation } = logging;
  const { openRotatingFile } = rotation ? await import('../../shell/log/rotating-file.ts') : {};
  const log = openRunLog(
    logging,
    (text) => print(nameToBytes(text)),
    (text) => secrets.hide(text),
    openRotatingFile && rotation && ((path) => openRotatingFile(path, rotation, clock)),
  );
  // On a screen equal errors are one line with a count; lines for each are there with -v, --log-file and in JSON.
  const folds = view !== undefined && !log.toFile && !logging.json && !log.shows('info');
  let control: RunSteering | undefined = shown?.control;
  if (shown === undefined && listed !== undefined) {
    const { createRunControl } = await import('../../engine/run-control.ts');
    control = createRunControl(() => void process.kill(process.pid, 'SIGINT'));
  }
  const isPaused = () => control?.isPaused === true;
  const finish = startStatistics(state, clock, settings, log, view, isPaused);
  const logEvent = (event: LogEvent) => log.write(recordOf(event, clock.now()));
  const tell = (level: LogLevel, text: string, error?: SyncerError) =>
    logEvent({ type: 'log', level, code: 'message', fields: { text, ...(error && { error }) } });
  tellDump(flags, (message) => tell('notice', message));
  const listeners = new Set<(event: SyncerEvent) => void>();
  let setbacks = 0;
  let last: ReturnType<NonNullable<Context['lastWait']>>;
  return {
    state,
    log,
    /** The log is one of JSON. */
    isJson: logging.json,
    /** The command's own output: to standard output, or above the view. */
    output:
      view === undefined
        ? io.stdout
        : ({
            write(chunk, done) {
              view.print(nameFromBytes(chunk));
              done();
              return true;
            },
            on: () => undefined,
          } satisfies OutputStream as OutputStream),
    /** The view of `--progress`, if it is shown on a terminal. */
    view,
    /** Controls a run that is listed or has a view. */
    control,
    /** Calls `listener` for every event; returns the function that ends this. */
    listen(listener: (event: SyncerEvent) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Log lines for standard error wait until the returned function is called: the last ones are shown then. */
    hold,
    /** Shows the log that `--quiet-unless` has held so far. */
    showHeld,
    /** Holds the clock of the run until the returned function is called. */
    holdClock: () => holdClock(state, clock),
    tell,
    setbacks: () => setbacks,
    lastWait: () => last,
    emit(event: SyncerEvent) {
      if (event.type === 'wait') {
        setbacks++;
        last = { ...event, untilMs: clock.monotonic() + event.ms };
      }
      const failed = folds && event.type === 'log' && event.code === 'failed' ? event : undefined;
      const isFolded = failed && state.failures.knows(failed.fields.error, failed.path);
      applyEvent(state, event, clock);
      view?.note(event);
      if (listeners.size > 0) for (const listener of listeners) listener(event);
      if (event.type === 'log') {
        if (!isFolded && log.shows(event.level)) logEvent(event);
      } else if (event.type === 'wait') {
        const { why, ms, what, error } = event;
        const reason = why === 'throttled' ? 'asked to slow down' : 'trying again';
        const cause = error === undefined ? '' : `: ${error.message}`;
        tell('debug', `${what}: ${reason} in ${Math.round(ms)}ms${cause}`);
      }
    },
    /** Counts the error of the run, if any, and logs the last statistics. */
    finish(thrown: SyncerError | undefined) {
      // An error about differences sums up what was counted one by one.
      if (thrown !== undefined && (thrown.code !== 'differences' || state.errors === 0))
        addError(state, thrown);
      finish(thrown);
    },
  };
}

/**
 * Where log lines go: to standard error, or above the view.
 *
 * @param holdsAll they are held until `showHeld`
 */
function logLines({ stderr }: ProgramIo, view: ProgressView | undefined, holdsAll: boolean) {
  let holds = 0;
  const behindScreen = new HeldLog(SCREEN_LINES);
  const held = holdsAll ? new HeldLog() : undefined;
  const print = (lines: Uint8Array) => {
    if (holds > 0) behindScreen.write(lines);
    else if (held !== undefined) held.write(lines);
    else if (view === undefined) stderr.write(lines);
    else view.print(nameFromBytes(lines));
  };
  return {
    print,
    hold() {
      holds++;
      return () => {
        holds--;
        const lines = behindScreen.take();
        if (lines.length > 0) print(lines);
      };
    },
    showHeld() {
      if (held !== undefined) stderr.write(held.take());
    },
  };
}

/** A log that is held until someone can see it: while a screen is shown, or until the end (`--quiet-unless`). */
export class HeldLog {
  readonly #mostLines: number;
  #parts: Uint8Array[] = [];
  #size = 0;
  #dropped = 0;

  /** @param mostLines only the last ones are kept */
  constructor(mostLines = Number.POSITIVE_INFINITY) {
    this.#mostLines = mostLines;
  }

  /** Keeps some lines. */
  write(lines: Uint8Array): void {
    this.#parts.push(lines);
    this.#size += lines.length;
    // In characters; the oldest lines go first.
    const isTooMuch = () => this.#size > 8 << 20 || this.#parts.length > this.#mostLines;
    while (isTooMuch() && this.#parts.length > 1) {
      this.#size -= this.#parts.shift()?.length ?? 0;
      this.#dropped++;
    }
  }

  /** All that is kept, and how much is not. */
  take(): Buffer {
    const note = `(${this.#dropped} earlier lines of the log are not shown)\n`;
    const all = Buffer.concat(
      this.#dropped === 0 ? this.#parts : [Buffer.from(note), ...this.#parts],
    );
    [this.#parts, this.#size, this.#dropped] = [[], 0, 0];
    return all;
  }
}

/** The words of a command that can be repeated for some of its files; `undefined` if it has filters already. */
function wordsAgain(
  name: string,
  { args, flagWords, given }: CommandLine,
): readonly string[] | undefined {
  // Their files can be chosen by `--include`, without another effect.
  if (name !== 'copy' && name !== 'sync' && name !== 'move') return undefined;
  const isFiltered = Object.keys(FILTER_FLAGS).some((flag) => given.has(flag));
  return isFiltered ? undefined : shownWords([name, ...args, ...flagWords]);
}
