import type { Md5Lanes, md5Lanes, Range } from '../../hashes/md5-lanes/md5-lanes.ts';
import type { MD5_LAYOUT } from '../../hashes/md5-lanes/md5-module.ts';
import type { ThreadPort } from '../../native/start-thread.ts';

/** A hash that follows the writing of a file. */
export interface HashJob {
  /** Open for reading; shared by all threads of the process. */
  readonly fd: number;
  /** What is hashed of the file, in bytes. */
  readonly offset: number;
  readonly length: number;
  /** As `node:crypto` names it. */
  readonly algorithm: string;
  /**
   * How far behind `offset` the file may be read, in bytes: the thread waits there for more. -1 tells it to give up.
   * Woken by `Atomics.notify`.
   */
  readonly readable: BigInt64Array<SharedArrayBuffer>;
}

/** Bytes of an open file, all of which are there. */
export interface FileRange extends Range {
  /** Open for reading; shared by all threads of the process. */
  readonly fd: number;
}

/** MD5s to be made at once. */
export interface LanesJob {
  readonly ranges: readonly FileRange[];
  /** -1 tells it to give up. */
  readonly readable: BigInt64Array<SharedArrayBuffer>;
  /** `md5Module`, compiled. */
  readonly module: WebAssembly.Module;
  readonly layout: typeof MD5_LAYOUT;
}

/** What a hash thread is asked to do. */
export type HashQuestion = HashJob | LanesJob;

/** What a hash thread answers. */
export type HashThreadAnswer =
  /** `undefined` where it was told to give up, or the file ended early; among several also where it cannot be read. */
  | { readonly digests: readonly (string | undefined)[] }
  /** What `fs` threw, as data. */
  | { readonly error: { readonly message: string; readonly code?: string } };

/** What runs in a hash thread, one job after the other; see `startThread`. */
export function hashThread(port: ThreadPort, _: undefined, newLanes: typeof md5Lanes): void {
  const { createHash } = process.getBuiltinModule('node:crypto');
  const { readSync } = process.getBuiltinModule('node:fs');
  let buffer: Buffer | undefined;
  let lanes: Md5Lanes | undefined;
  const digestOf = ({ fd, offset, length, algorithm, readable }: HashJob): string | undefined => {
    buffer ??= Buffer.allocUnsafeSlow(1024 * 1024);
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
    }
    return hasher.digest('hex');
  };
  const digestsOf = (job: HashQuestion): readonly (string | undefined)[] => {
    if ('algorithm' in job) return [digestOf(job)];
    const { ranges, readable, module, layout } = job;
    lanes ??= newLanes(module, layout);
    return lanes.hash(ranges, (room, position, range) => {
      if (Atomics.load(readable, 0) < 0n) return 0;
      try {
        return readSync(ranges[range]?.fd ?? -1, room, 0, room.length, position);
      } catch {
        return 0;
      }
    });
  };
  port.on('message', (job: HashQuestion) => {
    try {
      port.postMessage({ digests: digestsOf(job) });
    } catch (error) {
      // What else an error has than its message would get lost on the way.
      port.postMessage({ error: { ...(error as Error), message: String(error) } });
    }
  });
}
