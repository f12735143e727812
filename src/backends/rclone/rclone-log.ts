import type { Readable } from 'node:stream';
import type { Emit } from '../../core/events.ts';
import { splitLines } from '../../system/serve-lines.ts';

/** A line of rclone's log: the time, the level, and the text. */
export const LOG_LINE = /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d (?:[A-Z]+ *: )?/;
/** The line about a file whose content could not be sent whole. */
const NOT_SENT = /ERROR : (.*): Didn't finish writing GET request \(wrote [^)]*\): (.*)$/;

/** What an rclone says in its log. */
export class RcloneLog {
  readonly #tell: (line: string) => void;
  #lastLine = '';
  #lastOfLog: string | undefined;
  readonly #notSent = new Map<string, string>();

  /** @param tell gets each line */
  constructor(tell: (line: string) => void) {
    this.#tell = tell;
  }

  /** Reads that of an rclone which was started. */
  read(from: Readable): void {
    this.#lastLine = '';
    this.#lastOfLog = undefined;
    const linesOf = splitLines(Number.POSITIVE_INFINITY);
    from.setEncoding('utf8').on('data', (text: string) => {
      for (const line of linesOf(text).map((one) => one.trim())) {
        if (line === '') continue;
        this.#tell(line);
        this.#lastLine = line;
        if (LOG_LINE.test(line)) this.#lastOfLog = line;
        const [, path, why] = NOT_SENT.exec(line) ?? [];
        if (path === undefined || why === undefined) continue;
        if (this.#notSent.size >= 1_000) this.#notSent.clear();
        this.#notSent.set(path, why);
      }
    });
  }

  /** What it ends with, or the error before the usage of a command; `''` if it said nothing. */
  lastWords(): string {
    const words = this.#lastOfLog ?? this.#lastLine;
    return words.replace(LOG_LINE, '').replace(/^Fatal error: /, '');
  }

  /** Why the content of a file was not sent whole; asked once. */
  whyNotSent(path: string): string | undefined {
    const why = this.#notSent.get(path);
    this.#notSent.delete(path);
    return why;
  }
}

/** Makes the lines of rclone's log part of that of the run. */
export function toRunLog(emit: Emit): (line: string) => void {
  return (line) => emit({ type: 'log', level: 'debug', code: 'rclone-said', fields: { line } });
}
