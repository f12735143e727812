import { availableParallelism } from 'node:os';
import type { Op } from '../../core/remote.ts';
import { threadPrelude } from '../../core/thread-prelude.ts';
import { type CopyAnswer, type CopyBatch, type CopyThreadData, copyThread } from './copy-thread.ts';

/** Files up to this size are copied in threads, in bytes. Larger ones are the kernel's work, which may share blocks. */
export const THREAD_COPY_SIZE = 128 * 1024;

/** More threads would wait for each other at the directories' locks. */
const MOST_THREADS = 4;

/** So many batches a thread has at most: while it copies the one, the next is on its way. */
const MOST_BATCHES = 2;

/** So many files are in a batch; fewer than the least are copied sooner than they are sent. */
const MOST_FILES = 32;
const LEAST_FILES = 8;

/** So many files are copied here at once while all threads are busy. */
const OWN_FILES = 4;

/** So many files are copied before threads are started: they cost some ten milliseconds. */
const FIRST_FILES = 128;

/** A small file that is as it was listed, and where its copy goes. */
export interface ThreadCopy {
  readonly source: string;
  /** Makes the temporary name; asked for only where a thread copies it. */
  readonly newPartial: () => string;
  readonly target: string;
  /** In bytes. */
  readonly size: number;
  /** In nanoseconds since 1970. */
  readonly modTime: bigint;
}

interface Waiting {
  readonly copy: ThreadCopy;
  readonly op: Op;
  readonly settle: (isCopied: boolean) => void;
}

/**
 * Threads that copy small files in batches, started when there are many and then kept: where files are small, making
 * and naming them takes the kernel longer than everything else. Idle ones do not keep the program alive.
 */
export class CopyThreads {
  readonly #koffi: string;
  readonly #threads: CopyThread[] = [];
  /** One processor is kept busy by deciding what to copy. */
  readonly #limit: number;
  #waiting: Waiting[] = [];
  #batches = 0;
  #seen = 0;
  #isScheduled = false;
  #isBroken = false;

  /**
   * @param koffi the address of the module koffi: a thread finds nothing by name
   * @param processors how many this process may use
   */
  constructor(koffi: string, processors = availableParallelism()) {
    this.#koffi = koffi;
    this.#limit = Math.min(MOST_THREADS, processors - 1);
  }

  /** Whether there have been so many copies that threads pay; to be asked before each. */
  isWorthWhile(): boolean {
    return !this.#isBroken && this.#limit > 0 && ++this.#seen > FIRST_FILES;
  }

  /**
   * Copies a file, if there are enough others. Resolves to whether that was done; otherwise nothing was, be it that
   * it is not worth while or that something is not as it should be.
   */
  copy(copy: ThreadCopy, op: Op): Promise<boolean> {
    return new Promise((settle) => {
      this.#waiting.push({ copy, op, settle });
      this.#schedule();
    });
  }

  /** Whoever else asks in this turn of the event loop goes with it. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#send();
    });
  }

  #send(): void {
    while (this.#waiting.length >= LEAST_FILES && !this.#isBroken) {
      const room = this.#limit * MOST_BATCHES - this.#batches;
      if (room === 0) {
        this.#doSome();
        return;
      }
      const share = Math.max(LEAST_FILES, Math.ceil(this.#waiting.length / room));
      void this.#run(this.#waiting.splice(0, Math.min(share, MOST_FILES)));
    }
    if (this.#batches > 0 && !this.#isBroken) return;
    for (const { settle } of this.#waiting.splice(0)) settle(false);
  }

  /** All threads have enough to do: this one copies some in the meantime, and then looks again. */
  #doSome(): void {
    for (const { settle } of this.#waiting.splice(0, OWN_FILES)) settle(false);
    this.#schedule();
  }

  async #run(files: readonly Waiting[]): Promise<void> {
    this.#batches++;
    const stop = new Int32Array(new SharedArrayBuffer(4));
    const onAbort = () => void Atomics.store(stop, 0, 1);
    const signals = new Set(files.map(({ op }) => op.signal));
    for (const signal of signals) signal.addEventListener('abort', onAbort, { once: true });
    let answer: CopyAnswer | undefined;
    try {
      answer = await this.#take().copy(batchOf(files, stop));
    } catch {
      // A thread that cannot be started, or ends, is done without.
      this.#isBroken = true;
    }
    for (const signal of signals) signal.removeEventListener('abort', onAbort);
    this.#batches--;
    files.forEach(({ settle }, index) => {
      settle(answer?.[index] === 1);
    });
    this.#schedule();
  }

  /** The thread that has least to do. */
  #take(): CopyThread {
    const [least] = this.#threads.toSorted((a, b) => a.batches - b.batches);
    if (least !== undefined && (least.batches === 0 || this.#threads.length >= this.#limit)) {
      return least;
    }
    const thread = startThread({ koffi: this.#koffi, largest: THREAD_COPY_SIZE });
    this.#threads.push(thread);
    return thread;
  }
}

function batchOf(files: readonly Waiting[], stop: Int32Array<SharedArrayBuffer>): CopyBatch {
  return {
    sources: files.map(({ copy }) => copy.source),
    partials: files.map(({ copy }) => copy.newPartial()),
    targets: files.map(({ copy }) => copy.target),
    sizes: files.map(({ copy }) => copy.size),
    modTimes: BigInt64Array.from(files, ({ copy }) => copy.modTime),
    stop,
  };
}

/** A running thread. */
interface CopyThread {
  /** How many it has been given and not answered yet. */
  readonly batches: number;
  /** Rejects when the thread has ended. */
  copy(batch: CopyBatch): Promise<CopyAnswer>;
}

function startThread(workerData: CopyThreadData): CopyThread {
  const { Worker: Thread } = process.getBuiltinModule('node:worker_threads');
  const text = `${threadPrelude()}(${copyThread.toString()})()`;
  const worker = new Thread(text, { eval: true, execArgv: [], workerData });
  const asked: PromiseWithResolvers<CopyAnswer>[] = [];
  const onEnd = (error: unknown) => {
    for (const { reject } of asked.splice(0)) reject(error);
  };
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
      worker.ref();
      const question = Promise.withResolvers<CopyAnswer>();
      asked.push(question);
      worker.postMessage(batch);
      return question.promise;
    },
  };
}
