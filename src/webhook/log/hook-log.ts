import { nameToBytes } from '../../core/name-bytes.ts';
import { harmlessLines } from '../../core/shown-text.ts';
import { UnblockedLog } from '../../system/unblocked-log.ts';
import { hideTexts } from './redact.ts';

/** The log that goes to an open file whose writes do not block. */
export function hookLogFile(descriptor: number): UnblockedLog {
  return new UnblockedLog(descriptor, (lines) =>
    Buffer.from(stamped(`dropped ${lines} line(s) of the log: it had no reader, or was full`)),
  );
}

/** Lines that go to a file as bytes. */
export function writesTo(file: UnblockedLog): (text: string) => void {
  return (text) => file.write(nameToBytes(text));
}

/** The log in webhook 2.8.0's form. */
export class HookLog {
  readonly #write: ((text: string) => void) | undefined;
  /** Hidden in every line. */
  secrets: readonly string[] = [];

  /** @param write takes whole lines; absent where the log is off */
  constructor(write: ((text: string) => void) | undefined) {
    this.#write = write;
  }

  /** Whether anybody reads it. */
  get on(): boolean {
    return this.#write !== undefined;
  }

  /** Writes a line, with the time before it; what a terminal would obey in it is made visible. */
  line(text: string): void {
    this.#write?.(harmlessLines(stamped(this.#shown(text))));
  }

  /** Writes lines without a time before them. */
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
