import fs from 'node:fs';
import { once, UsedAgain } from '../../core/body.ts';
import type { Context } from '../../core/context.ts';
import type { ContentStamp } from '../../core/entry-details.ts';
import { SyncerError } from '../../core/errors.ts';
import { isCutOf, type ModTime, sameModTime } from '../../core/mod-time.ts';
import type { FileEntry } from '../../core/remote.ts';
import { LINK_SUFFIX } from '../../core/remote-path.ts';
import type { UploadRecordsAccess } from '../../core/upload-records.ts';
import { fromStandardPath, toStandardPath } from '../../names/name-encoding.ts';
import { KEPT_NUMBER, partialPath } from '../../names/partial-name.ts';
import { fsPath } from '../../system/fs-path.ts';
import { ownMark } from '../../system/owner-state.ts';
import { exactTimesModule, loadSetTimes, timePrecision } from '../../system/set-times.ts';
import { DiskNaming, lstat } from './disk-naming.ts';
import { DiskPace } from './disk-pace.ts';
import { loadExtendedAttributes } from './extended-attributes.ts';
import { isFsError } from './fs-error.ts';
import { HashThreads, Md5Batches } from './hash-threads.ts';
import type { LocalSettings } from './local-settings.ts';
import { PartialSweeper, parentOf } from './partial-file.ts';
import { WholeReads } from './small-copier.ts';
import { SmallCopies } from './small-copies.ts';

const MISLEADING = /(?:^|\/)\.{0,2}(?:\/|$)/;

/** A root on this machine's disks: the state shared by all operations of a local remote. */
export class LocalDisk {
  readonly settings: LocalSettings;
  readonly context: Context;
  readonly turns = new Turns();
  readonly pace: DiskPace;
  readonly naming = new DiskNaming(this);
  readonly keptTimes = new KeptTimes(timePrecision());
  readonly hashThreads = new HashThreads();
  /** For existing files. A long download must not occupy them. */
  readonly fileHashThreads = new HashThreads();
  /** What a stream reads at a time. */
  readonly streamBuffers = new UsedAgain(512 * 1024, 8);
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
  #rangeBuffers: UsedAgain | undefined;
  /** Quick copies of small files to this disk; `undefined` if this machine does not support them. */
  readonly smallCopies = once(() => {
    const koffi = process.platform === 'linux' ? exactTimesModule() : undefined;
    return koffi && new SmallCopies(koffi, this.pace);
  });
  #marks: { readonly process: string; readonly disk: string } | undefined;
  #partials = 0;
  #device: bigint | undefined;

  constructor(settings: LocalSettings, context: Context, downloads?: UploadRecordsAccess) {
    this.settings = settings;
    this.downloads = downloads;
    this.context = context;
    this.fileMode = 0o666 & ~process.umask();
    this.pace = new DiskPace(context.clock);
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

  #follows(native: string): boolean {
    return this.settings.links === 'follow' || native === this.settings.root;
  }

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
    this.#rangeBuffers ??= new UsedAgain(length, 8);
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

/** Directories that are no symbolic links, or not there yet, so that for a second not every file in them needs a check. */
export class UnlinkedDirs {
  readonly #clock: { monotonic(): number };
  readonly #known = new Set<string>();
  #since = 0;

  constructor(clock: { monotonic(): number }) {
    this.#clock = clock;
  }

  has(dir: string): boolean {
    if (this.#known.size === 0) return false;
    if (this.#clock.monotonic() - this.#since > 1000) this.clear();
    return this.#known.has(dir);
  }

  add(dir: string): void {
    if (this.#known.size >= 4096) this.clear();
    if (this.#known.size === 0) this.#since = this.#clock.monotonic();
    this.#known.add(dir);
  }

  clear(): void {
    this.#known.clear();
  }
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
