/** The most that is kept of a log, in characters; the oldest lines go first. */
const MOST = 8 * 1024 * 1024;

/** A log that is held until someone can see it: while a screen is shown, or until the end (`--quiet-unless`). */
export class HeldLog {
  readonly #mostLines: number;
  #parts: Uint8Array[] = [];
  #size = 0;
  #dropped = 0;

  /** @param mostLines only the last ones are kept */
  constructor(mostLines = Number.POSITIVE_INFINITY) {
    this.#mostLines = mostLines;
  }

  /** Keeps some lines. */
  write(lines: Uint8Array): void {
    this.#parts.push(lines);
    this.#size += lines.length;
    const isTooMuch = () => this.#size > MOST || this.#parts.length > this.#mostLines;
    while (isTooMuch() && this.#parts.length > 1) {
      this.#size -= this.#parts.shift()?.length ?? 0;
      this.#dropped++;
    }
  }

  /** All that is kept, and how much is not. */
  take(): Buffer {
    const note = `(${this.#dropped} earlier lines of the log are not shown)\n`;
    const all = Buffer.concat(
      this.#dropped === 0 ? this.#parts : [Buffer.from(note), ...this.#parts],
    );
    [this.#parts, this.#size, this.#dropped] = [[], 0, 0];
    return all;
  }
}
