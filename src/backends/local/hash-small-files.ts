import type fs from 'node:fs';
import type { HashName } from '../../core/hash-names.ts';
import { fsPath } from '../../system/fs-path.ts';
import { startThread, type Thread, type ThreadPort } from '../../system/start-thread.ts';

/**
 * How long a small file may take on average before threads hash the next ones, in milliseconds. One that the system has
 * in memory takes 0.02, and in a thread longer; one that comes from a disk 0.1 and more, and a thread only waits.
 */
const SLOW_MS = 0.06;

/** After this much of reading slow files, in milliseconds, it is known whether the processor is what is slow. */
const TRIAL_MS = 20;

/** The share of that time in which the program must have waited: on a slow processor, threads only cost more. */
const WAIT_SHARE = 0.5;

/** The average is over about this number of files. */
const OVER = 64;

/** One file counts in the average as at most this long: a pause of the program is no slow disk. */
const MOST_MS = 0.5;

/** Disks read several files at the same time. */
const MOST_THREADS = 4;

/** Where a file takes `MOST_MS` or more, and threads do nothing but wait. */
const MOST_WAITING = 8;

/** Messages on their way to a thread: one is worked on while the next is made. */
const AT_ONCE = 2;

/** The most files in one message. */
const MOST = 16;

/** The buffer for the content of small files, in bytes; see `isSmall`. */
const ROOM = 64 * 1024;

/** Numbers about a file in an answer: size, inode, and times in nanoseconds. */
const NUMBERS = ['size', 'ino', 'mtimeNs', 'atimeNs', 'ctimeNs', 'birthtimeNs'] as const;

type Numbers = Pick<fs.BigIntStats, (typeof NUMBERS)[number]>;

/** The hash of a file in hexadecimal, and the file's attributes after the reading. */
interface HashedFile {
  readonly digest: string;
  readonly stats: Numbers;
}

/** Small files to hash, in one message. */
interface SmallFilesQuestion {
  /** Paths on the disk, those that are not UTF-8 as bytes. */
  readonly paths: readonly (string | Uint8Array)[];
  /** In bytes. */
  readonly sizes: readonly number[];
  readonly algorithm: string;
  readonly numbers: typeof NUMBERS;
  /** `O_RDONLY` and what keeps it from hanging on pipes. */
  readonly flags: number;
}

/** For each file its hash in hexadecimal, or `undefined`, and the numbers after the reading. */
interface SmallFilesAnswer {
  readonly digests: readonly (string | undefined)[];
  readonly stats: BigInt64Array;
}

type SmallFilesThread = Thread<SmallFilesQuestion, SmallFilesAnswer>;

interface Asked extends PromiseWithResolvers<HashedFile | undefined> {
  readonly path: string | Buffer;
  readonly size: number;
  readonly algorithm: HashName;
}

/** Hashes small files: here while that is quick, and in threads otherwise. */
export class SmallFileHashes {
  readonly #clock: { monotonic(): number };
  readonly #busyMs: () => number;
  readonly #threads: SmallFilesThread[] = [];
  /** For the content of a file. */
  #room = Buffer.alloc(0);
  #asked: Asked[] = [];
  #averageMs = 0;
  /** How long slow files took since the last trial ended, and `#busyMs` at its start. */
  #trialMs = 0;
  #busyBefore = 0;
  #waits = false;
  #hasThreads = true;

  /** @param busyMs processor time of this thread so far, in milliseconds */
  constructor(clock: { monotonic(): number }, busyMs = threadBusyMs) {
    this.#clock = clock;
    this.#busyMs = busyMs;
  }

