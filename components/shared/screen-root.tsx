import { useApp, useStdin, useStdout, useWindowSize } from 'ink';
import {
  type ComponentType,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useSyncExternalStore,
} from 'react';
import type { RawKeys } from '../../src/shell/process/raw-keys.ts';
import type { ActionScreen } from '../../src/terminal/action-screen.ts';
import { isCtrl, type Key, type MouseAct } from '../../src/terminal/key.ts';
import type { Look } from '../../src/terminal/look.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import { type DrawnScreenProps, LookProvider } from '../ui/screen.tsx';

/** A model's changes, reported no more often than they should be drawn. */
interface Redraws {
  subscribe(listener: () => void): () => void;
  version(): number;
  /** Draws a change immediately: the answer to a key. */
  now(): void;
}

/** What of the process stopping and going on needs. */
interface Stoppable {
  readonly pid: number;
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
  once(signal: NodeJS.Signals, listener: () => void): unknown;
  kill(pid: number, signal: NodeJS.Signals): unknown;
}

/** The terminal belongs to another program until `resume`. */
interface Suspension {
  resume(): Promise<void>;
}

/** Hands the terminal back, as Ink's `suspendTerminal` does. */
type Suspend = () => Promise<Suspension>;

/** Reads the keys of the terminal, and what its mouse does. */
export type OpenKeys = (
  press: (key: Key) => void,
  point: (act: MouseAct) => void,
) => Pick<RawKeys, 'close'>;

interface ScreenRootProps {
  readonly model: ActionScreen<unknown>;
  readonly View: ComponentType<DrawnScreenProps>;
  readonly look: Look;
  readonly process: Stoppable;
  readonly openKeys: OpenKeys;
  /** Empties the terminal, so that the next frame is written whole. */
  readonly empty: () => void;
}

/** Joins a model with its drawing: keys and sizes go in, changes come out; Ctrl-Z stops the process. */
export function ScreenRoot(props: ScreenRootProps) {
  const { model, View, look, process, openKeys, empty } = props;
  const size: Size = useWindowSize();
  const isLent = useRef(false);
  const repaint = useRepaint(process, isLent, empty);
  const { suspendTerminal: suspendInk } = useApp();
  const { stdin } = useStdin();
  const { stdout } = useStdout();
  const redraws: Redraws = useMemo(() => startRedraws(model), [model]);
  useSyncExternalStore(redraws.subscribe, redraws.version);

  const suspendWithKeys = useKeys(openKeys, suspendInk, (input) => {
    if ('kind' in input) model.point(input);
    else if (isCtrl(input, 'z')) return void stop();
    else {
      if (isCtrl(input, 'l')) repaint();
      model.press(input);
    }
    redraws.now();
  });
  const suspendTerminal: Suspend = useCallback(async () => {
    const suspension = await suspendWithKeys();
    isLent.current = true;
    const resume = () => {
      isLent.current = false;
      model.hide();
      // As at the start: an echo may have moved the cursor.
      stdout.write('\r');
      return suspension.resume();
    };
    return { resume };
  }, [model, stdout, suspendWithKeys]);
  useLayoutEffect(() => model.resize(size), [model, size]);
  useLayoutEffect(() => {
    model.takeTerminal((use) => lend(suspendTerminal, stdin, use));
  }, [model, suspendTerminal, stdin]);
  const isStopping = useRef(false);
  const stop = useCallback(async () => {
    // The same key held down is no second stop: that would come after the screen has come back.
    if (isStopping.current) return;
    isStopping.current = true;
    await stopProcess(process, suspendTerminal).finally(() => {
      isStopping.current = false;
    });
  }, [process, suspendTerminal]);
  useEffect(() => {
    const onStop = () => void stop();
    const onContinue = () => void takeBack(process, suspendTerminal);
    process.on('SIGTSTP', onStop);
    process.on('SIGCONT', onContinue);
    return () => {
      process.off('SIGTSTP', onStop);
      process.off('SIGCONT', onContinue);
    };
  }, [process, suspendTerminal, stop]);

  return (
    <LookProvider look={look}>
      <View model={model} size={size} />
    </LookProvider>
  );
}

/** How long a terminal keeps its size before everything is drawn again, in milliseconds. */
const REPAINT_MS = 30;

/**
 * Draws everything again after a change of the size: Ink first writes the old frame, whose lines wrap in a narrower
 * terminal, and then only what differs from it. A terminal that was smaller for a moment has lost a part of the frame,
 * but has its old size when it is asked. Not while another program has the terminal. @returns does the same at any time
 */
