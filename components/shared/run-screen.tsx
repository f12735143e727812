import { render, useApp, useStdout, useWindowSize } from 'ink';
import {
  type ComponentType,
  useLayoutEffect,
  useMemo,
  useReducer,
  useSyncExternalStore,
} from 'react';
import { SyncerError } from '../../src/core/errors.ts';
import { type JobProcess, jobControl } from '../../src/shell/process/job-control.ts';
import { openRawKeys, type RawKeys } from '../../src/shell/process/raw-keys.ts';
import { RESET_TERMINAL } from '../../src/shell/process/run-in-terminal.ts';
import type { ActionScreen } from '../../src/terminal/action-screen.ts';
import { isCtrl, type Key, type MouseAct } from '../../src/terminal/key.ts';
import type { Look } from '../../src/terminal/look.ts';
import type { ScreenTerminal, Size } from '../../src/terminal/screen-model.ts';
import { CaretScreen, withHiddenCursor } from '../ui/caret.tsx';
import { type DrawnScreenProps, LookProvider } from '../ui/screen.tsx';
import { runPlainScreen } from './run-plain-screen.tsx';

/** The answer to a key is not held back for longer than this many frames a second allow. */
const MAX_FPS = 60;

/** Moves the cursor to the first character and erases all that follows (ECMA-48 CUP, ED). */
const HOME_AND_ERASE = '\x1b[H\x1b[J';

/** Shows a screen until its model has a result, then restores the terminal. Rejects if aborted or `terminated`. */
export async function runScreen<Result>(
  model: ActionScreen<Result>,
  View: ComponentType<DrawnScreenProps>,
  terminal: ScreenTerminal,
): Promise<Result> {
  const { stdin, stdout, look, signal } = terminal;
  signal.throwIfAborted();
  if (look.plain) return await runPlainScreen(model, View, terminal);

  const gone = Promise.withResolvers<never>();
  const lost = () => gone.reject(new SyncerError('terminated', 'stopped: the terminal was closed'));
  const aborted = () => gone.reject(signal.reason);
  signal.addEventListener('abort', aborted);
  stdin.on('end', lost).on('error', lost);
  stdout.on('error', lost);
  // Keys that come before the first frame are keys already, and nothing that the terminal echoes into it.
  if (stdin.isTTY) stdin.setRawMode(true);
  // The alternate screen begins in the column of the cursor, which an echo may have moved.
  stdout.write(`\r${RESET_TERMINAL}`);
  const { escapeMs } = terminal;
  const openKeys: OpenKeys = (press, point) => {
    const parts = { escapeMs, ...(terminal.mouse && { point }) };
    return openRawKeys(stdin, (text) => void stdout.write(text), press, parts);
  };
  const empty = () => {
    stdout.write(HOME_AND_ERASE);
    screen.clear();
  };
  const props = { model, View, look, process, openKeys, empty };
  const screen = render(<ScreenRoot {...props} />, {
    stdin,
    stdout: withHiddenCursor(stdout),
    exitOnCtrlC: false,
    patchConsole: false,
    interactive: true,
    alternateScreen: true,
    incrementalRendering: true,
    maxFps: MAX_FPS,
  });
  // What is printed of a crash would go with the alternate screen.
  const leave = () => screen.unmount();
  process.on('uncaughtExceptionMonitor', leave);
  try {
    const crashed = screen.waitUntilExit().then(() => {
      throw new SyncerError('other', 'the screen closed unexpectedly');
    });
    return await Promise.race([model.result, gone.promise, crashed]);
  } finally {
    signal.removeEventListener('abort', aborted);
    process.off('uncaughtExceptionMonitor', leave);
    screen.unmount();
    await screen.waitUntilExit().catch(() => undefined);
    stdout.off('error', lost);
    if (stdin.isTTY) stdin.setRawMode(false);
    // A closed terminal refuses its modes, which Ink restores too, with this event.
    stdin.off('end', lost).off('error', lost);
    stdin.pause();
  }
}

/** Reads the keys of the terminal, and what its mouse does. */
export type OpenKeys = (
  press: (key: Key) => void,
  point: (act: MouseAct) => void,
) => Pick<RawKeys, 'close'>;

/** A screen and the terminal that it is drawn on. */
interface ScreenParts {
  readonly model: ActionScreen<unknown>;
  readonly process: JobProcess;
  readonly openKeys: OpenKeys;
  /** Empties the terminal, so that the next frame is written whole. */
  readonly empty: () => void;
}

/** Joins a model with its drawing: keys and sizes go in, changes come out; Ctrl-Z stops the process. */
export function ScreenRoot({
  View,
  look,
  ...parts
}: ScreenParts & { readonly View: ComponentType<DrawnScreenProps>; readonly look: Look }) {
  const { model, process, openKeys, empty } = parts;
  const size: Size = useWindowSize();
  const { suspendTerminal } = useApp();
  const { stdout } = useStdout();
  const [, draw] = useReducer((count: number) => count + 1, 0);
  const redraws = useMemo(() => startRedraws(model), [model]);
  useSyncExternalStore(redraws.subscribe, redraws.version);
  useLayoutEffect(() => model.resize(size), [model, size]);
  useLayoutEffect(() => {
    const redraw = { all: draw, changes: redraws.now };
    const suspend = async () => {
      const suspension = await suspendTerminal();
      return () => {
        // As at the start: an echo may have moved the cursor.
        stdout.write(`\r${RESET_TERMINAL}`);
        return suspension.resume();
      };
    };
    return holdTerminal({ model, process, openKeys, empty }, redraw, suspend);
  }, [model, process, openKeys, empty, redraws, suspendTerminal, stdout]);
  return (
    <LookProvider look={look}>
      <CaretScreen>
        <View model={model} size={size} />
      </CaretScreen>
    </LookProvider>
  );
}

