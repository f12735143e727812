import { availableParallelism } from 'node:os';
import type { Op } from '../../core/remote.ts';
import { type Koffi, type KoffiPlace, koffiAt, loadLibc } from '../../system/libc.ts';
import { startThread, type Thread, type ThreadPort } from '../../system/start-thread.ts';
import type { DiskNaming } from './disk-naming.ts';
import { parentOf, WholeReads } from './local-entry.ts';
import type { LocalSettings } from './local-settings.ts';
import { SmallCopier, type SmallCopy, SmallCopyCalls } from './small-copier.ts';

/** Files up to this size are small here, in bytes. Larger ones are copied by the kernel, which may share blocks. */
export const SMALL_COPY_SIZE = 128 * 1024;
/** More threads would wait for each other at the directories' locks. */
const MOST_THREADS = 4;
/** On slow disks, where they wait for other things. */
const MOST_SLOW = 8;
/** Batches of a thread: while it copies one, the next is on its way. */
const MOST_BATCHES = 2;
/** Files in a batch; a smaller number than the minimum is copied faster than it is sent. */
const MOST_FILES = 32;
const LEAST_FILES = 8;
/** Files copied in the main thread before it does other work. */
const OWN_FILES = 4;
/** How many calls of the system a copy takes. */
const COPY_CALLS = 8;
/** Files requested before a thread is started, which takes about ten milliseconds. */
const FIRST_FILES = 128;

/** A requested copy; without a temporary name one is chosen when its turn comes. */
type AskedCopy = Omit<SmallCopy, 'partial'> & Partial<Pick<SmallCopy, 'partial'>>;

interface Waiting {
  readonly copy: AskedCopy;
  readonly op: Op;
  readonly settle: (isCopied: boolean) => void;
}

/** What is used of a `LocalDisk`. */
interface QuickDisk {
  readonly settings: Pick<LocalSettings, 'setModTime' | 'timeType' | 'links'>;
  readonly naming: Pick<DiskNaming, 'comparing'>;
  readonly smallCopies: SmallCopies | undefined;
}

/** The disk that copies are made on. */
interface CopiedDisk {
  readonly pace: {
    readonly isSlow: boolean;
    here<T>(calls: number, work: () => T): T;
    noteInThreads(calls: number): void;
  };
  newPartial(target: string): string;
}

/** Copies small files in batches, on threads if there are many; idle ones do not keep the program running. */
export class SmallCopies {
  readonly #koffi: KoffiPlace;
  readonly #disk: CopiedDisk;
  readonly #threads: CopyThread[] = [];
  /** One processor is busy deciding what to copy. */
  readonly #processors: number;
  #copier: SmallCopier | undefined;
  #waiting: Waiting[] = [];
  #batches = 0;
  #seen = 0;
  #isScheduled = false;
  #isBroken = false;
  #hasThreads = true;
  /** Whether the source of the last request is slow. */
  #isFromSlow = false;
  /** Whether it is content in memory: what a fast disk takes costs less here than to send it to a thread. */
  #isContent = false;

  /** @param processors number that this process may use */
  constructor(koffi: KoffiPlace, disk: CopiedDisk, processors = availableParallelism()) {
    this.#koffi = koffi;
    this.#disk = disk;
    this.#processors = processors;
  }

