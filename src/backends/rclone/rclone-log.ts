import type { Readable } from 'node:stream';
import type { Emit } from '../../core/events.ts';
import { splitLines } from '../../system/split-lines.ts';

/** How much of the log is kept for error messages, in characters, and for how many files. */
const KEPT = 4_000;
const KEPT_FILES = 1_000;

/** The time before a line. */
const TIME = /^\d{4}\/\S+ \S+ /;

/** The line about a file whose content could not be sent whole. */
const NOT_SENT = /ERROR : (.*): Didn't finish writing GET request \(wrote [^)]*\): (.*)$/;

/** The log of rclone, which becomes part of that of the run. */
export class RcloneLog {
  readonly #emit: Emit;
  #said = '';
  readonly #notSent = new Map<string, string>();

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  /** Reads that of an rclone which was started. */
  read(from: Readable): void {
    this.#said = '';
    const linesOf = splitLines(Number.POSITIVE_INFINITY);
    from.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-KEPT);
      for (const line of linesOf(text).map((one) => one.trim())) if (line !== '') this.#heed(line);
    });
  }

  /** The last line; `''` before there is one. */
  lastLine(): string {
    return this.#said.trim().split('\n').at(-1)?.replace(TIME, '') ?? '';
  }

  /** Why the content of a file was not sent whole; asked once. */
  whyNotSent(path: string): string | undefined {
    const why = this.#notSent.get(path);
    this.#notSent.delete(path);
    return why;
  }

  #heed(line: string): void {
    this.#emit({ type: 'log', level: 'debug', code: 'rclone-said', fields: { line } });
    const [, path, why] = NOT_SENT.exec(line) ?? [];
    if (path === undefined || why === undefined) return;
    if (this.#notSent.size >= KEPT_FILES) this.#notSent.clear();
    this.#notSent.set(path, why);
  }
}
