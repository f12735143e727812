import { abortable, timerMs } from '../../src/core/context.ts';
import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import { nameToBytes } from '../../src/core/name-bytes.ts';
import { shortRunId } from '../../src/core/run-id.ts';
import { harmless } from '../../src/core/shown-text.ts';
import {
  type RunQuestion,
  type RunStatus,
  takeProgress,
  type WaitNote,
} from '../../src/run/presence/run-protocol.ts';
import { plainLine } from '../../src/run/progress/open-progress-view.ts';
import { ProgressView, type ViewSteering } from '../../src/run/progress/progress-view.ts';
import { statisticsSettings } from '../../src/run/progress/run-statistics.ts';
import type {
  Asking,
  CommandCall,
  Environment,
  StandardOutput,
} from '../../src/shell/command-line/command.ts';
import { canAsk } from '../../src/shell/interactive/input-lines.ts';
import { hasScreenTerminal, themedLook } from '../../src/shell/interactive/screen-terminal.ts';
import { formatTextRecord, logPrefix, readLogFormat } from '../../src/shell/log/log-record.ts';
import { usesColour } from '../../src/shell/log/uses-colour.ts';
import { jobControl } from '../../src/shell/process/job-control.ts';
import { lastLines } from '../../src/shell/progress/last-lines.ts';
import { progressLines, progressOneLine } from '../../src/shell/progress/progress-lines.ts';
import { ProgressState, RATE_TICK_MS } from '../../src/shell/progress/progress-state.ts';
import type { RunEntry } from '../../src/state/runs.ts';
import { isPlainTerminal } from '../../src/system/plain-terminal.ts';
import { span } from '../../src/terminal/span.ts';
import { chooseFromList, chooseRun, type OpenedRun, openRun } from './find-run.ts';

/** Watches a running run until it ends or the user leaves. Rejects if it ended with an error. */
export async function attach(
  invocation: CommandCall & Environment & StandardOutput & Asking,
): Promise<void> {
  const { args, env, flags, context } = invocation;
  const hasList = hasScreenTerminal() && !isPlainTerminal(env);
  let isLeft = false;
  const choose = async (runs: readonly RunEntry[]) => {
    if (!hasList) return chooseRun(invocation, runs);
    const chosen = await chooseFromList(invocation, runs);
    isLeft = chosen === undefined;
    return chosen;
  };
  const run = await openRun(args[0], invocation, canAsk() ? choose : undefined).catch(
    (thrown: unknown) => {
      if (isLeft) return undefined;
      throw thrown;
    },
  );
  if (run === undefined) return;
  const { client } = run;
  const settings = statisticsSettings(flags, new Set(), true, false);
  const state = new ProgressState(context.clock.monotonic());
  let exit: number | undefined;
  let display: AttachedDisplay | undefined;
  let last: RunStatus;
  const take = (status: RunStatus) => {
    last = status;
    takeProgress(state, status.progress, context.clock.monotonic() - status.nowMs);
  };
  const text = attachedText(invocation);
  client.on((event) => {
    if (event.event === 'state') take(event.state);
    else if (event.event === 'log') display?.log(text(event.line));
    else if (event.event === 'wait') display?.wait(event.wait);
    else if (event.event === 'end') exit = event.exit;
  });
  try {
    take(await client.status({ ask: 'watch' }));
    const attached: AttachedRun = { run, state, status: () => last, take, style: settings.style };
    const onTerminal = hasScreenTerminal() && !isPlainTerminal(env);
    display = onTerminal
      ? openAttachedView(invocation, attached)
      : attachedLines(invocation, attached, settings.intervalMs);
    const end = Promise.race([client.closed.then(() => true), display.left.then(() => false)]);
    const hasEnded = await abortable(end, context.signal).catch(() => false);
    if (hasEnded) attached.state.hasEnded = true;
    await display.finish(hasEnded ? exit : undefined);
    context.signal.throwIfAborted();
    if (!hasEnded) return;
    if (exit === undefined) {
      const text = `${run.title} ended without a result: it crashed or was killed`;
      throw new SyncerError('no-answer', text);
    }
    if (exit !== 0) throw new SyncerError('other', `${run.title} ended with exit code ${exit}`);
  } finally {
    client.close();
  }
}

/** Lines for pipes: the log, and statistics in one line from time to time. */
function attachedLines(
  { out, context }: CommandCall & StandardOutput,
  { state, style, run }: AttachedRun,
  intervalMs: number,
): AttachedDisplay {
  const { write, written } = plainLines({ out });
  const tell = () => write(`${progressOneLine(state, context.clock.monotonic(), style)}\n`);
  tell();
  const timer = intervalMs > 0 ? setInterval(tell, timerMs(intervalMs)) : undefined;
  return {
    log: write,
    wait: () => {},
    left: new Promise(() => {}),
    async finish(exit) {
      clearInterval(timer);
      tell();
      if (exit === 0) write(`${run.title} is done\n`);
      await written();
    },
  };
}