  get #isSlow(): boolean {
    return this.#isFromSlow || this.#disk.pace.isSlow;
  }

  get #limit(): number {
    if (!this.#hasThreads || (this.#isContent && !this.#isSlow)) return 0;
    return this.#isSlow ? MOST_SLOW : Math.min(MOST_THREADS, this.#processors - 1);
  }

  /** Resolves to whether the file was copied; otherwise nothing was done, because something is not as expected. */
  copy(copy: AskedCopy, op: Op, isFromSlow = false): Promise<boolean> {
    if (this.#isBroken) return Promise.resolve(false);
    this.#seen++;
    this.#isFromSlow = isFromSlow;
    this.#isContent = typeof copy.source !== 'string';
    const { promise, resolve: settle } = Promise.withResolvers<boolean>();
    this.#waiting.push({ copy, op, settle });
    this.#schedule();
    // The first thread starts while the main one still has other work.
    if (this.#threads.length === 0 && this.#hasMany()) {
      try {
        this.#start();
      } catch {
        this.#hasThreads = false;
      }
    }
    return promise;
  }

  /** Other requests of this turn of the event loop are included. */
  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(this.#send);
  }

  readonly #send = (): void => {
    this.#isScheduled = false;
    if (this.#copier === undefined && !this.#isBroken) {
      void this.#load();
      return;
    }
    const left: Waiting[] = [];
    for (const asked of this.#waiting) {
      if (asked.op.signal.aborted) asked.settle(false);
      else left.push(asked);
    }
    this.#waiting = left;
    while (this.#hasMany()) {
      const room = this.#limit * MOST_BATCHES - this.#batches;
      if (room <= 0) break;
      const share = Math.max(this.#least, Math.ceil(this.#waiting.length / room));
      void this.#run(this.#waiting.splice(0, Math.min(share, MOST_FILES)));
    }
    if (this.#limit > 0 && this.#isSlow) return;
    for (const { copy, settle } of this.#waiting.splice(0, OWN_FILES)) {
      const copyHere = () => this.#copier?.copy(this.#withPartial(copy)) === true;
      let isCopied = false;
      try {
        isCopied = this.#disk.pace.here(COPY_CALLS, copyHere);
      } catch {
        // The directory cannot be searched for leftovers of interrupted runs.
      }
      settle(isCopied);
    }
    this.#schedule();
  };

  /** The fewest files for a thread. */
  get #least(): number {
    return this.#isSlow ? 1 : LEAST_FILES;
  }

  #hasMany(): boolean {
    if (this.#limit === 0 || this.#waiting.length < this.#least) return false;
    return this.#isSlow || this.#seen >= FIRST_FILES;
  }

  async #load(): Promise<void> {
    try {
      const calls = new SmallCopyCalls(await loadLibc(), SMALL_COPY_SIZE, new WholeReads());
      this.#copier = new SmallCopier(calls);
    } catch {
      this.#isBroken = true;
    }
    this.#schedule();
  }

  async #run(files: readonly Waiting[]): Promise<void> {
    this.#batches++;
    this.#disk.pace.noteInThreads(files.length * COPY_CALLS);
    const stop = new Int32Array(new SharedArrayBuffer(4));
    const onAbort = () => void Atomics.store(stop, 0, 1);
    const signals = new Set(files.map(({ op }) => op.signal));
    for (const signal of signals) signal.addEventListener('abort', onAbort, { once: true });
    let answer: Uint8Array | undefined;
    try {
      const copies = files.map(({ copy }) => {
        const { source, ...rest } = this.#withPartial(copy);
        // Of a buffer that shares memory, all of the memory would be sent.
        return { source: typeof source === 'string' ? source : new Uint8Array(source), ...rest };
      });
      // The thread with the least work.
      let [thread] = this.#threads.toSorted((a, b) => a.waiting - b.waiting);
      if (thread === undefined || (thread.waiting > 0 && this.#threads.length < this.#limit))
        thread = this.#start();
      answer = await thread.ask({ copies, stop });
    } catch {
      // Continues without threads that cannot be started, or end.
      this.#hasThreads = false;
    }
    for (const signal of signals) signal.removeEventListener('abort', onAbort);
    this.#batches--;
    files.forEach(({ settle }, index) => {
      settle(answer?.[index] === 1);
    });
    this.#schedule();
  }

  #start(): CopyThread {
    const data = { koffi: this.#koffi, largest: SMALL_COPY_SIZE };
    const thread = startThread(copyThread, data, SmallCopier, SmallCopyCalls, WholeReads, koffiAt);
    this.#threads.push(thread);
    return thread;
  }

  #withPartial(copy: AskedCopy): SmallCopy {
    return { ...copy, partial: copy.partial ?? this.#disk.newPartial(copy.target) };
  }
}

/** Small files for a copy thread, copied one after the other. */
interface CopyBatch {
  readonly copies: readonly SmallCopy[];
  /** Set to 1 to start no further file. */
  readonly stop: Int32Array<SharedArrayBuffer>;
}

/** Answers for each file of a batch 1 if it was copied, 0 if nothing was done and the caller must find out why. */
type CopyThread = Thread<CopyBatch, Uint8Array>;

/** The function of a copy thread; see `startThread`. */
function copyThread(
  port: ThreadPort<CopyBatch, Uint8Array>,
  { koffi: place, largest }: { readonly koffi: KoffiPlace; readonly largest: number },
  Copier: typeof SmallCopier,
  Calls: typeof SmallCopyCalls,
  Reads: typeof WholeReads,
  loadKoffi: typeof koffiAt,
): void {
  let copier: SmallCopier | undefined;
  port.on('message', ({ copies, stop }: CopyBatch) => {
    if (copier === undefined) {
      const koffi = loadKoffi(place) as Koffi;
      const library = koffi.load(null);
      const libc = { func: library.func.bind(library), errno: () => koffi.errno() };
      copier = new Copier(new Calls(libc, largest, new Reads()));
    }
    const done = new Uint8Array(copies.length);
    for (const [index, each] of copies.entries()) {
      if (Atomics.load(stop, 0) === 0 && copier.copy(each)) done[index] = 1;
    }
    port.postMessage(done);
  });
}

/** Whether `quickly` may write files of a size in bytes. */
export function isQuickTarget(to: QuickDisk, size: number, { change }: Op): boolean {
  const { setModTime, timeType, links } = to.settings;
  if (size < 0 || size > SMALL_COPY_SIZE || typeof change?.replacesOnly?.file === 'object')
    return false;
  // It sets and compares modification times.
  return setModTime && timeType === 'mtime' && links !== 'follow' && to.smallCopies !== undefined;
}

/** Whether a path is the same for the C library: UTF-8, and not cut at a NUL. */
export const isCString = (path: string): boolean => path.isWellFormed() && !path.includes('\0');

/** Writes a small file as `SmallCopies` does; `undefined` if it cannot. */
export function quickly(
  to: QuickDisk,
  copy: Omit<AskedCopy, 'isNew'>,
  op: Op,
  isFromSlow: boolean,
): Promise<boolean> | undefined {
  if (!isCString(copy.target)) return undefined;
  const { replaces, replacesOnly } = op.change ?? {};
  const isNothing = replaces === 'nothing' || replacesOnly?.file === 'nothing';
  // If a file is there all the same, `commitPartial` finds out what that is.
  const isNew =
    isNothing ||
    (typeof replaces !== 'object' && to.naming.comparing(parentOf(copy.target)) !== 'exact');
  return to.smallCopies?.copy({ ...copy, isNew }, op, isFromSlow);
}
