import { closeSync, constants, fstatSync, openSync, statSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';

/**
 * Opens a log file so that no write blocks. A named pipe is also opened for reading, so that it needs no reader and
 * keeps what it holds until there is one; if it may only be written, there must be one. Throws the error of the system.
 */
export function openUnblocked(path: string, mode: number): number {
  const { O_RDWR, O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK, O_NOCTTY } = constants;
  if (statSync(path, { throwIfNoEntry: false })?.isFIFO() === true) {
    try {
      return openSync(path, O_RDWR | O_NONBLOCK);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EACCES') throw thrown;
      return openSync(path, O_WRONLY | O_NONBLOCK);
    }
  }
  return openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY, mode);
}

/**
 * A descriptor of the same terminal or pipe whose writes do not block; the given one stays as it is for the programs
 * that share it. Gives that one for files, which do not block, and where there can be no other, as for sockets.
 */
export function unblockedDescriptor(descriptor: number): number {
  try {
    if (!isatty(descriptor) && !fstatSync(descriptor).isFIFO()) return descriptor;
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
    return openSync(`/proc/self/fd/${descriptor}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    return descriptor;
  }
}

/**
 * Writes lines to a descriptor whose writes do not block. Lines wait, up to a limit, while there is no reader; the others are
 * dropped, and counted in a line as soon as one can be written again.
 */
export class UnblockedLog {
  #descriptor: number;
  readonly #dropped: (lines: number) => Uint8Array;
  readonly #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  /** Lines that were dropped behind those that wait. */
  #lost = 0;
  /** The last line was begun and not ended. */
  #isTorn = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param dropped the line that says how many were dropped */
  constructor(descriptor: number, dropped: (lines: number) => Uint8Array) {
    this.#descriptor = descriptor;
    this.#dropped = dropped;
  }

  /** Writes whole lines, or keeps them until there is a reader. */
  write(bytes: Uint8Array): void {
    if (this.#isFull(bytes)) this.#drain();
    if (this.#isFull(bytes)) {
      this.#lost += linesIn(bytes);
      return;
    }
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#drain();
  }

  /** What was dropped is said where it is missing, so nothing may wait behind it. */
  #isFull(bytes: Uint8Array): boolean {
    const isTooMuch = this.#waitingBytes + bytes.length > 4 << 20 && this.#waiting.length > 0;
    return this.#lost > 0 || isTooMuch;
  }

  /** Writes what waits, as far as there is a reader, while the program does nothing else: for its end. */
  flush(): void {
    const still = new Int32Array(new SharedArrayBuffer(4));
    const pauseMs = 5;
    let idleMs = 0;
    // Longer for a reader that is slow than for one that takes nothing.
    for (let ms = 0; ms < 5000 && idleMs < 1000; ms += pauseMs) {
      const before = this.#waitingBytes;
      if (this.#drain()) break;
      idleMs = this.#waitingBytes === before ? idleMs + pauseMs : 0;
      Atomics.wait(still, 0, 0, pauseMs);
    }
    clearTimeout(this.#timer);
  }

  /** Continues with another descriptor, which also gets what waits; the old one is closed. */
  replace(descriptor: number): void {
    this.#drain();
    const before = this.#descriptor;
    this.#descriptor = descriptor;
    closeSync(before);
    this.#isTorn = false;
    this.#drain();
  }

  /** Whether there is nothing to wait for. */
  #drain(): boolean {
    try {
      while (this.#waiting.length > 0 || this.#lost > 0) {
        const [first] = this.#waiting;
        if (first === undefined) {
          this.#sayLost();
          continue;
        }
        const written = writeSync(this.#descriptor, first);
        this.#waitingBytes -= written;
        this.#isTorn = written < first.length;
        if (this.#isTorn) this.#waiting[0] = first.subarray(written);
        else this.#waiting.shift();
      }
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === 'EAGAIN') {
        this.#timer ??= setTimeout(() => {
          this.#timer = undefined;
          this.#drain();
        }, 20).unref();
        return false;
      }
      // The disk is full, or the terminal gone: the next line tries again.
      for (const bytes of this.#waiting.splice(0)) this.#lost += linesIn(bytes);
      this.#waitingBytes = 0;
    }
    return true;
  }

  #sayLost(): void {
    const line = this.#dropped(this.#lost);
    const bytes = this.#isTorn ? Buffer.concat([Buffer.from('\n'), line]) : line;
    const written = writeSync(this.#descriptor, bytes);
    this.#lost = 0;
    this.#isTorn = false;
    if (written === bytes.length) return;
    this.#waiting.push(bytes.subarray(written));
    this.#waitingBytes += bytes.length - written;
  }
}

function linesIn(bytes: Uint8Array): number {
  let lines = 0;
  for (const byte of bytes) if (byte === 0x0a) lines++;
  return Math.max(1, lines);
}
