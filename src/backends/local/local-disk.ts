import fs from 'node:fs';
import { BufferPool } from '../../core/buffers.ts';
import type { Context } from '../../core/context.ts';
import type { ContentStamp } from '../../core/entry-details.ts';
import { SyncerError } from '../../core/errors.ts';
import { isCutOf, type ModTime, sameModTime } from '../../core/mod-time.ts';
import { once } from '../../core/once.ts';
import type { FileEntry } from '../../core/remote.ts';
import { LINK_SUFFIX } from '../../core/remote-path.ts';
import type { UploadRecordsAccess } from '../../core/upload-records.ts';
import { fromStandardPath, toStandardPath } from '../../names/name-encoding.ts';
import { KEPT_NUMBER, partialPath } from '../../names/partial-name.ts';
import { fsPath } from '../../system/fs-path.ts';
import { ownMark } from '../../system/owner-state.ts';
import { exactTimesModule, loadSetTimes, timePrecision } from '../../system/set-times.ts';
import { DiskNaming } from './disk-naming.ts';
import { loadExtendedAttributes } from './extended-attributes.ts';
import { fsError, isFsError } from './fs-error.ts';
import { HashThreads, Md5Batches } from './hash-threads.ts';
import { lstat, parentOf, UnlinkedDirs, WholeReads } from './local-entry.ts';
import type { LocalSettings } from './local-settings.ts';
import { PartialSweeper } from './partial-file.ts';
import { SmallCopies } from './small-copies.ts';

const MISLEADING = /(?:^|\/)\.{0,2}(?:\/|$)/;

/** A root on this machine's disks: the state shared by all operations of a local remote. */
export class LocalDisk {
  readonly settings: LocalSettings;
  readonly context: Context;
  readonly turns = new Turns();
  readonly pace: DiskPace;
  readonly naming = new DiskNaming(this);
  /** The coarsest error of the times that `setTimes` sets, in nanoseconds. */
  readonly timePrecision: bigint;
  readonly keptTimes: KeptTimes;
  readonly hashThreads = new HashThreads();
  /** For existing files. A long download must not occupy them. */
  readonly fileHashThreads = new HashThreads();
  /** What a stream reads at a time. */
  readonly streamBuffers = new BufferPool(512 * 1024, 8);
  /** What files were when their content was last verified; `undefined` of one whose size is wrong. */
  readonly readStamps = new WeakMap<FileEntry, ContentStamp | undefined>();
  readonly wholeReads = new WholeReads();
  readonly md5Batches = new Md5Batches(this.fileHashThreads);
  /** The mode of new files: 0666 less the process's umask. */
  readonly fileMode: number;
  /** What a new file was given that copies were last compared with: the same for a mode and a directory. */
  lastGiven: { readonly key: string; readonly stats: fs.Stats } | undefined;
  readonly sweeper: PartialSweeper;
  /** Where temporary files are that are being written, by their first path: a directory may be renamed. */
  readonly writing = new Map<string, string>();
  readonly unlinkedDirs: UnlinkedDirs;
  readonly title: string;
  /** Records of unfinished downloads, if they may be resumed. */
  readonly downloads: UploadRecordsAccess | undefined;
  /** For the content of one small file at a time, and a byte more, which shows that it is longer; see `isSmall`. */
  readonly smallBuffer = once(() => Buffer.allocUnsafeSlow(64 * 1024 + 1));
  readonly setTimes = once(loadSetTimes);
  /** Extended attributes; rejects if the machine has none. */
  readonly attributes = once(loadExtendedAttributes);
  /** This disk has none. */
  refusesAttributes = false;
  /** For ranges of one length: those of a file's parts. */
  #rangeBuffers: BufferPool | undefined;
  /** Quick copies of small files to this disk; `undefined` if this machine does not support them. */
  readonly smallCopies: SmallCopies | undefined;
  #marks: { readonly process: string; readonly disk: string } | undefined;
  #partials = 0;
  #device: bigint | undefined;

  constructor(settings: LocalSettings, context: Context, downloads?: UploadRecordsAccess) {
    this.settings = settings;
    this.downloads = downloads;
    this.context = context;
    this.fileMode = 0o666 & ~process.umask();
    this.pace = new DiskPace(context.clock);
    const koffi = exactTimesModule();
    this.timePrecision = timePrecision(koffi);
    this.keptTimes = new KeptTimes(this.timePrecision);
    if (koffi !== undefined && process.platform === 'linux')
      this.smallCopies = new SmallCopies(koffi, this);
    this.sweeper = new PartialSweeper(context);
    this.unlinkedDirs = new UnlinkedDirs(context.clock);
    this.title = `Local file system at ${toStandardPath(settings.encoding, settings.root)}`;
  }

  /** The native path of a path below the root; of a translated link the link's. Throws `name-invalid`. */
  pathOf(path: string): string {
    return this.findPath(path) ?? misnamed(path);
  }

