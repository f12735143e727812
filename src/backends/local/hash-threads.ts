import { availableParallelism } from 'node:os';
import type { Pieces } from '../../core/content-pieces.ts';
import type { HashName } from '../../core/hash-names.ts';
import { cutContent } from '../../hashes/content-cuts.ts';
import { type Md5Lanes, md5Lanes, type Range } from '../../hashes/md5-lanes/md5-lanes.ts';
import { MD5_LAYOUT, md5Module } from '../../hashes/md5-lanes/md5-module.ts';
import { startThread, type Thread, type ThreadPort } from '../../system/start-thread.ts';

/** The smallest amount to hash, in bytes, that justifies a thread. */
export const THREAD_SIZE = 16 * 1024 * 1024;
/** More threads would read more files at the same time than disks handle well. */
const MOST_THREADS = 4;
/** How many deferrable jobs wait before another thread is started: one keeps up with most networks. */
const PATIENCE = 2;
/** Fewer ranges are hashed faster one by one, by as many threads. */
const FEWEST_IN_LANES = 3;

/** A running hash, of a file that may still be growing. */
export interface HashInThread {
  /** The first `length` bytes to hash are final. */
  mayRead(length: number): void;
  giveUp(): void;
  /** How many bytes have been hashed so far. */
  done(): number;
  /** In hexadecimal; `undefined` if the file was shorter, or cancelled. The file must stay open until then. */
  readonly digest: Promise<string | undefined>;
}

/** Running MD5s of several ranges. */
export interface RangesInThread {
  giveUp(): void;
  /** How many bytes of a range have been hashed so far. */
  done(range: number): number;
  /** In hexadecimal; `undefined` for those that failed. Close the files only after this has settled. */
  readonly digests: Promise<readonly (string | undefined)[]>;
}

/** A file that is being cut into pieces. */
interface CutInThread {
  /** The file must stay open until then. */
  readonly pieces: Promise<Pieces | undefined>;
}

type HashThread = Thread<HashJob, HashThreadAnswer>;

/** Threads that hash files, started on demand and then kept. Idle ones do not keep the program alive. */
export class HashThreads {
  readonly #idle: HashThread[] = [];
  readonly #waiting: (() => void)[] = [];
  #count = 0;
  #bytes = 0;
  #md5Module: WebAssembly.Module | undefined | false;

  /** How many MD5s a thread computes in parallel. */
  readonly lanes = MD5_LAYOUT.lanes;

  /** Whether threads are worth their start for `bytes` more to hash. */
  pay(bytes: number): boolean {
    this.#bytes += bytes;
    return this.#bytes >= THREAD_SIZE;
  }

  /** Hashes `length` bytes of an open file from `offset` on, up to where `mayRead` permits. */
  hash(fd: number, length: number, algorithm: HashName, offset = 0): HashInThread {
    const readable = sharedNumbers(2);
    const tell = (end: bigint) => {
      Atomics.store(readable, 0, end);
      Atomics.notify(readable, 0);
    };
    const job = { ranges: [{ fd, offset, length }], algorithm, readable };
    const digest = this.#run(job).then(([first]) => first);
    // After a cancellation it may never be awaited.
    digest.catch(() => undefined);
    return {
      mayRead: (bytes) => tell(BigInt(bytes)),
      giveUp: () => tell(-1n),
      done: () => numberAt(readable, 1),
      digest,
    };
  }

  /** As `hash`, of bytes that are all there. */
  hashNow(fd: number, length: number, algorithm: HashName, offset = 0): HashInThread {
    const hashing = this.hash(fd, length, algorithm, offset);
    hashing.mayRead(length);
    return hashing;
  }

