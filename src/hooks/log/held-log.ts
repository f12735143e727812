import { type HookLog, stamped } from './hook-log.ts';

/** The lines of one request: they are held until it is certain that they are wanted, and then written at once. */
export class HeldLog {
  readonly #log: HookLog;
  #held: string[] | undefined = [];

  constructor(log: HookLog) {
    this.#log = log;
  }

  /** Whether anybody reads it. */
  get on(): boolean {
    return this.#log.on;
  }

  /** A line, with the time before it. */
  line(text: string): void {
    if (this.#log.on) this.raw(stamped(text));
  }

  /** Lines as they are. */
  raw(text: string): void {
    if (this.#held === undefined) this.#log.raw(text);
    else if (this.#log.on) this.#held.push(text);
  }

  /** Writes what is held; what comes from now on is written when it comes. */
  release(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined && held.length > 0) this.#log.raw(held.join(''));
  }
}