/** How long a terminal keeps its size before everything is drawn again, in milliseconds. */
const REPAINT_MS = 30;

/** How long another program has for its own stop, in milliseconds. */
const STOP_MS = 200;

/**
 * Takes keys and the mouse while the screen has the terminal; hands that over while another program runs and while the
 * process is stopped. @returns ends it
 * @param suspend takes the screen away, and gives what brings it back; rejects while it is away
 */
function holdTerminal(
  { model, process, openKeys, empty }: ScreenParts,
  redraw: { all(): void; changes(): void },
  suspend: () => Promise<() => Promise<void>>,
): () => void {
  const job = jobControl(process);
  /** Absent while something else has the terminal. */
  let keys: ReturnType<OpenKeys> | undefined;
  let isShown = true;
  let isStopping = false;
  let timer: NodeJS.Timeout | undefined;

  const take = (input: Key | MouseAct) => {
    if ('kind' in input) model.point(input);
    else if (isCtrl(input, 'z')) return void stop();
    else {
      if (isCtrl(input, 'l')) repaint();
      model.press(input);
    }
    redraw.changes();
  };
  const open = () => {
    keys = openKeys(take, take);
  };
  const close = () => {
    keys?.close();
    keys = undefined;
  };
  const repaint = () => {
    if (keys === undefined) return;
    empty();
    redraw.all();
  };
  /**
   * Ink first writes the old frame, whose lines wrap in a narrower terminal, and then only what differs from it. A
   * terminal that was smaller for a moment has lost a part of the frame, but has its old size when it is asked.
   */
  const onResize = () => {
    clearTimeout(timer);
    timer = setTimeout(repaint, REPAINT_MS);
  };
  const handOver = async () => {
    close();
    const show = await suspend();
    return async () => {
      model.hide();
      await show();
      // A signal that came during a stop has ended the screen.
      if (isShown) open();
    };
  };
  const lend = async <T,>(use: () => Promise<T>): Promise<T> => {
    const takeBack = await handOver();
    // Node stops reading a paused standard input a tick later.
    await new Promise((resolve) => setImmediate(resolve));
    return use().finally(takeBack);
  };
  /** The process continues: shows the screen in the size of the terminal now, which the shell alone has learnt. */
  const comeBack = (takeBack: (() => Promise<void>) | undefined) => {
    if (takeBack !== undefined) job.readSize();
    return takeBack?.();
  };
  /** Stops the process group as Ctrl-Z does, the terminal restored; the screen returns when the shell continues it. */
  const stop = async () => {
    // The same key held down is no second stop: that would come after the screen has come back.
    if (isStopping) return;
    isStopping = true;
    const takeBack = await handOver().catch(() => undefined);
    // The program that has the terminal restores it before it stops.
    if (takeBack === undefined) await new Promise((resolve) => setTimeout(resolve, STOP_MS));
    // With its input handed back the process may have nothing else that keeps it from ending.
    const awake = setInterval(() => {}, 1000);
    await job.suspend();
    clearInterval(awake);
    await comeBack(takeBack);
    isStopping = false;
  };
  /** After a stop from outside (SIGSTOP) the shell has had the terminal; nothing happens while it is handed over. */
  const onContinue = async () => comeBack(await handOver().catch(() => undefined));

  open();
  model.takeTerminal(lend);
  const unlisten = job.listen(
    () => void stop(),
    () => void onContinue(),
  );
  process.on('SIGWINCH', onResize);
  return () => {
    isShown = false;
    close();
    clearTimeout(timer);
    unlisten();
    process.off('SIGWINCH', onResize);
  };
}

/** Changes without a key are drawn at most once in this time, in milliseconds: enough for a slow line. */
const REFRESH_MS = 100;

/** The changes of a model for the one who draws it, no more often than they should be drawn; with `now` immediately. */
function startRedraws(model: ActionScreen<unknown>) {
  let shown = model.version();
  let timer: NodeJS.Timeout | undefined;
  let lastMs = -Infinity;
  let draw = () => {};
  const now = () => {
    clearTimeout(timer);
    timer = undefined;
    if (shown === model.version()) return;
    shown = model.version();
    lastMs = performance.now();
    draw();
  };
  const later = () => {
    timer ??= setTimeout(now, Math.max(0, lastMs + REFRESH_MS - performance.now()));
  };
  const subscribe = (listener: () => void) => {
    draw = listener;
    const unsubscribe = model.subscribe(later);
    return () => {
      unsubscribe();
      clearTimeout(timer);
      timer = undefined;
    };
  };
  return { subscribe, version: () => shown, now };
}