  /** The MD5s of complete ranges of open files; if it `mayWait`, it need not have a thread of its own. */
  hashRanges(ranges: readonly FileRange[], mayWait = false): RangesInThread {
    if (this.#md5Module === undefined) {
      try {
        this.#md5Module = new WebAssembly.Module(md5Module());
      } catch {
        // Without WebAssembly's vectors (`--jitless`, an old processor) nothing is gained.
        this.#md5Module = false;
      }
    }
    if (ranges.length < FEWEST_IN_LANES || this.#md5Module === false) {
      const each = ranges.map(({ fd, offset, length }) => this.hashNow(fd, length, 'md5', offset));
      const giveUp = () => {
        for (const hashing of each) hashing.giveUp();
      };
      const digests = Promise.all(each.map(({ digest }) => digest.catch(() => undefined)));
      return { giveUp, done: (range) => each[range]?.done() ?? 0, digests };
    }
    const readable = sharedNumbers(1 + ranges.length);
    const lanes = { module: this.#md5Module, layout: MD5_LAYOUT };
    const job = { ranges, algorithm: 'md5', readable, lanes };
    const digests = this.#run(job, mayWait ? PATIENCE : 0);
    digests.catch(() => undefined);
    return {
      giveUp: () => void Atomics.store(readable, 0, -1n),
      done: (range) => numberAt(readable, 1 + range),
      digests,
    };
  }

  /** The pieces of `length` bytes of an open file, as `cutContent` makes them. `undefined` as of `hashNow`. */
  cut(fd: number, length: number): Pick<HashInThread, 'giveUp' | 'done'> & CutInThread {
    const readable = sharedNumbers(2);
    const job = { ranges: [{ fd, offset: 0, length }], algorithm: 'cuts', readable };
    const pieces = this.#ask(job, 0).then(({ pieces: [found] = [] }) => found);
    pieces.catch(() => undefined);
    return {
      giveUp: () => void Atomics.store(readable, 0, -1n),
      done: () => numberAt(readable, 1),
      pieces,
    };
  }

  /** Ends the idle threads: others would stay as long as the program. */
  async close(): Promise<void> {
    const idle = this.#idle.splice(0);
    this.#count -= idle.length;
    await Promise.all(idle.map((thread) => thread.end()));
  }

  async #run(job: HashJob, patience = 0): Promise<readonly (string | undefined)[]> {
    return (await this.#ask(job, patience)).digests;
  }

  async #ask(job: HashJob, patience: number): Promise<HashThreadResult> {
    const worker = await this.#take(patience);
    let answer: HashThreadAnswer;
    try {
      answer = await worker.ask(job);
      this.#idle.push(worker);
    } catch (died) {
      this.#count--;
      throw died;
    } finally {
      this.#waiting.shift()?.();
    }
    if ('error' in answer) throw Object.assign(new Error(), answer.error);
    return answer;
  }

