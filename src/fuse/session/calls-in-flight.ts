import { readFileSync } from 'node:fs';
import { SyncerError } from '../../core/errors.ts';
import type { Op } from '../../core/remote.ts';

/** How often the callers of interrupted requests are checked, in milliseconds. */
const LOOK_EVERY_MS = 200;

/** Whether a thread is being killed; `undefined` if unknown. */
export type IsDying = (thread: number) => boolean | undefined;

/**
 * Requests that wait for a response. Two things end them early: their caller is being killed, or their time is over.
 *
 * The kernel reports every signal of the caller, also handled ones, such as a timer's, for which no program expects
 * EINTR. So only a dying caller is released, as in NFS.
 */
export class CallsInFlight {
  readonly #calls = new Map<number, FuseCall>();
  readonly #interrupted = new Set<FuseCall>();
  readonly #isDying: IsDying;
  #timer: NodeJS.Timeout | undefined;
  #limitTimer: NodeJS.Timeout | undefined;

  /** @param limitMs time limit of a request; `onLate` is called after it */
  constructor(isDying: IsDying, limitMs: number | undefined, onLate: (call: FuseCall) => void) {
    this.#isDying = isDying;
    if (limitMs === undefined) return;
    const endLate = () => {
      const now = performance.now();
      for (const call of this.#calls.values()) {
        if (now - call.since < limitMs) continue;
        call.abort(new SyncerError('timed-out', `no answer within ${Math.round(limitMs)} ms`));
        onLate(call);
      }
    };
    this.#limitTimer = setInterval(endLate, Math.max(limitMs / 4, 10)).unref();
  }

  get size(): number {
    return this.#calls.size;
  }

  add(call: FuseCall): void {
    this.#calls.set(call.unique, call);
  }

  /** The call has its response; `false` if it had one before. */
  finish(call: FuseCall): boolean {
    if (call.isAnswered) return false;
    call.isAnswered = true;
    this.#calls.delete(call.unique);
    if (this.#interrupted.size > 0) this.#interrupted.delete(call);
    return true;
  }

  /** The kernel reports that the caller of this request got a signal. */
  interrupt(unique: number): void {
    const call = this.#calls.get(unique);
    if (call === undefined || this.#abortDying(call)) return;
    this.#interrupted.add(call);
    const look = () => {
      for (const waiting of this.#interrupted) {
        if (this.#abortDying(waiting)) this.#interrupted.delete(waiting);
      }
      if (this.#interrupted.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
    this.#timer ??= setInterval(look, LOOK_EVERY_MS).unref();
  }

  /** Aborts all waiting calls, except those of some opcodes. */
  abortAll(reason: unknown, spared: readonly number[] = []): void {
    clearInterval(this.#timer);
    clearInterval(this.#limitTimer);
    for (const call of this.#calls.values()) {
      if (!spared.includes(call.opcode)) call.abort(reason);
    }
  }

  #abortDying(call: FuseCall): boolean {
    if (this.#isDying(call.thread) === false) return false;
    call.abort(new SyncerError('interrupted', 'the calling program was interrupted'));
    return true;
  }
}

/** One request being handled. */
export class FuseCall implements Op {
  readonly unique: number;
  readonly opcode: number;
  readonly node: number;
  /** The waiting thread; 0 if unknown. */
  readonly thread: number;
  /** Its start, in milliseconds from an arbitrary point. */
  readonly since: number;
  /** The response was sent. */
  isAnswered = false;
  /** Why it was aborted; `undefined` if it was not. */
  abortReason: unknown;
  #abort: AbortController | undefined;

  constructor(unique: number, opcode: number, node: number, thread: number, since: number) {
    this.unique = unique;
    this.opcode = opcode;
    this.node = node;
    this.thread = thread;
    this.since = since;
  }

  /** Created on first use: most requests need none. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.abortReason !== undefined) this.#abort.abort(this.abortReason);
    }
    return this.#abort.signal;
  }

  abort(reason: unknown): void {
    this.abortReason ??= reason;
    this.#abort?.abort(reason);
  }
}

const SIGKILL_BIT = 1n << 8n;

/** Whether a thread is being killed: then SIGKILL is pending for it. `undefined` if the thread cannot be examined. */
export function isDying(
  thread: number,
  read = (of: number) => readFileSync(`/proc/${of}/status`, 'latin1'),
): boolean | undefined {
  if (thread === 0) return undefined;
  let status: string;
  try {
    status = read(thread);
  } catch {
    return undefined;
  }
  const waiting = [...status.matchAll(/^(?:SigPnd|ShdPnd):\s*([0-9a-f]+)$/gm)];
  return waiting.some(([, mask]) => (BigInt(`0x${mask}`) & SIGKILL_BIT) !== 0n);
}
