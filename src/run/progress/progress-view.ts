import type { Clock } from '../../core/context.ts';
import type { SyncerError } from '../../core/errors.ts';
import type { SyncerEvent } from '../../core/events.ts';
import type { RunSteering } from '../../engine/run-control.ts';
import type { JobControl } from '../../shell/process/job-control.ts';
import { type KeyInput, openRawKeys, type RawKeys } from '../../shell/process/raw-keys.ts';
import {
  type LiveBlock,
  startLiveBlock,
  type Terminal,
  tabProgress,
} from '../../shell/progress/live-block.ts';
import type { ProgressState } from '../../shell/progress/progress-state.ts';
import type { RunOverview, ViewStyle } from '../../shell/progress/row-lines.ts';
import { type ViewAction, type ViewedRun, ViewScreen } from '../../shell/progress/view-keys.ts';
import { openFits, type ViewControls, viewLines } from '../../shell/progress/view-lines.ts';
import { noteEvent, tickView, ViewState } from '../../shell/progress/view-state.ts';
import { ActionScreen } from '../../terminal/action-screen.ts';
import { isCtrl, type Key } from '../../terminal/key.ts';
import type { Look } from '../../terminal/look.ts';
import type { Line } from '../../terminal/span.ts';
import type { SteeredBandwidth } from '../remotes/rate-limits.ts';

/** The interval between two drawings of the view, in milliseconds, and the shortest after a request. */
const [REDRAW_MS, SOONEST_MS] = [250, 100];

/** The parts of a run's view. */
export interface ProgressViewParts {
  readonly terminal: Terminal;
  readonly state: ProgressState;
  readonly clock: Clock;
  readonly look: Look;
  readonly unit: 'bytes' | 'bits';
  readonly job: JobControl;
  /** Standard input, if it is a terminal. */
  readonly input?: KeyInput;
  /** Keys are read there. */
  readonly hasKeys: boolean;
  readonly control: ViewSteering;
  /** The run is another process's, which goes on when the view is left. */
  readonly attached?: {
    /** How a question names the run. */
    readonly name: string;
    /** See `ViewedRun`. */
    readonly isFixed: boolean;
    /** Leaves the view. */
    readonly detach: () => void;
  };
  /** This process only watches its run: as `ViewedRun`, and leaving the view ends the process. */
  readonly isFixed?: boolean;
  /** The title of the terminal's window, if set. */
  readonly title?: () => string;
  /** Progress is shown in the terminal's tab. */
  readonly hasTab?: boolean;
  /** What is written after the end: a notification. */
  readonly notify?: (thrown: SyncerError | undefined) => string;
  /** Drawn instead of the view of a usual run, and otherwise instead of its figures (`--stats-one-line`). */
  readonly instead?: () => readonly Line[];
  /** What stays on the screen at the end. */
  readonly summary: (thrown: SyncerError | undefined) => readonly Line[];
}

/** What the keys do to a run. */
export interface ViewSteering extends Pick<RunSteering, 'isPaused' | 'pause' | 'goOn' | 'stop'> {
  readonly stopping: Pick<AbortSignal, 'aborted'>;
  readonly slots: { readonly width: number; set(number: number): void };
}

