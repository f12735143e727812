import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import { harmless } from '../../src/core/harmless.ts';
import { nameToBytes } from '../../src/core/name-bytes.ts';
import { shortRunId } from '../../src/core/run-id.ts';
import type { RunQuestion, RunStatus, WaitNote } from '../../src/run/presence/run-protocol.ts';
import { plainLine } from '../../src/run/progress/open-progress-view.ts';
import { ProgressView, type ViewSteering } from '../../src/run/progress/progress-view.ts';
import type { statisticsSettings } from '../../src/run/progress/run-statistics.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';
import { themedLook } from '../../src/shell/interactive/screen-terminal.ts';
import { usesColour } from '../../src/shell/log/uses-colour.ts';
import { jobControl } from '../../src/shell/process/job-control.ts';
import { lastLines } from '../../src/shell/progress/last-lines.ts';
import { progressLines } from '../../src/shell/progress/progress-lines.ts';
import type { ProgressState } from '../../src/shell/progress/progress-state.ts';
import { RATE_TICK_MS } from '../../src/shell/progress/transfer-rate.ts';
import { span } from '../../src/terminal/span.ts';
import type { OpenedRun } from './find-run.ts';

/** What an attached run is shown by. */
export interface AttachedRun {
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
export interface AttachedDisplay {
  log(text: string): void;
  wait(note: WaitNote): void;
  /** The user leaves it. */
  readonly left: Promise<void>;
  /** @param exit the exit code of the run; `undefined`: it goes on, or has ended without one */
  finish(exit: number | undefined): Promise<void>;
}

/** The view of `--progress` of another process's run; its keys are sent there. */
export function openAttachedView(
  { env, flags, context: { clock } }: Invocation,
  { run, state, status, take, style }: AttachedRun,
): AttachedDisplay {
  const { stdin, stdout } = process;
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
  const look = themedLook({ env, flags }, usesColour(flags.color, env, true));
  let exit: number | undefined;
  const view = new ProgressView({
    terminal: {
      write: (text) => void stdout.write(nameToBytes(text)),
      size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
    },
    state,
    clock,
    look,
    unit: style.unit,
    job: jobControl(process),
    input: stdin,
    hasKeys: true,
    control: steeringBy(status, ask),
    attached: { name: run.title, isFixed: !status().canSteer, detach: () => left.resolve() },
    summary: () => {
      const id = shortRunId(run.entry.id);
      const back = `Detached; the run continues. "syncer attach ${id}" shows it again.`;
      if (exit === undefined) return state.hasEnded ? [] : [[span(back, 'dim')]];
      const thrown =
        exit === 0 ? undefined : new SyncerError(exit === 130 ? 'stopped' : 'other', '');
      return [
        ...progressLines({ ...state, active: new Map() }, clock.monotonic(), style).map(plainLine),
        ...lastLines(
          state,
          clock.monotonic(),
          { thrown, isDryRun: false, unit: style.unit, runId: run.entry.id },
          look.glyphs,
        ),
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
    places: {
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
