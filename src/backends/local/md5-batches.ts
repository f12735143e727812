import type { HashInThread, HashThreads } from './hash-threads.ts';

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
    const asked: Asked = {
      ...{ fd, length },
      isGivenUp: false,
      onGivenUp() {},
      done: () => 0,
      settle,
    };
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
    await Promise.all(batch.map((each, index) => this.#settle(each, found[index])));
  }

  /** Without a digest, hashes it again by itself, which gives the error. */
  async #settle(
    { fd, length, isGivenUp, settle }: Asked,
    digest: string | undefined,
  ): Promise<void> {
    if (digest !== undefined || isGivenUp) return settle.resolve(digest);
    const again = this.#threads.hashNow(fd, length, 'md5');
    await again.digest.then(settle.resolve, settle.reject);
  }
}
