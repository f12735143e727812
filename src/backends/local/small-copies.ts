import { availableParallelism } from 'node:os';
import type { Op } from '../../core/remote.ts';
import { loadLibc } from '../../native/libc.ts';
import { type KoffiPlace, koffiAt } from '../../native/load-koffi.ts';
import { startThread } from '../../native/start-thread.ts';
import { type CopyAnswer, type CopyBatch, type CopyThreadData, copyThread } from './copy-thread.ts';
import { SmallCopier, type SmallCopy } from './small-copier.ts';
import { SmallCopyCalls } from './small-copy-calls.ts';

/** Files up to this size are small here, in bytes. Larger ones are the kernel's work, which may share blocks. */
export const SMALL_COPY_SIZE = 128 * 1024;

/** More threads would wait for each other at the directories' locks. */
const MOST_THREADS = 4;

/** So many batches a thread has at most: while it copies the one, the next is on its way. */
const MOST_BATCHES = 2;

/** So many files are in a batch; fewer than the least are copied sooner than they are sent. */
const MOST_FILES = 32;
const LEAST_FILES = 8;

/** So many files are copied in the main thread before it looks what else there is to do. */
const OWN_FILES = 4;

/** So many files are asked for before a thread is started: it costs some ten milliseconds. */
const FIRST_FILES = 128;

/** A copy that is asked for; its temporary name is made when its turn comes. */
export interface AskedCopy extends Omit<SmallCopy, 'partial'> {
  readonly newPartial: () => string;
}

interface Waiting {
  readonly copy: AskedCopy;
  readonly op: Op;
  readonly settle: (isCopied: boolean) => void;
}

/**
 * Copies of small files: making and naming them takes the kernel longer than everything else, so that where there are
 * many, threads do it in batches. They are started when they pay and then kept; idle ones do not keep the program
 * alive. What they have no room for, the main thread copies.
 */
export class SmallCopies {
  readonly #koffi: KoffiPlace;
  readonly #threads: CopyThread[] = [];
  /** One processor is kept busy by deciding what to copy. */
  #limit: number;
  #copier: SmallCopier | undefined;
  #waiting: Waiting[] = [];
  #batches = 0;
  #seen = 0;
  #isScheduled = false;
  #isBroken = false;

  /**
   * @param koffi for the threads
   * @param processors how many this process may use
   */
  constructor(koffi: KoffiPlace, processors = availableParallelism()) {
    this.#koffi = koffi;
    this.#limit = Math.min(MOST_THREADS, processors - 1);
  }

  /** Resolves to whether the file was copied; otherwise nothing was done, because something is not as it should be. */
  copy(copy: AskedCopy, op: Op): Promise<boolean> {
    if (this.#isBroken) return Promise.resolve(false);
    this.#seen++;
    return new Promise((settle) => {
      this.#waiting.push({ copy, op, settle });
      this.#schedule();
      // The first thread starts while the main one still has other things to do.
      if (this.#threads.length === 0 && this.#hasMany()) this.#startFirst();
    });
  }

  /** Whoever else asks in this turn of the event loop goes with it. */
  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#send();
    });
  }

  #send(): void {
    if (this.#copier === undefined && !this.#isBroken) {
      void this.#load();
      return;
    }
    while (this.#hasMany()) {
      const room = this.#limit * MOST_BATCHES - this.#batches;
      if (room <= 0) break;
      const share = Math.max(LEAST_FILES, Math.ceil(this.#waiting.length / room));
      void this.#run(this.#waiting.splice(0, Math.min(share, MOST_FILES)));
    }
    for (const { copy, op, settle } of this.#waiting.splice(0, OWN_FILES)) {
      settle(!op.signal.aborted && this.#copyHere(copy));
    }
    this.#schedule();
  }

  #hasMany(): boolean {
    return this.#limit > 0 && this.#waiting.length >= LEAST_FILES && this.#seen >= FIRST_FILES;
  }

  async #load(): Promise<void> {
    try {
      this.#copier = new SmallCopier(new SmallCopyCalls(await loadLibc(), SMALL_COPY_SIZE));
    } catch {
      this.#isBroken = true;
    }
    this.#schedule();
  }

  #copyHere(copy: AskedCopy): boolean {
    try {
      return this.#copier?.copy(withPartial(copy)) === true;
    } catch {
      // The directory cannot be looked through for what broken runs left.
      return false;
    }
  }

  async #run(files: readonly Waiting[]): Promise<void> {
    this.#batches++;
    const stop = new Int32Array(new SharedArrayBuffer(4));
    const onAbort = () => void Atomics.store(stop, 0, 1);
    const signals = new Set(files.map(({ op }) => op.signal));
    for (const signal of signals) signal.addEventListener('abort', onAbort, { once: true });
    const answer = await this.#ask(files, stop);
    for (const signal of signals) signal.removeEventListener('abort', onAbort);
    this.#batches--;
    files.forEach(({ settle }, index) => {
      settle(answer?.[index] === 1);
    });
    this.#schedule();
  }

  async #ask(files: readonly Waiting[], stop: CopyBatch['stop']): Promise<CopyAnswer | undefined> {
    try {
      const copies = files.map(({ copy }) => withPartial(copy));
      return await this.#take().copy({ copies, stop });
    } catch {
      // Threads that cannot be started, or end, are done without.
      this.#limit = 0;
      return undefined;
    }
  }

  /** The thread that has least to do. */
  #take(): CopyThread {
    const [least] = this.#threads.toSorted((a, b) => a.batches - b.batches);
    if (least !== undefined && (least.batches === 0 || this.#threads.length >= this.#limit)) {
      return least;
    }
    return this.#start();
  }

  #startFirst(): void {
    try {
      this.#start();
    } catch {
      this.#limit = 0;
    }
  }

  #start(): CopyThread {
    const thread = startCopyThread({ koffi: this.#koffi, largest: SMALL_COPY_SIZE });
    this.#threads.push(thread);
    return thread;
  }
}

function withPartial({ newPartial, ...copy }: AskedCopy): SmallCopy {
  return { ...copy, partial: newPartial() };
}

/** A running thread. */
interface CopyThread {
  /** How many it has been given and not answered yet. */
  readonly batches: number;
  /** Rejects when the thread has ended. */
  copy(batch: CopyBatch): Promise<CopyAnswer>;
}

function startCopyThread(data: CopyThreadData): CopyThread {
  const worker = startThread(copyThread, data, SmallCopier, SmallCopyCalls, koffiAt);
  const asked: PromiseWithResolvers<CopyAnswer>[] = [];
  let hasEnded = false;
  const onEnd = (error: unknown) => {
    hasEnded = true;
    for (const { reject } of asked.splice(0)) reject(error);
  };
  worker.unref();
  worker.on('error', onEnd);
  worker.on('exit', onEnd);
  worker.on('message', (answer: CopyAnswer) => {
    asked.shift()?.resolve(answer);
    if (asked.length === 0) worker.unref();
  });
  return {
    get batches() {
      return asked.length;
    },
    copy(batch) {
      if (hasEnded) return Promise.reject(new Error('the thread has ended'));
      worker.ref();
      const question = Promise.withResolvers<CopyAnswer>();
      asked.push(question);
      worker.postMessage(batch);
      return question.promise;
    },
  };
}
