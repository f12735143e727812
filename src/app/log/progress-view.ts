import type { Clock } from '../../core/context.ts';
import type { SyncerEvent } from '../../core/events.ts';
import { startLiveBlock, type Terminal } from '../../progress/live-block.ts';
import type { ProgressState } from '../../progress/progress-state.ts';
import {
  type KeyOutcome,
  pressViewKey,
  RUN_MODE,
  type ViewMode,
} from '../../progress/view-keys.ts';
import { type ViewControls, viewLines } from '../../progress/view-lines.ts';
import { noteEvent, startView, tickView } from '../../progress/view-state.ts';
import type { Key } from '../../screen/key.ts';
import type { Look } from '../../screen/look.ts';
import type { Line } from '../../screen/span.ts';
import type { RunSteering } from '../../sync/run-control.ts';
import type { JobControl } from '../process/job-control.ts';
import { type KeyInput, openRawKeys, type RawKeys } from '../process/raw-keys.ts';
import type { SteeredBandwidth } from '../remotes/rate-limits.ts';

/** How often the view is drawn, in milliseconds, and how soon after the last time where something asks for it. */
const REDRAW_MS = 250;
const SOONEST_MS = 100;

/** What comes in sooner than this after the start was typed for the shell, not for the view; in milliseconds. */
const TYPED_AHEAD_MS = 150;

/** Everything the view of a run needs. */
export interface ProgressViewParts {
  readonly terminal: Terminal;
  readonly state: ProgressState;
  readonly clock: Clock;
  readonly look: Look;
  readonly unit: 'bytes' | 'bits';
  readonly job: JobControl;
  /** Standard input, where it is a terminal. */
  readonly input?: KeyInput;
  /** Keys are read there. */
  readonly hasKeys: boolean;
  readonly control: RunSteering;
  /** What the window of the terminal is called, where it shall be. */
  readonly title?: () => string;
  /** Draws instead of the view (`--stats-one-line`). */
  readonly instead?: () => readonly Line[];
  /** What stays on the screen at the end. */
  readonly summary: () => readonly Line[];
}

/** The view of a run at the bottom of the terminal. */
export interface ProgressView {
  /** Text that scrolls above it. */
  print(text: string): void;
  note(event: SyncerEvent): void;
  isPaused(): boolean;
  /** A second has passed. */
  tick(): void;
  /** What the key for the bandwidth changes. */
  steer(bandwidth: Pick<SteeredBandwidth, 'limitTo'>): void;
  /** Takes the view away while something else is on the terminal; gives the way back. */
  stepAside(): () => void;
  /** Something else reads standard input from now on: the view waits for its end, and there are no keys any more. */
  leaveInput(): void;
  /** Draws the summary in place of the view; the terminal is as it was before. */
  finish(): void;
}

/** Shows a run until it is finished. While the process is in the background nothing of the terminal is touched. */
export function startProgressView(parts: ProgressViewParts): ProgressView {
  const { terminal, state, clock, look, unit, job, control, title } = parts;
  let bandwidth: Pick<SteeredBandwidth, 'limitTo'> | undefined;
  const block = startLiveBlock(terminal, look.colour);
  const view = startView();
  let input = parts.input;
  let mode: ViewMode = RUN_MODE;
  let limit: number | undefined;
  let keys: RawKeys | undefined;
  let showing = false;
  /** How many have the terminal for themselves: a screen may ask for a password. */
  let aside = 0;
  let stopped = false;
  let ended = false;
  let lastMs = Number.NEGATIVE_INFINITY;
  let soon: NodeJS.Timeout | undefined;

  const keysCount = () => clock.monotonic() >= state.startedMs + TYPED_AHEAD_MS;
  const controls = (): ViewControls => ({
    // Shown no sooner than they are heeded.
    hasKeys: keys !== undefined && keysCount(),
    mode,
    isPaused: control.isPaused,
    isStopping: control.stopping.aborted,
    width: control.places.width,
    limit,
  });
  const draw = () => {
    clearTimeout(soon);
    soon = undefined;
    if (!showing) return;
    const now = clock.monotonic();
    lastMs = now;
    const style = { size: terminal.size(), look, unit };
    const lines = parts.instead?.() ?? viewLines(state, view, controls(), style, now);
    block.draw(lines, title?.());
  };
  const drawSoon = () => {
    soon ??= setTimeout(draw, Math.max(0, lastMs + SOONEST_MS - clock.monotonic())).unref();
  };
  const appear = () => {
    if (showing || aside > 0 || stopped || ended || !job.isForeground()) return;
    showing = true;
    if (input !== undefined && parts.hasKeys) keys = openRawKeys(input, press);
    drawSoon();
  };
  const disappear = (lines?: readonly Line[], handsOver = false) => {
    if (!showing) return;
    showing = false;
    clearTimeout(soon);
    soon = undefined;
    if (handsOver) keys?.handOver();
    else keys?.close();
    keys = undefined;
    block.leave(lines);
  };
  const abandon = () => {
    if (!showing) return;
    showing = false;
    keys?.abandon();
    keys = undefined;
    block.forget();
  };
  const suspend = async () => {
    if (aside > 0) return;
    disappear();
    stopped = true;
    const awake = setInterval(() => {}, 1000);
    await job.suspend();
    clearInterval(awake);
    stopped = false;
    appear();
  };
  const act = ({ action }: KeyOutcome) => {
    switch (action?.type) {
      case 'pause-or-go-on':
        if (control.isPaused) control.goOn();
        else control.pause();
        break;
      case 'more':
      case 'fewer': {
        const now = control.places.width || state.active.size;
        control.places.set(now + (action.type === 'more' ? 1 : -1));
        break;
      }
      case 'limit':
        limit = action.rate;
        bandwidth?.limitTo(action.rate);
        break;
      case 'stop':
        control.stop();
        break;
      case 'end-now':
        job.interrupt();
        break;
      case 'suspend':
        void suspend();
        break;
      case 'quit':
        disappear();
        job.quit();
        break;
      case undefined:
    }
  };
  const press = (key: Key) => {
    if (!keysCount() && !key.ctrl) return;
    const outcome = pressViewKey(mode, key, control.stopping.aborted);
    mode = outcome.mode;
    act(outcome);
    drawSoon();
  };
  const stepAside = () => {
    disappear(undefined, true);
    aside++;
    return () => {
      aside--;
      appear();
    };
  };
  const unlisten = job.listen(
    () => void suspend(),
    () => {
      if (aside > 0) return;
      // Continued after a stop that nobody announced: the terminal may have been changed, or be another's.
      if (job.isForeground()) disappear();
      else abandon();
      appear();
    },
  );
  const unhook = job.atExit(() => disappear());
  const timer = setInterval(() => {
    appear();
    if (showing) drawSoon();
  }, REDRAW_MS);
  timer.unref();
  appear();

  return {
    print(text) {
      block.print(text);
      if (showing) drawSoon();
      else if (aside === 0) block.leave();
    },
    note: (event) => noteEvent(view, event, clock.monotonic()),
    isPaused: () => control.isPaused,
    tick: () => tickView(view, state, clock.monotonic(), control.isPaused),
    steer(limits) {
      bandwidth = limits;
    },
    stepAside,
    leaveInput() {
      if (input === undefined) return;
      input.once('end', stepAside());
      input = undefined;
    },
    finish() {
      ended = true;
      clearInterval(timer);
      if (showing) disappear(parts.summary());
      else block.leave(parts.summary());
      unlisten();
      unhook();
    },
  };
}
