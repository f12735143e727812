import { harmlessLines } from '../../core/harmless.ts';

/** Where lines go; absent: nowhere. */
export type WriteText = (text: string) => void;

/** The log in webhook 2.8.0's form. */
export class HookLog {
  readonly #write: WriteText | undefined;

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
    this.raw(stamped(text));
  }

  /** Writes lines without a time before them; what a terminal would obey in them is made visible. */
  raw(text: string): void {
    this.#write?.(harmlessLines(text.replaceAll('\r\n', '\n')));
  }
}

/** A line of the log: `[webhook] 2026/11/20 13:54:57 text`, in local time. */
export function stamped(text: string, now = new Date()): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const date = [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join('/');
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()].map(two).join(':');
  return `[webhook] ${date} ${time} ${text.endsWith('\n') ? text : `${text}\n`}`;
}
