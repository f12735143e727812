import { writeSync } from 'node:fs';
import { harmlessLines } from '../../core/harmless.ts';
import { nameToBytes } from '../../core/name-bytes.ts';
import { hideTexts } from './hide-texts.ts';

/** Milliseconds that a line waits for a slow reader. */
const PATIENCE_MS = 1000;

/** The log that goes to an open file; nowhere without one. */
export function logTo(descriptor: number | undefined): HookLog {
  if (descriptor === undefined) return new HookLog(undefined);
  let patienceMs = PATIENCE_MS;
  return new HookLog((text) => {
    const isWritten = writeAll(descriptor, nameToBytes(text), patienceMs);
    // A reader that has stopped delays the server once, not at every line.
    patienceMs = isWritten ? PATIENCE_MS : 0;
  });
}

/** Logs unexpected errors that ended a connection. */
export function connectionFaults(log: HookLog): (thrown: unknown) => void {
  return (thrown) => {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    log.line(`connection closed after an internal error: ${why}`);
  };
}

/**
 * Writes synchronously. A log that cannot be written must not stop the server: false if something was not written.
 */
function writeAll(descriptor: number, bytes: Buffer, patienceMs: number): boolean {
  let waitedMs = 0;
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EAGAIN' || waitedMs >= patienceMs) {
        return false;
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      waitedMs++;
    }
  }
  return true;
}

/** Where lines go; absent: nowhere. */
type WriteText = (text: string) => void;

/** The log in webhook 2.8.0's form. */
export class HookLog {
  readonly #write: WriteText | undefined;
  /** Hidden in every line. */
  secrets: readonly string[] = [];

  /** @param write takes whole lines; absent where the log is off */
  constructor(write: WriteText | undefined) {
    this.#write = write;
  }

  /** Whether anybody reads it. */
  get on(): boolean {
    return this.#write !== undefined;
  }

  /** Writes a line, with the time before it. */
  line(text: string): void {
    this.#write?.(harmlessLines(stamped(this.#shown(text))));
  }

  /** Writes lines without a time before them; what a terminal would obey in them is made visible. */
  raw(text: string): void {
    this.#write?.(harmlessLines(this.#shown(text)));
  }

  #shown(text: string): string {
    return hideTexts(text, this.secrets).replaceAll('\r\n', '\n');
  }
}

/** A line of the log: `[webhook] 2026/11/20 13:54:57 text`, in local time. */
export function stamped(text: string, now = new Date()): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const date = [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join('/');
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()].map(two).join(':');
  return `[webhook] ${date} ${time} ${text.endsWith('\n') ? text : `${text}\n`}`;
}