function useRepaint(
  process: Stoppable,
  isLent: { readonly current: boolean },
  empty: () => void,
): () => void {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  const repaint = useCallback(() => {
    if (isLent.current) return;
    empty();
    draw();
  }, [isLent, empty]);
  useEffect(() => {
    let timer: NodeJS.Timeout | undefined;
    const later = () => {
      clearTimeout(timer);
      timer = setTimeout(repaint, REPAINT_MS);
    };
    process.on('SIGWINCH', later);
    return () => {
      clearTimeout(timer);
      process.off('SIGWINCH', later);
    };
  }, [process, repaint]);
  return repaint;
}

/** Reads keys and the mouse while the screen has the terminal. @returns hands the terminal back, without them */
function useKeys(
  openKeys: OpenKeys,
  suspendTerminal: Suspend,
  take: (input: Key | MouseAct) => void,
): Suspend {
  const taking = useRef(take);
  const isShown = useRef(false);
  const keys = useRef<ReturnType<OpenKeys>>(undefined);
  const open = useCallback(() => {
    const now = (input: Key | MouseAct) => taking.current(input);
    keys.current = openKeys(now, now);
  }, [openKeys]);
  const close = useCallback(() => {
    keys.current?.close();
    keys.current = undefined;
  }, []);
  useLayoutEffect(() => {
    taking.current = take;
  });
  useLayoutEffect(() => {
    isShown.current = true;
    open();
    return () => {
      isShown.current = false;
      close();
    };
  }, [open, close]);
  return useCallback(async () => {
    close();
    const suspension = await suspendTerminal();
    const resume = async () => {
      await suspension.resume();
      // A signal that came during the stop has ended the screen.
      if (isShown.current) open();
    };
    return { resume };
  }, [open, close, suspendTerminal]);
}

/** Hands the terminal to another program while it runs. */
async function lend<T>(
  suspendTerminal: Suspend,
  stdin: NodeJS.ReadableStream,
  use: () => Promise<T>,
): Promise<T> {
  const suspension = await suspendTerminal();
  // The stream forgets its last listener a tick later; only then does pausing it end the reading.
  await new Promise((resolve) => setImmediate(resolve));
  stdin.pause();
  try {
    return await use();
  } finally {
    stdin.resume();
    await suspension.resume();
  }
}

/** How long another program has for its own stop, in milliseconds. */
const STOP_MS = 200;

/** Stops the process group as Ctrl-Z does, the terminal restored; the screen returns when the shell continues it. */
async function stopProcess(process: Stoppable, suspendTerminal: Suspend): Promise<void> {
  const suspension = await suspendTerminal().catch(() => undefined);
  if (suspension === undefined) {
    // The program that has the terminal restores it before it stops.
    await new Promise((resolve) => setTimeout(resolve, STOP_MS));
    process.kill(0, 'SIGSTOP');
    return;
  }
  const continued = new Promise<void>((resolve) => process.once('SIGCONT', resolve));
  // With its input handed back the process may have nothing else that keeps it from ending.
  const awake = setInterval(() => {}, 1000);
  // The whole group: a shell waits for the program that started this one, where there is one.
  process.kill(0, 'SIGSTOP');
  await continued;
  clearInterval(awake);
  await comeBack(process, suspension);
}

/**
 * Takes the terminal again after a stop from outside (SIGSTOP), in which the shell has had it. Nothing happens while
 * the terminal is handed over, as by Ctrl-Z.
 */
async function takeBack(process: Stoppable, suspendTerminal: Suspend): Promise<void> {
  const suspension = await suspendTerminal().catch(() => undefined);
  if (suspension !== undefined) await comeBack(process, suspension);
}

/** Shows the screen again, in the size of the terminal now: the shell alone has learnt that it has changed. */
async function comeBack(process: Stoppable, suspension: Suspension): Promise<void> {
  process.kill(process.pid, 'SIGWINCH');
  await suspension.resume();
}

/** Changes without a key are drawn at most once in this time, in milliseconds: enough for a slow line. */
const REFRESH_MS = 100;

function startRedraws(model: ActionScreen<unknown>): Redraws {
  const listeners = new Set<() => void>();
  let shown = model.version();
  let timer: NodeJS.Timeout | undefined;
  let lastMs = -Infinity;
  let unsubscribe: (() => void) | undefined;

  const tell = () => {
    clearTimeout(timer);
    timer = undefined;
    if (shown === model.version()) return;
    shown = model.version();
    lastMs = performance.now();
    for (const listener of listeners) listener();
  };
  const onChange = () => {
    timer ??= setTimeout(tell, Math.max(0, lastMs + REFRESH_MS - performance.now()));
  };
  return {
    subscribe(listener) {
      listeners.add(listener);
      unsubscribe ??= model.subscribe(onChange);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        unsubscribe?.();
        unsubscribe = undefined;
        clearTimeout(timer);
        timer = undefined;
      };
    },
    version: () => shown,
    now: tell,
  };
}
