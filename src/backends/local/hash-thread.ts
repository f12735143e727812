/** What a hash thread is asked to do. */
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

/** What a hash thread answers. */
export type HashAnswer =
  | { readonly digest: string }
  /** What `fs` threw, as data. */
  | { readonly error: { readonly message: string; readonly code?: string } }
  /** It was told to give up, or the file ended early. */
  | { readonly digest: undefined };

/**
 * What runs in a hash thread: one job after the other. It is started from its own text, so that it needs no file of
 * its own in a bundle: nothing from outside may be used in it.
 */
export function hashThread(): void {
  const { parentPort } = process.getBuiltinModule('node:worker_threads');
  const { createHash } = process.getBuiltinModule('node:crypto');
  const { readSync } = process.getBuiltinModule('node:fs');
  const buffer = Buffer.allocUnsafeSlow(1024 * 1024);
  const digestOf = ({ fd, offset, length, algorithm, readable }: HashJob): string | undefined => {
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
  parentPort?.on('message', (job: HashJob) => {
    try {
      parentPort.postMessage({ digest: digestOf(job) });
    } catch (error) {
      // What else an error has than its message would get lost on the way.
      parentPort.postMessage({ error: { ...(error as Error), message: String(error) } });
    }
  });
}
