import type fs from 'node:fs';
import { availableParallelism } from 'node:os';
import type { HashName } from '../../core/hash-names.ts';
import { startThread, type Thread, type ThreadPort } from '../../native/start-thread.ts';
import { fsPath } from './fs-path.ts';

/** Number of files that are hashed before a thread is started for the others: its start takes as long. */
const FIRST = 500;

/** Messages on their way: one is worked on while the next is made. */
const AT_ONCE = 2;

/** The most files in one message. */
const MOST = 64;

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

interface Asked extends PromiseWithResolvers<HashedFile | undefined> {
  readonly path: string | Buffer;
  readonly size: number;
  readonly algorithm: HashName;
}

/** Hashes small files in a thread, several in one message, while the main thread lists, compares and writes. */
export class SmallFileHashes {
  #count = 0;
  #asked: Asked[] = [];
  #thread: Thread<SmallFilesQuestion, SmallFilesAnswer> | undefined;

  /** Whether the next file is worth a thread. */
  pay(): boolean {
    // Node reads files of the system for the number of processors.
    if (++this.#count === FIRST && availableParallelism() === 1)
      this.#count = Number.NEGATIVE_INFINITY;
    return this.#count > FIRST;
  }

  /**
   * The hash of the first `size` bytes at the native path of a file. `undefined` if there are less, if it is no file, or
   * cannot be read.
   */
  hash(native: string, size: number, algorithm: HashName): Promise<HashedFile | undefined> {
    const answer = Promise.withResolvers<HashedFile | undefined>();
    const asked = { path: fsPath(native), size, algorithm, ...answer };
    // Those of the same turn go in one message.
    if (this.#asked.push(asked) === 1) queueMicrotask(() => this.#send());
    return answer.promise;
  }

  #send(): void {
    while (this.#asked.length > 0 && (this.#thread?.waiting ?? 0) < AT_ONCE) {
      const algorithm = this.#asked[0]?.algorithm;
      const other = this.#asked.findIndex((each) => each.algorithm !== algorithm);
      const batch = this.#asked.splice(0, Math.min(MOST, other < 0 ? MOST : other));
      void this.#ask(batch).finally(() => this.#send());
    }
  }

  async #ask(batch: readonly Asked[]): Promise<void> {
    const { O_RDONLY, O_NONBLOCK } = process.getBuiltinModule('node:fs').constants;
    try {
      this.#thread ??= startThread(smallFilesThread, undefined);
      const { digests, stats } = await this.#thread.ask({
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
      // Without a thread they are hashed here.
      this.#count = Number.NEGATIVE_INFINITY;
      for (const { resolve } of batch) resolve(undefined);
    }
  }
}

function numbersAt(stats: BigInt64Array, from: number): Numbers {
  const [size, ino, mtimeNs, atimeNs, ctimeNs, birthtimeNs] = stats.subarray(from);
  return { size, ino, mtimeNs, atimeNs, ctimeNs, birthtimeNs } as Numbers;
}

/** The function of the thread; see `startThread`. */
function smallFilesThread(port: ThreadPort<SmallFilesQuestion, SmallFilesAnswer>): void {
  const { closeSync, fstatSync, openSync, readSync } = process.getBuiltinModule('node:fs');
  const { hash } = process.getBuiltinModule('node:crypto');
  let room = Buffer.allocUnsafeSlow(64 * 1024);
  port.on('message', ({ paths, sizes, algorithm, numbers, flags }: SmallFilesQuestion) => {
    const stats = new BigInt64Array(paths.length * numbers.length);
    const digests = paths.map((path, index) => {
      const size = sizes[index] ?? 0;
      if (room.length < size) room = Buffer.allocUnsafeSlow(size);
      let fd: number | undefined;
      try {
        fd = openSync(path as string, flags);
        let filled = 0;
        while (filled < size) {
          const read = readSync(fd, room, filled, size - filled, filled);
          if (read === 0) return undefined;
          filled += read;
        }
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