  get #isSlow(): boolean {
    return this.#averageMs > SLOW_MS;
  }

  get #mostThreads(): number {
    return this.#averageMs > MOST_MS * 0.8 ? MOST_WAITING : MOST_THREADS;
  }

  /** Whether the next file is better hashed by `inThread`. */
  get needThreads(): boolean {
    return this.#isSlow && this.#waits && this.#hasThreads;
  }

  /**
   * The result of a call that reads and hashes a small file.
   *
   * @param hash gets a buffer for `size` bytes and one more
   */
  here<T>(size: number, hash: (room: Buffer) => T): T {
    if (this.#room.length <= size) this.#room = Buffer.allocUnsafeSlow(Math.max(size, ROOM) + 1);
    return this.hereTogether(1, () => hash(this.#room));
  }

  /** The result of a call that reads and hashes at most `OVER` small files. */
  hereTogether<T>(files: number, hash: () => T): T {
    const since = this.#clock.monotonic();
    const result = hash();
    const took = this.#clock.monotonic() - since;
    const eachMs = Math.min(took / files, MOST_MS);
    this.#averageMs += ((eachMs - this.#averageMs) * files) / OVER;
    if (this.#isSlow) this.#tryOut(took);
    return result;
  }

  /** Finds out whether slow files are waited for. */
  #tryOut(tookMs: number): void {
    if (this.#trialMs === 0) this.#busyBefore = this.#busyMs();
    this.#trialMs += tookMs;
    if (this.#trialMs < TRIAL_MS) return;
    const waitedMs = this.#trialMs - (this.#busyMs() - this.#busyBefore);
    this.#waits = waitedMs > this.#trialMs * WAIT_SHARE;
    this.#trialMs = 0;
  }

  /**
   * The hash of the `size` bytes at the native path of a file. `undefined` if there are more or less, if it is no file,
   * or cannot be read.
   */
  inThread(native: string, size: number, algorithm: HashName): Promise<HashedFile | undefined> {
    const answer = Promise.withResolvers<HashedFile | undefined>();
    const asked = { path: fsPath(native), size, algorithm, ...answer };
    // Those of the same turn go in one message.
    if (this.#asked.push(asked) === 1) queueMicrotask(() => this.#send());
    return answer.promise;
  }

  #send(): void {
    while (this.#asked.length > 0) {
      let thread: SmallFilesThread | undefined;
      try {
        thread = this.#freeThread();
      } catch {
        this.#endThreads(this.#asked.splice(0));
      }
      if (thread === undefined) return;
      const algorithm = this.#asked[0]?.algorithm;
      const other = this.#asked.findIndex((each) => each.algorithm !== algorithm);
      // Few files at the same time are shared by all threads.
      const share = Math.min(MOST, Math.ceil(this.#asked.length / this.#mostThreads));
      const batch = this.#asked.splice(0, Math.min(share, other < 0 ? MOST : other));
      void this.#ask(thread, batch).finally(() => this.#send());
    }
  }

  /** The idlest thread, or a new one while none is idle; `undefined` if all have enough. */
  #freeThread(): SmallFilesThread | undefined {
    const [idlest] = this.#threads.toSorted((a, b) => a.waiting - b.waiting);
    const { length } = this.#threads;
    if (length < this.#mostThreads && idlest?.waiting !== 0) {
      const started = startThread(smallFilesThread, undefined);
      this.#threads.push(started);
      return started;
    }
    return idlest !== undefined && idlest.waiting < AT_ONCE ? idlest : undefined;
  }

  async #ask(thread: SmallFilesThread, batch: readonly Asked[]): Promise<void> {
    const { O_RDONLY, O_NONBLOCK } = process.getBuiltinModule('node:fs').constants;
    try {
      const { digests, stats } = await thread.ask({
        paths: batch.map(({ path }) => path),
        sizes: batch.map(({ size }) => size),
        algorithm: batch[0]?.algorithm ?? '',
        numbers: NUMBERS,
        flags: O_RDONLY | O_NONBLOCK,
      });
      for (const [index, { resolve }] of batch.entries()) {
        const digest = digests[index];
        const from = index * NUMBERS.length;
        resolve(digest === undefined ? undefined : { digest, stats: numbersAt(stats, from) });
      }
    } catch {
      this.#endThreads(batch);
    }
  }

  /** If one cannot be started or has died, these and all later files are hashed here. */
  #endThreads(asked: readonly Asked[]): void {
    this.#hasThreads = false;
    for (const { resolve } of asked) resolve(undefined);
  }
}

/** The processor time of this thread, in milliseconds. */
function threadBusyMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function numbersAt(stats: BigInt64Array, from: number): Numbers {
  const [size, ino, mtimeNs, atimeNs, ctimeNs, birthtimeNs] = stats.subarray(from);
  return { size, ino, mtimeNs, atimeNs, ctimeNs, birthtimeNs } as Numbers;
}

/** The function of the thread; see `startThread`. */
function smallFilesThread(port: ThreadPort<SmallFilesQuestion, SmallFilesAnswer>): void {
  const { closeSync, fstatSync, openSync, readSync } = process.getBuiltinModule('node:fs');
  const { hash } = process.getBuiltinModule('node:crypto');
  // One byte more than expected shows that a file is longer than its size.
  let room = Buffer.allocUnsafeSlow(64 * 1024 + 1);
  port.on('message', ({ paths, sizes, algorithm, numbers, flags }: SmallFilesQuestion) => {
    const stats = new BigInt64Array(paths.length * numbers.length);
    const digests = paths.map((path, index) => {
      const size = sizes[index] ?? 0;
      if (room.length <= size) room = Buffer.allocUnsafeSlow(size + 1);
      let fd: number | undefined;
      try {
        fd = openSync(path as string, flags);
        let filled = 0;
        while (filled <= size) {
          const read = readSync(fd, room, filled, size + 1 - filled, filled);
          if (read === 0) break;
          filled += read;
        }
        if (filled !== size) return undefined;
        // What it is after the reading shows whether that was its content.
        const now = fstatSync(fd, { bigint: true });
        if (!now.isFile()) return undefined;
        for (const [at, name] of numbers.entries()) {
          stats[index * numbers.length + at] = now[name];
        }
        return hash(algorithm, room.subarray(0, size), 'hex');
      } catch {
        // Where it is read once more, the error has its words.
        return undefined;
      } finally {
        if (fd !== undefined) closeSync(fd);
      }
    });
    port.postMessage({ digests, stats });
  });
}
