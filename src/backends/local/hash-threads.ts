import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import type { HashName } from '../../core/hash-names.ts';
import { type HashAnswer, type HashJob, hashThread } from './hash-thread.ts';

/** From this size on, in bytes, a file is hashed beside everything else: a thread takes some time to start. */
export const THREAD_SIZE = 16 * 1024 * 1024;

/** More threads would read more files at once than disks like. */
const MOST_THREADS = 4;

/** Hashes that threads can make, named as in `node:crypto`. */
const NAMES: ReadonlySet<HashName> = new Set(['md5', 'sha1', 'sha256']);

/** Whether a thread can make this hash. */
export function hashesInThread(name: HashName): boolean {
  return NAMES.has(name);
}

/** A hash on its way, of a file that may still be growing. */
export interface HashInThread {
  /** The first `length` bytes of what is to be hashed are final. */
  mayRead(length: number): void;
  /** It is not wanted any more. */
  giveUp(): void;
  /**
   * In hexadecimal; `undefined` where the file was shorter, or it was given up. Rejects as `fs` does. Only when this
   * has settled may the file be closed.
   */
  readonly digest: Promise<string | undefined>;
}

/** Threads that hash files, started when they are needed and then kept. Idle ones do not keep the program alive. */
export class HashThreads {
  readonly #idle: Worker[] = [];
  readonly #waiting: (() => void)[] = [];
  #count = 0;

  /** Hashes `length` bytes of an open file from `offset` on, as far as `mayRead` has told that they are there. */
  hash(fd: number, length: number, algorithm: HashName, offset = 0): HashInThread {
    const readable = new BigInt64Array(new SharedArrayBuffer(8));
    const tell = (end: bigint) => {
      Atomics.store(readable, 0, end);
      Atomics.notify(readable, 0);
    };
    const digest = this.#run({ fd, offset, length, algorithm, readable });
    // Who gives up may never look at it.
    digest.catch(() => undefined);
    return { mayRead: (bytes) => tell(BigInt(bytes)), giveUp: () => tell(-1n), digest };
  }

  async #run(job: HashJob): Promise<string | undefined> {
    const worker = await this.#take();
    let answer: HashAnswer;
    try {
      answer = await ask(worker, job);
      this.#idle.push(worker);
    } catch (died) {
      this.#count--;
      throw died;
    } finally {
      this.#waiting.shift()?.();
    }
    if ('error' in answer) throw Object.assign(new Error(), answer.error);
    return answer.digest;
  }

  async #take(): Promise<Worker> {
    for (;;) {
      const idle = this.#idle.pop();
      if (idle !== undefined) return idle;
      if (this.#count < Math.min(MOST_THREADS, availableParallelism())) {
        this.#count++;
        return startThread();
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}

function startThread(): Worker {
  const { Worker: Thread } = process.getBuiltinModule('node:worker_threads');
  return new Thread(`(${hashThread.toString()})()`, { eval: true, execArgv: [] });
}

function ask(worker: Worker, job: HashJob): Promise<HashAnswer> {
  worker.ref();
  return new Promise<HashAnswer>((resolve, reject) => {
    worker.once('error', reject);
    worker.once('message', (answer: HashAnswer) => {
      worker.off('error', reject);
      resolve(answer);
    });
    worker.postMessage(job);
  }).finally(() => worker.unref());
}