/** Lines of an attached run as its log has them, with the time of this process. */
export function attachedText({ flags, context }: CommandCall) {
  const format = readLogFormat(flags['log-format']);
  const prefix = logPrefix({ format, systemd: false, pid: process.pid });
  return (line: Omit<Parameters<typeof formatTextRecord>[0], 'timeMs'>) =>
    formatTextRecord({ ...line, timeMs: context.clock.now() }, [], prefix);
}

/** Writes lines for pipes, one after the other; `written` resolves when all are. */
export function plainLines({ out }: StandardOutput) {
  let last: Promise<unknown> = Promise.resolve();
  return {
    write(text: string) {
      last = last.then(() => out.write(nameToBytes(text)));
    },
    written: () => last,
  };
}

/** What an attached run is shown by. */
interface AttachedRun {
  readonly run: OpenedRun;
  /** What is known of the run, with times of this process's clock. */
  readonly state: ProgressState;
  /** The last status that came. */
  readonly status: () => RunStatus;
  /** Takes a status that was asked for. */
  readonly take: (status: RunStatus) => void;
  readonly style: ReturnType<typeof statisticsSettings>['style'];
}

/** How an attached run is shown. */
interface AttachedDisplay {
  log(text: string): void;
  wait(note: WaitNote): void;
  /** The user leaves it. */
  readonly left: Promise<void>;
  /** @param exit the exit code of the run; `undefined`: it goes on, or has ended without one */
  finish(exit: number | undefined): Promise<void>;
}

/** The parts of a view on the terminal of this process, of a run that goes on elsewhere. */
export function ownTerminal({ env, flags, context }: CommandCall & Environment) {
  const { stdin, stdout } = process;
  return {
    terminal: {
      write: (text: string) => void stdout.write(nameToBytes(text)),
      size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
    },
    clock: context.clock,
    look: themedLook(env, flags, usesColour(flags.color, env, true)),
    job: jobControl(process),
    input: stdin,
    hasKeys: true,
  };
}

/** The view of `--progress` of another process's run; its keys are sent there. */
function openAttachedView(
  invocation: CommandCall & Environment,
  { run, state, status, take, style }: AttachedRun,
): AttachedDisplay {
  const own = ownTerminal(invocation);
  const left = Promise.withResolvers<void>();
  const ask = async (question: RunQuestion) => {
    try {
      take(await run.client.status(question));
    } catch (thrown) {
      const { code, message } = toSyncerError(thrown);
      // A run that has just ended answers no more; its end is shown.
      if (code !== 'no-answer') view.print(`${harmless(message)}\n`);
    }
  };
  let exit: number | undefined;
  const view = new ProgressView({
    ...own,
    state,
    unit: style.unit,
    control: steeringBy(status, ask),
    attached: { name: run.title, isFixed: !status().canSteer, detach: () => left.resolve() },
    summary: () => {
      const id = shortRunId(run.entry.id);
      const back = `Detached; the run continues. "syncer attach ${id}" shows it again.`;
      if (exit === undefined) return state.hasEnded ? [] : [[span(back, 'dim')]];
      const thrown =
        exit === 0 ? undefined : new SyncerError(exit === 130 ? 'stopped' : 'other', '');
      const nowMs = own.clock.monotonic();
      const end = { thrown, isDryRun: false, unit: style.unit, runId: run.entry.id };
      return [
        ...progressLines({ ...state, active: new Map() }, nowMs, style).map(plainLine),
        ...lastLines(state, nowMs, end, own.look.glyphs),
      ];
    },
  });
  view.steer({
    limitTo: (rate) => void ask({ ask: 'set', bwlimit: Number.isFinite(rate) ? rate : 'off' }),
    limit() {
      const { bwlimit } = status();
      return bwlimit === 'off' ? Number.POSITIVE_INFINITY : bwlimit;
    },
  });
  const timer = setInterval(() => view.tick(), RATE_TICK_MS);
  return {
    log: (text) => view.print(text),
    wait({ why, ms, what, cause }) {
      const error = cause === undefined ? undefined : new SyncerError('other', cause);
      view.note({ type: 'wait', why, ms, what, ...(error === undefined ? {} : { error }) });
    },
    left: left.promise,
    async finish(code) {
      exit = code;
      clearInterval(timer);
      view.finish();
    },
  };
}

function steeringBy(
  status: AttachedRun['status'],
  ask: (question: RunQuestion) => Promise<void>,
): ViewSteering {
  /** What was asked for, until the answer: a key may come before it. */
  let wanted: number | undefined;
  return {
    get isPaused() {
      return status().isPaused;
    },
    get stopping() {
      return { aborted: status().isStopping };
    },
    slots: {
      get width() {
        return wanted ?? status().transfers;
      },
      set(number) {
        const transfers = Math.max(1, number);
        wanted = transfers;
        void ask({ ask: 'set', transfers }).then(() => {
          if (wanted === transfers) wanted = undefined;
        });
      },
    },
    pause: () => void ask({ ask: 'pause' }),
    goOn: () => void ask({ ask: 'resume' }),
    stop: () => void ask({ ask: 'stop' }),
  };
}
