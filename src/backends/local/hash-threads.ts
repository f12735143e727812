import { availableParallelism } from 'node:os';
import type { HashName } from '../../core/hash-names.ts';
import { md5Lanes } from '../../hashes/md5-lanes/md5-lanes.ts';
import { MD5_LAYOUT, md5Module } from '../../hashes/md5-lanes/md5-module.ts';
import { startThread, type Thread } from '../../native/start-thread.ts';
import {
  type FileRange,
  type HashQuestion,
  type HashThreadAnswer,
  hashThread,
} from './hash-thread.ts';

/** Only where there is so much to hash, in bytes, is it worth to start a thread. */
export const THREAD_SIZE = 16 * 1024 * 1024;

/** More threads would read more files at once than disks like. */
const MOST_THREADS = 4;

/** So many jobs that may wait do so before another thread is started: one keeps up with most networks. */
const PATIENCE = 2;

/** Fewer ranges than these are hashed sooner one by one, by as many threads. */
const FEWEST_IN_LANES = 3;

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

/** MD5s of several ranges on their way. */
export interface RangesInThread {
  /** They are not wanted any more. */
  giveUp(): void;
  /** In hexadecimal; `undefined` for those that cannot be had. Only when this has settled may the files be closed. */
  readonly digests: Promise<readonly (string | undefined)[]>;
}

/** Threads that hash files, started when they are needed and then kept. Idle ones do not keep the program alive. */
export class HashThreads {
  readonly #idle: Thread[] = [];
  readonly #waiting: (() => void)[] = [];
  #count = 0;
  #bytes = 0;
  #md5Module: WebAssembly.Module | undefined | false;

  /** So many MD5s a thread makes at once. */
  readonly lanes = MD5_LAYOUT.lanes;

  /** Whether threads are worth their time where so many bytes more are to be hashed. */
  pay(bytes: number): boolean {
    this.#bytes += bytes;
    return this.#bytes >= THREAD_SIZE;
  }

  /** Hashes `length` bytes of an open file from `offset` on, as far as `mayRead` has told that they are there. */
  hash(fd: number, length: number, algorithm: HashName, offset = 0): HashInThread {
    const readable = new BigInt64Array(new SharedArrayBuffer(8));
    const tell = (end: bigint) => {
      Atomics.store(readable, 0, end);
      Atomics.notify(readable, 0);
    };
    const digest = this.#run({ fd, offset, length, algorithm, readable }).then(([first]) => first);
    // Who gives up may never look at it.
    digest.catch(() => undefined);
    return { mayRead: (bytes) => tell(BigInt(bytes)), giveUp: () => tell(-1n), digest };
  }

  /** The same of bytes that are all there. */
  hashNow(fd: number, length: number, algorithm: HashName, offset = 0): HashInThread {
    const hashing = this.hash(fd, length, algorithm, offset);
    hashing.mayRead(length);
    return hashing;
  }

  /**
   * Makes the MD5s of ranges of open files, all of which are there.
   *
   * @param mayWait nobody waits for them yet: it need not be by a thread of its own
   */
  hashRanges(ranges: readonly FileRange[], mayWait = false): RangesInThread {
    this.#md5Module ??= compiled();
    if (ranges.length < FEWEST_IN_LANES || this.#md5Module === false) return this.#hashEach(ranges);
    const readable = new BigInt64Array(new SharedArrayBuffer(8));
    const job = { ranges, readable, module: this.#md5Module, layout: MD5_LAYOUT };
    const digests = this.#run(job, mayWait ? PATIENCE : 0);
    digests.catch(() => undefined);
    return { giveUp: () => void Atomics.store(readable, 0, -1n), digests };
  }

  #hashEach(ranges: readonly FileRange[]): RangesInThread {
    const each = ranges.map(({ fd, offset, length }) => this.hashNow(fd, length, 'md5', offset));
    const giveUp = () => {
      for (const hashing of each) hashing.giveUp();
    };
    const digests = Promise.all(each.map(({ digest }) => digest.catch(() => undefined)));
    return { giveUp, digests };
  }

  async #run(job: HashQuestion, patience = 0): Promise<readonly (string | undefined)[]> {
    const worker = await this.#take(patience);
    let answer: HashThreadAnswer;
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
    return answer.digests;
  }

  /** @param patience so many may wait for a thread that has something else to do */
  async #take(patience: number): Promise<Thread> {
    for (;;) {
      const idle = this.#idle.pop();
      if (idle !== undefined) return idle;
      const isWaiting = this.#count > 0 && this.#waiting.length < patience;
      if (!isWaiting && this.#count < Math.min(MOST_THREADS, availableParallelism())) {
        const started = this.#startThread();
        this.#count++;
        return started;
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #startThread(): Thread {
    try {
      return startThread(hashThread, undefined, md5Lanes);
    } catch (refused) {
      // Whoever waits for this one would wait for ever: the next one may be luckier, or is told, too.
      this.#waiting.shift()?.();
      throw refused;
    }
  }
}

/** Without WebAssembly's vectors (`--jitless`, an old processor) nothing is gained. */
function compiled(): WebAssembly.Module | false {
  try {
    return new WebAssembly.Module(md5Module());
  } catch {
    return false;
  }
}

function ask(worker: Thread, job: HashQuestion): Promise<HashThreadAnswer> {
  worker.ref();
  return new Promise<HashThreadAnswer>((resolve, reject) => {
    worker.once('error', reject);
    worker.once('message', (answer: HashThreadAnswer) => {
      worker.off('error', reject);
      resolve(answer);
    });
    worker.postMessage(job);
  }).finally(() => worker.unref());
}
