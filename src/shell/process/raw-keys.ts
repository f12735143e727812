import type { Readable } from 'node:stream';
import type { Key, MouseAct } from '../../terminal/key.ts';
import { keysOfInput } from '../../terminal/keys-of-input.ts';
import { MOUSE_OFF, MOUSE_ON } from '../../terminal/mouse.ts';
import { afterInput, ESCAPE_MS, TerminalInput } from '../../terminal/terminal-input.ts';

export interface KeyInput extends Readable {
  readonly isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
}

/** Keys read one by one, without echo. */
export type RawKeys = ReturnType<typeof openRawKeys>;

/** Asks a terminal to mark what is pasted (bracketed paste), and to mark it no more. */
const MARK_PASTES = '\x1b[?2004h';
const UNMARK_PASTES = '\x1b[?2004l';
const ignore = () => {};

/**
 * Reads keys from a terminal until `close`. Errors are ignored.
 *
 * @param write writes to the same terminal
 * @param escapeMs how long Escape may be the beginning of another key, in milliseconds
 * @param point takes what the mouse does; absent: it is not used
 */
export function openRawKeys(
  input: KeyInput,
  write: (text: string) => void,
  press: (key: Key) => void,
  {
    escapeMs = ESCAPE_MS.remote,
    point,
  }: { readonly escapeMs?: number; readonly point?: (act: MouseAct) => void } = {},
) {
  const whole = new TerminalInput(escapeMs, () => performance.now());
  const [on, off] = point === undefined ? ['', ''] : [MOUSE_ON, MOUSE_OFF];
  let stop = () => {};
  const pressAll = (text: string) => {
    for (const key of keysOfInput(text)) press(key);
  };
  const onData = (chunk: Buffer | string) => {
    stop();
    for (const part of whole.push(chunk)) {
      if (typeof part === 'string') pressAll(part);
      else point?.(part);
    }
    stop = afterInput(whole.waitMs, () => pressAll(whole.flush()));
  };
  // A shell may have changed the mode while the process was stopped.
  input.setRawMode?.(false);
  input.setRawMode?.(true);
  input.off('error', ignore).on('error', ignore).on('data', onData).resume();
  write(MARK_PASTES + on);
  /** Stops reading and leaves the terminal as it is: it belongs to another job now. */
  const abandon = () => {
    stop();
    input.off('data', onData).pause();
  };
  /** Restores the terminal. */
  const close = () => {
    abandon();
    write(off + UNMARK_PASTES);
    if (!input.destroyed) input.setRawMode?.(false);
  };
  return {
    close,
    abandon,
    /** As `close`; another reader of the same stream follows. */
    handOver() {
      close();
      // Node stops reading a paused standard input a tick later, even if there is a new reader.
      setImmediate(() => input.read(0));
    },
  };
}