  /** @param patience how many may wait for a busy thread */
  async #take(patience: number): Promise<HashThread> {
    for (;;) {
      const idle = this.#idle.pop();
      if (idle !== undefined) return idle;
      const isWaiting = this.#count > 0 && this.#waiting.length < patience;
      if (!isWaiting && this.#count < Math.min(MOST_THREADS, availableParallelism())) {
        try {
          const started = startThread(hashThread, undefined, md5Lanes, cutContent);
          this.#count++;
          return started;
        } catch (refused) {
          // A caller that waits for this one would wait forever: the next attempt may succeed, or fail, too.
          this.#waiting.shift()?.();
          throw refused;
        }
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}

function sharedNumbers(count: number): BigInt64Array<SharedArrayBuffer> {
  return new BigInt64Array(new SharedArrayBuffer(8 * count));
}

function numberAt(numbers: BigInt64Array<SharedArrayBuffer>, at: number): number {
  return Number(Atomics.load(numbers, at));
}

/** Bytes of an open file. */
export interface FileRange extends Range {
  /** Open for reading; shared by all threads of the process. */
  readonly fd: number;
}

/** A job for a hash thread. */
export interface HashJob {
  /** One, or with `lanes` several. */
  readonly ranges: readonly FileRange[];
  /** As `node:crypto` names it; `cuts`: the only range is cut into pieces. */
  readonly algorithm: string;
  /** How far the only range may be read, in bytes; -1 cancels all, and wakes. Then how far each range was read. */
  readonly readable: BigInt64Array<SharedArrayBuffer>;
  /** For MD5s in parallel, of complete bytes: `md5Module`, compiled. */
  readonly lanes?: { readonly module: WebAssembly.Module; readonly layout: typeof MD5_LAYOUT };
}

/** What a hash thread has found. */
interface HashThreadResult {
  /** `undefined` if it was cancelled, or the file ended early; among several also if it cannot be read. */
  readonly digests: readonly (string | undefined)[];
  /** Of a file that was cut; likewise. */
  readonly pieces?: readonly (Pieces | undefined)[];
}

/** A result of a hash thread. */
export type HashThreadAnswer =
  | HashThreadResult
  /** The error of `fs`, as data. */
  | { readonly error: { readonly message: string; readonly code?: string } };

/** The function of a hash thread, one job after the other; see `startThread`. */
function hashThread(
  port: ThreadPort<HashJob, HashThreadAnswer>,
  _: undefined,
  newLanes: typeof md5Lanes,
  cut: typeof cutContent,
): void {
  const { createHash } = process.getBuiltinModule('node:crypto');
  const { readSync } = process.getBuiltinModule('node:fs');
  let buffer: Buffer | undefined;
  let lanes: Md5Lanes | undefined;
  const digestOf = ({ ranges: [range], algorithm, readable }: HashJob): string | undefined => {
    const { fd, offset, length } = range as FileRange;
    buffer ??= Buffer.allocUnsafeSlow(256 * 1024);
    const hasher = createHash(algorithm);
    for (let done = 0; done < length; ) {
      const end = Atomics.load(readable, 0);
      if (end < 0n) return undefined;
      const most = Math.min(Number(end) - done, buffer.length);
      if (most === 0) {
        Atomics.wait(readable, 0, end);
        continue;
      }
      const bytes = readSync(fd, buffer, 0, most, offset + done);
      if (bytes === 0) return undefined;
      hasher.update(buffer.subarray(0, bytes));
      done += bytes;
      Atomics.store(readable, 1, BigInt(done));
    }
    return hasher.digest('hex');
  };
  const piecesOf = ({ ranges: [range], readable }: HashJob): Pieces | undefined => {
    const { fd, length } = range as FileRange;
    let done = 0;
    const pieces = cut((room) => {
      if (Atomics.load(readable, 0) < 0n) return 0;
      const bytes = readSync(fd, room, 0, Math.min(room.length, length - done), done);
      done += bytes;
      Atomics.store(readable, 1, BigInt(done));
      return bytes;
    });
    return done === length ? pieces : undefined;
  };
  const digestsOf = (job: HashJob): readonly (string | undefined)[] => {
    if (job.lanes === undefined) return [digestOf(job)];
    const { ranges, readable } = job;
    lanes ??= newLanes(job.lanes.module, job.lanes.layout);
    return lanes.hash(ranges, (room, position, range) => {
      if (Atomics.load(readable, 0) < 0n) return 0;
      const { fd, offset } = ranges[range] as FileRange;
      Atomics.store(readable, 1 + range, BigInt(position - offset));
      try {
        return readSync(fd, room, 0, room.length, position);
      } catch {
        return 0;
      }
    });
  };
  port.on('message', (job: HashJob) => {
    try {
      port.postMessage(
        job.algorithm === 'cuts'
          ? { digests: [], pieces: [piecesOf(job)] }
          : { digests: digestsOf(job) },
      );
    } catch (error) {
      // Other fields of an error would be lost in the message.
      port.postMessage({ error: { ...(error as Error), message: String(error) } });
    }
  });
}

/** Files this many times longer than others are not hashed with them: they would delay them. */
const MUCH_LONGER = 4;

interface Asked {
  readonly fd: number;
  /** In bytes. */
  readonly length: number;
  isGivenUp: boolean;
  /** Called when it is cancelled. */
  onGivenUp(): void;
  /** How many bytes have been hashed so far. */
  done(): number;
  readonly settle: PromiseWithResolvers<string | undefined>;
}

/** Combines MD5 requests of the same moment: several together take little longer than one. */
export class Md5Batches {
  readonly #threads: HashThreads;
  #asked: Asked[] = [];

  constructor(threads: HashThreads) {
    this.#threads = threads;
  }

  /** The MD5 of an open file of `length` complete bytes. */
  hash(fd: number, length: number): Pick<HashInThread, 'giveUp' | 'done' | 'digest'> {
    const settle = Promise.withResolvers<string | undefined>();
    const now = { isGivenUp: false, onGivenUp() {}, done: () => 0 };
    const asked: Asked = { fd, length, settle, ...now };
    // Other requests of this turn of the event loop are included.
    if (this.#asked.push(asked) === 1) setImmediate(() => this.#send());
    const giveUp = () => {
      asked.isGivenUp = true;
      asked.onGivenUp();
    };
    return { giveUp, done: () => asked.done(), digest: settle.promise };
  }

  #send(): void {
    const asked = this.#asked.toSorted((a, b) => b.length - a.length);
    this.#asked = [];
    let batch: Asked[] = [];
    for (const each of asked) {
      const longest = batch[0]?.length ?? each.length;
      const isAlike = longest <= MUCH_LONGER * each.length;
      if (!isAlike || batch.length === this.#threads.lanes) {
        void this.#run(batch);
        batch = [];
      }
      batch.push(each);
    }
    void this.#run(batch);
  }

  async #run(batch: readonly Asked[]): Promise<void> {
    const ranges = batch.map(({ fd, length }) => ({ fd, offset: 0, length }));
    const { digests, giveUp, done } = this.#threads.hashRanges(ranges);
    for (const [at, each] of batch.entries()) {
      each.done = () => done(at);
      each.onGivenUp = () => {
        if (batch.every(({ isGivenUp }) => isGivenUp)) giveUp();
      };
      each.onGivenUp();
    }
    const found = await digests.catch(() => []);
    for (const [at, { fd, length, isGivenUp, settle }] of batch.entries()) {
      const digest = found[at];
      if (digest !== undefined || isGivenUp) settle.resolve(digest);
      // Hashed again by itself, which gives the error.
      else this.#threads.hashNow(fd, length, 'md5').digest.then(settle.resolve, settle.reject);
    }
  }
}
