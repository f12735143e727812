import type { Readable } from 'node:stream';
import type { Key } from '../../screen/key.ts';
import { keysOfInput } from '../../screen/keys-of-input.ts';

/** Standard input as a terminal. */
export interface KeyInput extends Readable {
  readonly isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
}

/** Keys read one by one, without echo. */
export interface RawKeys {
  /** Restores the terminal. */
  close(): void;
  /** As `close`; another reader of the same stream follows. */
  handOver(): void;
  /** Stops reading and leaves the terminal as it is: it belongs to another job now. */
  abandon(): void;
}

/** Asks a terminal to mark what is pasted (bracketed paste), and to mark it no more. */
const MARK_PASTES = '\x1b[?2004h';
const UNMARK_PASTES = '\x1b[?2004l';

/** The start of a paste that has not ended yet. */
const OPEN_PASTE = /\x1b\[200~(?![\s\S]*\x1b\[201~)/;
const CTRL_C = '\x03';

/**
 * Reads keys from a terminal until `close`. Errors are ignored.
 *
 * @param write writes to the same terminal
 */
export function openRawKeys(
  input: KeyInput,
  write: (text: string) => void,
  press: (key: Key) => void,
): RawKeys {
  let unread = '';
  const onData = (chunk: Buffer | string) => {
    unread += String(chunk);
    // A paste whose end was lost must not swallow Ctrl-C.
    const from = OPEN_PASTE.test(unread) ? unread.lastIndexOf(CTRL_C) : 0;
    if (from < 0) return;
    const keys = keysOfInput(unread.slice(from));
    unread = '';
    for (const key of keys) press(key);
  };
  const onError = () => {};
  // A shell may have changed the mode while the process was stopped.
  input.setRawMode?.(false);
  input.setRawMode?.(true);
  input.on('data', onData).on('error', onError).resume();
  write(MARK_PASTES);
  const abandon = () => void input.off('data', onData).pause();
  const close = () => {
    abandon();
    write(UNMARK_PASTES);
    if (!input.destroyed) input.setRawMode?.(false);
  };
  return {
    close,
    abandon,
    handOver() {
      close();
      // Node stops reading a paused standard input a tick later, even if there is a new reader.
      setImmediate(() => input.read(0));
    },
  };
}
