import type { Op } from '../../core/remote.ts';

/** One request that is being worked on. */
export class FuseCall implements Op {
  readonly unique: number;
  readonly opcode: number;
  readonly node: number;
  /** The thread that waits for the answer; 0 where it is not known. */
  readonly thread: number;
  /** When it came, in milliseconds from an arbitrary start. */
  readonly since: number;
  /** The kernel was answered. */
  isAnswered = false;
  #abort: AbortController | undefined;
  #reason: unknown;

  constructor(unique: number, opcode: number, node: number, thread: number, since: number) {
    this.unique = unique;
    this.opcode = opcode;
    this.node = node;
    this.thread = thread;
    this.since = since;
  }

  /** Made when it is first looked at: most requests are answered without. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#reason !== undefined) this.#abort.abort(this.#reason);
    }
    return this.#abort.signal;
  }

  /** Why it was aborted; `undefined` where it was not. */
  get abortReason(): unknown {
    return this.#reason;
  }

  abort(reason: unknown): void {
    this.#reason ??= reason;
    this.#abort?.abort(reason);
  }
}