/** The view of a run at the bottom of the terminal, which a process in the background does not touch. */
export class ProgressView {
  readonly #parts: ProgressViewParts;
  readonly #block: LiveBlock;
  readonly #view: ViewState;
  readonly #timer: NodeJS.Timeout;
  readonly #unlisten: readonly (() => void)[];
  #memoryLimit: number | undefined;
  #bandwidth: Pick<SteeredBandwidth, 'limitTo' | 'limit'> | undefined;
  #overview: RunOverview | undefined;
  #input: KeyInput | undefined;
  #keys: RawKeys | undefined;
  readonly #model = new ViewScreen(
    () => this.#viewed(),
    (action) => this.#carryOut(action),
  );
  readonly #screen: ActionScreen<void>;
  #isShown = false;
  /** How many screens have the terminal to themselves, for instance to ask for a password. */
  #aside = 0;
  #isSuspended = false;
  #hasEnded = false;
  #drawnMs = Number.NEGATIVE_INFINITY;
  #soon: NodeJS.Timeout | undefined;

  constructor(parts: ProgressViewParts) {
    this.#parts = parts;
    this.#view = new ViewState(parts.state);
    this.#input = parts.input;
    this.#screen = new ActionScreen(this.#model, parts.clock.monotonic);
    this.#screen.subscribe(() => this.#drawSoon());
    this.#block = startLiveBlock(parts.terminal, parts.look.colour, parts.look.theme);
    this.#unlisten = [
      parts.job.listen(
        () => void this.#suspend(),
        // Continued after an unannounced stop: the terminal may have changed, or belong to another process.
        () => {
          if (this.#aside > 0) return;
          if (this.#parts.job.isForeground()) this.#disappear();
          else this.#abandon();
          this.#appear();
        },
      ),
      parts.job.atExit(() => this.#disappear()),
    ];
    this.#timer = setInterval(() => {
      this.#appear();
      if (this.#isShown) this.#drawSoon();
    }, REDRAW_MS).unref();
    this.#appear();
  }

  /** Text that scrolls above it. */
  print(text: string): void {
    this.#block.print(text);
    if (this.#isShown) this.#drawSoon();
    else if (this.#aside === 0) this.#block.leave();
  }

  note(event: SyncerEvent): void {
    noteEvent(this.#view, this.#parts.state, event, this.#parts.clock.monotonic());
  }

  isPaused(): boolean {
    return this.#parts.control.isPaused;
  }

  /** A second has passed. */
  tick(): void {
    const { state, clock } = this.#parts;
    tickView(this.#view, state, clock.monotonic(), this.isPaused(), this.#bandwidth?.limit());
  }

  /** Shows the memory of the process, and this limit of it, in bytes. */
  limitMemory(limit: number): void {
    this.#memoryLimit = limit;
  }

  /** The bandwidth limit that a key changes. */
  steer(bandwidth: Pick<SteeredBandwidth, 'limitTo' | 'limit'>): void {
    this.#bandwidth = bandwidth;
  }

  /** Shows these lines instead of the run's figures, also at the end: a run of which this process does a part at most. */
  showOverview(overview: RunOverview | undefined): void {
    this.#overview = overview;
  }

  /** Hides the view while something else uses the terminal; the returned function shows it again. */
  stepAside(): () => void {
    this.#disappear(undefined, true);
    this.#aside++;
    return () => {
      this.#aside--;
      this.#appear();
    };
  }

  /** Something else reads standard input from now on: there are no keys, and no view until the input ends. */
  leaveInput(): void {
    this.#input?.once('end', this.stepAside());
    this.#input = undefined;
  }

  /** Draws the summary instead of the view, and restores the terminal. */
  finish(thrown?: SyncerError): void {
    this.#hasEnded = true;
    const summary = this.#overview?.(this.#style()) ?? this.#parts.summary(thrown);
    clearInterval(this.#timer);
    const after = this.#parts.notify?.(thrown);
    if (this.#isShown) this.#disappear(summary, false, after);
    else this.#block.leave(summary, after);
    for (const end of this.#unlisten) end();
  }

  #appear(): void {
    const { job, hasKeys, terminal } = this.#parts;
    if (this.#isShown || this.#isSuspended || this.#hasEnded || this.#aside > 0) return;
    if (!job.isForeground()) return;
    this.#isShown = true;
    job.readSize();
    if (this.#input !== undefined && hasKeys)
      this.#keys = openRawKeys(this.#input, terminal.write, (key) => this.#take(key));
    this.#drawSoon();
  }

  #disappear(lines?: readonly Line[], handsOver = false, after?: string): void {
    if (!this.#isShown) return;
    this.#isShown = false;
    this.#screen.hide();
    clearTimeout(this.#soon);
    this.#soon = undefined;
    if (handsOver) this.#keys?.handOver();
    else this.#keys?.close();
    this.#keys = undefined;
    this.#block.leave(lines, after);
  }

  /** Another process has the terminal: it is not touched. */
  #abandon(): void {
    if (!this.#isShown) return;
    this.#isShown = false;
    this.#screen.hide();
    this.#keys?.abandon();
    this.#keys = undefined;
    this.#block.forget();
  }

  async #suspend(): Promise<void> {
    if (this.#aside > 0) return;
    this.#disappear();
    this.#isSuspended = true;
    const awake = setInterval(() => {}, 1000);
    await this.#parts.job.suspend();
    clearInterval(awake);
    this.#isSuspended = false;
    this.#appear();
  }

  #drawSoon(): void {
    const waitMs = this.#drawnMs + SOONEST_MS - this.#parts.clock.monotonic();
    this.#soon ??= setTimeout(() => this.#draw(), Math.max(0, waitMs)).unref();
  }

  #draw(): void {
    clearTimeout(this.#soon);
    this.#soon = undefined;
    if (!this.#isShown) return;
    const { clock, state, instead, title, hasTab } = this.#parts;
    this.#drawnMs = clock.monotonic();
    const style = this.#style();
    const isUsual = !this.isPaused() && !this.#parts.control.stopping.aborted;
    const { finding, helpFrom } = this.#screen;
    const isOpen = this.#model.state.kind !== 'run' || (finding ?? helpFrom) !== undefined;
    const brief = isUsual && !isOpen ? instead?.() : undefined;
    const lines =
      brief ?? viewLines(state, this.#view, this.#controls(style), style, this.#drawnMs);
    this.#block.draw(lines, {
      ...(title === undefined ? {} : { title: title() }),
      ...(hasTab === true ? { tab: tabProgress(state, this.isPaused()) } : {}),
    });
    this.#screen.drew(style.size, this.#viewed().isAsked === true);
  }

  #style(): ViewStyle {
    const { terminal, look, unit } = this.#parts;
    return { size: terminal.size(), look, unit };
  }

  #controls(style: ViewStyle): ViewControls {
    const { control } = this.#parts;
    const overview = this.#overview?.(style) ?? this.#parts.instead?.();
    return {
      ...(overview === undefined ? {} : { overview }),
      ...this.#viewed(),
      // Shown no sooner than they are heeded.
      hasKeys: this.#keys !== undefined && this.#keysCount(),
      mode: this.#model.state,
      screen: this.#screen,
      isPaused: control.isPaused,
      width: control.slots.width,
      limit: this.#bandwidth?.limit(),
      ...(this.#memoryLimit !== undefined && {
        memory: { used: process.memoryUsage.rss(), limit: this.#memoryLimit },
      }),
    };
  }

  #keysCount(): boolean {
    const { clock, state } = this.#parts;
    // Input that comes sooner was typed for the shell, not for the view.
    return clock.monotonic() >= state.startedMs + 150;
  }

  #viewed(): ViewedRun {
    const { control, attached, terminal, isFixed = attached?.isFixed === true } = this.#parts;
    const named = attached && { attachedTo: attached.name };
    const isStopping = control.stopping.aborted;
    const run = { isStopping, isFixed, ...named, lastFirst: this.#view.lastFirst };
    return { ...run, isAsked: openFits(this.#model.state, run, terminal.size()) };
  }

  #take(key: Key): void {
    if (!this.#keysCount() && !key.ctrl) return;
    this.#screen.resize(this.#parts.terminal.size());
    // Signals, whatever lies over the view.
    if (isCtrl(key, 'z') || isCtrl(key, '\\')) this.#model.press(key);
    else this.#screen.press(key);
  }

  #carryOut(action: ViewAction): void {
    const { control, state, job, attached } = this.#parts;
    const { slots } = control;
    const { type } = action;
    if (type === 'pause-or-go-on') {
      if (control.isPaused) control.goOn();
      else control.pause();
    } else if (type === 'more' || type === 'fewer')
      slots.set((slots.width || state.active.size) + (type === 'more' ? 1 : -1));
    else if (type === 'limit') this.#bandwidth?.limitTo(action.rate);
    else if (type === 'stop' || (type === 'detach' && attached === undefined)) control.stop();
    else if (type === 'detach') attached?.detach();
    else if (type === 'end-now') job.interrupt();
    else if (type === 'suspend') void this.#suspend();
    else {
      this.#disappear();
      job.quit();
    }
  }
}
