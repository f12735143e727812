import { render } from 'ink';
import type { ComponentType } from 'react';
import { SyncerError } from '../../src/core/errors.ts';
import { openRawKeys } from '../../src/shell/process/raw-keys.ts';
import type { ActionScreen } from '../../src/terminal/action-screen.ts';
import type { ScreenTerminal } from '../../src/terminal/screen-model.ts';
import type { DrawnScreenProps } from '../ui/screen.tsx';
import { runPlainScreen } from './run-plain-screen.tsx';
import { type OpenKeys, ScreenRoot } from './screen-root.tsx';

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
  stdout.write('\r');
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
    stdout,
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