  /** As `pathOf`; `undefined` where it throws: nothing can be there. */
  findPath(path: string): string | undefined {
    return this.#below(path, this.isLink(path) ? path.slice(0, -LINK_SUFFIX.length) : path);
  }

  /** As `pathOf` for a directory, whose name may end like those of translated links. */
  dirPathOf(dir: string): string {
    return this.#below(dir, dir) ?? misnamed(dir);
  }

  /** @param named as it is named on disk, in the standard form */
  #below(path: string, named: string): string | undefined {
    const { root, encoding } = this.settings;
    if (path === '') return root;
    const native = fromStandardPath(encoding, named);
    if (MISLEADING.test(native)) return undefined;
    return root === '/' ? `/${native}` : `${root}/${native}`;
  }

  mayHold(path: string): boolean {
    return this.findPath(path) !== undefined;
  }

  /** A name, or a path below the root, on disk in syncer's form. */
  nameOf(native: string): string {
    const { encoding, normalizeUnicode } = this.settings;
    const name = toStandardPath(encoding, native);
    return normalizeUnicode ? name.normalize('NFC') : name;
  }

  /** Whether a path of syncer stands for a translated symbolic link. */
  isLink(path: string): boolean {
    return this.settings.links === 'translate' && path.endsWith(LINK_SUFFIX);
  }

  /** `lstat`, or `stat` if links are followed; the root is always followed. `undefined` if nothing exists. */
  look(native: string): fs.BigIntStats | undefined {
    const look = this.#follows(native) ? fs.statSync : fs.lstatSync;
    try {
      return look(fsPath(native), { bigint: true });
    } catch (thrown) {
      return nothingIf(thrown);
    }
  }

  /** As `look`, by another thread. */
  async lookInThread(native: string): Promise<fs.BigIntStats | undefined> {
    const look = this.#follows(native) ? fs.promises.stat : fs.promises.lstat;
    try {
      return await look(fsPath(native), { bigint: true });
    } catch (thrown) {
      return nothingIf(thrown);
    }
  }

  /** As `look`, with its errors as `SyncerError`: no promise, unless the disk is slow. */
  lookPaced(native: string): fs.BigIntStats | undefined | Promise<fs.BigIntStats | undefined> {
    const failed = (thrown: unknown): never => {
      throw fsError(thrown, 'lstat', native);
    };
    try {
      return this.pace.run(
        1,
        () => this.look(native),
        () => this.lookInThread(native).catch(failed),
      );
    } catch (thrown) {
      return failed(thrown);
    }
  }

  #follows(native: string): boolean {
    return this.settings.links === 'follow' || native === this.settings.root;
  }

  /**
   * Whether a directory is on another file system than the root and `--one-file-system` leaves such alone. Whatever walks
   * directories asks this of each: listings, and all that deletes or moves a tree without one.
   */
  isForeign(directory: Pick<fs.BigIntStats, 'dev'>): boolean {
    if (!this.settings.oneFileSystem) return false;
    this.#device ??= fs.statSync(fsPath(this.settings.root), { bigint: true }).dev;
    return directory.dev !== this.#device;
  }

  /** A new temporary path beside `target`, for a file to be written, which another run may continue if `isKept`. */
  newPartial(target: string, isKept = false): string {
    this.sweeper.writing(parentOf(target));
    // The names are not secret, and new files replace nothing; loading `node:crypto` would cost every run.
    this.#marks ??= {
      process: ownMark(),
      disk: Math.floor(Math.random() * 2 ** 32).toString(16),
    };
    const number = (isKept ? KEPT_NUMBER : '') + this.#marks.disk + (this.#partials++).toString(36);
    return partialPath(target, this.#marks.process, number);
  }

  rangeBuffer(length: number): Buffer {
    this.#rangeBuffers ??= new BufferPool(length, 8);
    return this.#rangeBuffers.size === length
      ? this.#rangeBuffers.take()
      : Buffer.allocUnsafeSlow(length);
  }
}

