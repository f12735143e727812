import type { Readable } from 'node:stream';
import type { Key } from '../../screen/key.ts';
import { keysOfInput } from '../../screen/keys-of-input.ts';

/** Standard input where it is a terminal. */
export interface KeyInput extends Readable {
  readonly isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
}

/** Keys that are read one by one, without the terminal showing them. */
export interface RawKeys {
  /** Gives the terminal back as it was. */
  close(): void;
  /** As `close`, and somebody else is about to read the same stream. */
  handOver(): void;
  /** Reads no more, and leaves the terminal as it is: it is another job's now. */
  abandon(): void;
}

/** Reads keys from a terminal until `close`. What fails is as if nobody pressed any. */
export function openRawKeys(input: KeyInput, press: (key: Key) => void): RawKeys {
  const onData = (chunk: Buffer | string) => {
    for (const key of keysOfInput(String(chunk))) press(key);
  };
  const onError = () => {};
  // A shell may have changed the mode while the process was stopped: it is set anew, not taken for granted.
  input.setRawMode?.(false);
  input.setRawMode?.(true);
  input.on('data', onData).on('error', onError).resume();
  const abandon = () => void input.off('data', onData).pause();
  const close = () => {
    abandon();
    if (!input.destroyed) input.setRawMode?.(false);
  };
  return {
    close,
    abandon,
    handOver() {
      close();
      // Node stops reading a paused standard input a tick later, also where another reader has come meanwhile.
      setImmediate(() => input.read(0));
    },
  };
}