/** `undefined` if nothing can be at a path; throws again otherwise. Nothing can exist under a name that is too long. */
function nothingIf(thrown: unknown): undefined {
  if (isFsError(thrown, 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG')) return undefined;
  throw thrown;
}

function misnamed(path: string): never {
  throw new SyncerError('name-invalid', `not a name for a local file: ${path}`, { path });
}

/** How long synchronous work may block everything else, in milliseconds. */
const LONGEST = 4;

/** Lets synchronous work, which is faster for small files but blocks the network, run in short bursts. */
export class Turns {
  #since: number | undefined;
  /** Resolves in the next turn of the event loop; shared by all that wait. */
  #next: PromiseWithResolvers<void> | undefined;

  /** Call before each piece of synchronous work. Returns a promise to wait for if this turn of the event loop is full. */
  take(): Promise<void> | undefined {
    const now = performance.now();
    if (this.#since === undefined) {
      this.#since = now;
      setImmediate(() => {
        this.#since = undefined;
        this.#next?.resolve();
        this.#next = undefined;
      });
    } else if (now - this.#since > LONGEST) {
      this.#next ??= Promise.withResolvers();
      return this.#next.promise;
    }
    return undefined;
  }
}

/** The finest that a disk cuts times to, in nanoseconds: what is finer shows that it does not. */
const FINEST_CUT_NS = 100n;

/** Which time a disk keeps of one that was set. */
export class KeptTimes {
  /** Directories whose files keep it as it is. */
  readonly #exact = new Set<string>();
  readonly #errorNs: bigint;

  /** @param errorNs less than this many nanoseconds are between a time that is set and the one meant */
  constructor(errorNs: bigint) {
    this.#errorNs = errorNs;
  }

  /** The entry of a file that was just written at `native`; it is looked up until one of its directory kept its time. */
  written(path: string, native: string, size: number, modTime: ModTime): FileEntry {
    const entry: FileEntry = { kind: 'file', path, size, modTime };
    const dir = parentOf(native);
    if (this.#exact.has(dir)) return entry;
    const stats = lstat(native);
    if (stats === undefined) return entry;
    const { mtimeNs, ctimeNs } = stats;
    if (mtimeNs === modTime) {
      const isFine = modTime % FINEST_CUT_NS !== 0n || ctimeNs % FINEST_CUT_NS !== 0n;
      if (isFine && this.#errorNs === 1n) {
        if (this.#exact.size >= 16_384) this.#exact.clear();
        this.#exact.add(dir);
      }
      return entry;
    }
    // Another program may have replaced the file since.
    const isNear = sameModTime(mtimeNs, modTime, this.#errorNs);
    const isOwn = Number(stats.size) === size && (isNear || isCutOf(mtimeNs, modTime));
    return isOwn ? { ...entry, modTime: mtimeNs } : entry;
  }
}

/** Calls that take longer than this are better made in other threads, which costs 0.02 to 0.06, in milliseconds. */
const SLOW_MS = 0.15;
/** After so much work it is known whether the disk is slow. */
const WINDOW = 16;
/** If it takes that long, in milliseconds, less is enough: nothing else runs in that time. */
const LONGEST_MS = 25;
const LEAST = 4;
/** How many calls other threads make before some are made here again, to find out whether they are still slow. */
const TRIAL_AFTER = 8192;

/**
 * Whether a disk keeps its callers waiting: one in the network, a cold or a spinning one. Calls that the system answers
 * from memory take microseconds, and are best made here, one after the other; slow ones are made by the threads of the
 * process, several at the same time.
 *
 * Most of the work must be slow, and not its average: where the processor is shared, a little of it takes long.
 */
export class DiskPace {
  readonly #clock: { monotonic(): number };
  #done = 0;
  #slow = 0;
  #ms = 0;
  #window = WINDOW;
  #inThreads = 0;
  #isSlow = false;
  #isKnown = false;

  constructor(clock: { monotonic(): number }) {
    this.#clock = clock;
  }

  /** Whether calls are better made in other threads. */
  get isSlow(): boolean {
    return this.#isSlow;
  }

  /** Whether calls were not slow lately: longer pieces of work are then no risk. */
  get isFast(): boolean {
    return this.#isKnown && !this.isSlow;
  }

  /** Notes work done here: how many calls it was, and how long they took together, in milliseconds. */
  note(calls: number, ms: number): void {
    if (calls === 0) return;
    this.#done++;
    this.#ms += ms;
    if (ms > calls * SLOW_MS) this.#slow++;
    const isEnough = this.#ms >= LONGEST_MS && this.#done >= LEAST;
    if (this.#done < this.#window && !isEnough) return;
    this.#isSlow = this.#slow * 2 > this.#done;
    this.#isKnown = true;
    this.#window = WINDOW;
    this.#done = 0;
    this.#slow = 0;
    this.#ms = 0;
  }

  /** Notes calls made in other threads. */
  noteInThreads(calls: number): void {
    if (!this.#isSlow) return;
    this.#inThreads += calls;
    if (this.#inThreads < TRIAL_AFTER) return;
    this.#inThreads = 0;
    this.#isSlow = false;
    this.#isKnown = false;
    this.#window = LEAST;
  }

  /** Does work of this many calls, and notes how long it takes. */
  here<T>(calls: number, work: () => T): T {
    const since = this.#clock.monotonic();
    try {
      return work();
    } finally {
      this.note(calls, this.#clock.monotonic() - since);
    }
  }

  /** Does work of this many calls here or, if the disk is slow, in another thread. */
  run<T>(calls: number, here: () => T, inThread: () => Promise<T>): T | Promise<T> {
    if (!this.isSlow) return this.here(calls, here);
    this.noteInThreads(calls);
    return inThread();
  }
}
