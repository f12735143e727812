import { type ModTime, modTimeFromMs } from '../../core/mod-time.ts';
import type { FileEntry, Op } from '../../core/remote.ts';
import {
  committed,
  doubted,
  type FileState,
  type FileUpload,
  isChanged,
  isUncertain,
  journaledIn,
  queued,
  restored,
  stopped,
  type Turn,
  turnOf,
  uncommitted,
  uploadArrived,
  uploadBegan,
  uploadEnded,
  uploadFailed,
  wrote,
} from './file-state.ts';
import { type CacheState, type JournalRecord, storeEntry } from './journal.ts';
import { SparseFile, type SparseFileHome, type SparseFileStart } from './sparse-file.ts';

/** The content of a file up to this size, in bytes, goes into the journal when it is committed. */
const SHORT = 16 * 1024;

/** What a cached file needs of the cache. */
export interface FileCache extends SparseFileHome {
  /** Identifies this boot of the machine. */
  readonly boot: string;
  readonly journal: { nextNumber(): number; takesContent(bytes: number): boolean };
  readonly uploads: {
    schedule(file: CachedFile, delayMs: number): void;
    /** The file has left this turn. */
    left(turn: Turn): void;
    /** The running upload of the file is of an older version now. `mayEnd`: it may have been sent as a whole. */
    superseded(file: CachedFile, mayEnd: boolean): void;
  };
  readonly safety: {
    add(file: CachedFile, number: number): Promise<void>;
    addContent(length: number): Promise<void>;
  };
  /** Milliseconds since the epoch. */
  now(): number;
  put(record: JournalRecord, gone: readonly string[]): Promise<void>;
  /** As `CacheFolder.setAside`. */
  setAside(id: string, path: string): Promise<string | undefined>;
  /** As `DiskCache.create`. */
  create(path: string, base: FileEntry | undefined, modTime: ModTime): CachedFile;
  /** It is clean now or not clean any more, or its path has changed. */
  changed(file: CachedFile, oldPath?: string): void;
  /** It was opened for the first time, closed for the last time, or has lost its name. */
  used(file: CachedFile): void;
  unused(file: CachedFile): Promise<void>;
  forget(file: CachedFile, path: string | undefined): Promise<void>;
}

/** The initial state of a cached file. */
export interface CachedFileStart extends SparseFileStart {
  readonly modTime: ModTime;
  /** Its state in the journal; `clean` if it has no record yet. */
  readonly journaled: CacheState;
  /** It comes from an earlier run. */
  readonly isRecovered?: boolean;
  /** As `JournalRecord.unsure`. */
  readonly isUnsure?: boolean;
}

/**
 * Larger files are uploaded in parts, in bytes: an upload that is aborted between parts is never whole on the remote.
 */
const SENT_AT_ONCE = 16 * 1024 * 1024;

/**
 * A file of the disk cache: its bytes, and its state. A change takes effect when it is committed, at the latest when
 * the file is closed: only committed changes are uploaded, and recovered after a crash.
 */
export class CachedFile extends SparseFile {
  readonly isRecovered: boolean;
  readonly #cache: FileCache;
  readonly #isUnsure: boolean;
  #state: FileState;
  #modTime: ModTime;
  /** Increases with every change: an upload detects that it reads another version than at its start. */
  #edition = 0;
  #lastUsed: number;
  #replaces: CachedFile | undefined;
  #isReplaced = false;
  /** While the journal does not have it as changed yet. */
  #opening: Promise<void> | undefined;
  #safe: Promise<void> = Promise.resolve();
  /** Its content, in base64, if it is known to be short. */
  #content: string | undefined;
  #committing: Promise<void> | undefined;
  /** The edition, and the number of its bytes, known to be on disk. */
  #safeMark = '';
  #pins = 0;
  #isGone = false;

  constructor(cache: FileCache, start: CachedFileStart) {
    super(cache, start);
    this.#cache = cache;
    this.#state = restored(start.journaled);
    this.#modTime = start.modTime;
    this.#content = start.content;
    this.#lastUsed = cache.now();
    this.isRecovered = start.isRecovered ?? false;
    this.#isUnsure = start.isUnsure ?? false;
  }

  get state(): FileState {
    return this.#state;
  }

  /** Whether it holds changes that the remote lacks. */
  get isDirty(): boolean {
    return this.#state.is !== 'clean';
  }

  /** Whether it has a version that a crash leaves to the next mount. */
  get isCommitted(): boolean {
    return journaledIn(this.#state) === 'pending';
  }

  /** As `JournalRecord.unsure`, until it is changed. */
  get isUnsure(): boolean {
    return this.#isUnsure && this.#edition === 0;
  }

  /** An upload ended without a response: the remote may have the file. */
  get isUncertain(): boolean {
    return isUncertain(this.#state);
  }

  /** Its place in the queue, also while it is uploaded. */
  get turn(): Turn | undefined {
    return turnOf(this.#state);
  }

  get modTime(): ModTime {
    return this.#modTime;
  }

  /** When it was last open, in milliseconds since the epoch. */
  get lastUsed(): number {
    return this.#lastUsed;
  }

  /** The version that this one replaces when it is committed. */
  get replaces(): CachedFile | undefined {
    return this.#replaces;
  }

  /** A newer version exists and is not committed yet. */
  get isReplaced(): boolean {
    return this.#isReplaced;
  }

  get isUsed(): boolean {
    return this.users + this.#pins > 0;
  }

  override acquire(): Promise<void> {
    this.#cache.used(this);
    return super.acquire();
  }

  override async release(): Promise<void> {
    this.#lastUsed = this.#cache.now();
    await super.release();
    if (!this.isUsed) await this.#cache.unused(this);
  }

  /** Keeps this object the only one for its data until `unpin`, without opening it. */
  pin(): void {
    this.#pins++;
    this.#cache.used(this);
  }

  async unpin(): Promise<void> {
    this.#pins--;
    if (!this.isUsed) await this.#cache.unused(this);
  }

  /** Then the journal has them too: the version on the remote that they come from may be replaced next. */
  override async complete(op: Op): Promise<void> {
    if (this.isComplete) return;
    await super.complete(op);
    const mark = this.#mark();
    await this.syncHere();
    this.#safeMark = mark;
    await this.describe();
  }

  async write(offset: number, bytes: Uint8Array): Promise<void> {
    await this.#change(() => this.writeHere(offset, bytes));
  }

  async truncate(size: number): Promise<void> {
    await this.#change(async () => {
      // A crash in between must not leave a journal that promises truncated bytes.
      if (size < this.size && this.isCommitted) await this.#put(this.#state, size);
      await this.truncateHere(size);
    });
  }

  /** Counts as changed although nothing was written: a new file, or a truncated one. */
  async touch(): Promise<void> {
    await this.#change(async () => {});
  }

  /** Changes the time only, of a file that is dirty. */
  setModTime(modTime: ModTime): void {
    if (this.#modTime === modTime || !this.isDirty) return;
    this.#edition++;
    this.#modTime = modTime;
    this.#go(wrote(this.#state));
  }

  /**
   * Empties a committed file: it stays as it was until the version that replaces it is committed. Resolves to that
   * version, acquired; to `undefined` if this one can be truncated, as nothing counts on it.
   */
  async emptied(): Promise<CachedFile | undefined> {
    const { path } = this;
    if (!this.isCommitted || isChanged(this.#state) || path === undefined) return undefined;
    this.#edition++;
    this.#go(stopped(this.#state));
    this.#isReplaced = true;
    this.#cache.changed(this);
    const next = this.#cache.create(path, undefined, modTimeFromMs(this.#cache.now()));
    next.base = this.base;
    const isDoubtful = this.isUncertain;
    try {
      await next.acquire();
      await next.touch().catch(async (thrown: unknown) => {
        await next.release();
        throw thrown;
      });
    } catch (thrown) {
      await next.discard();
      this.#isReplaced = false;
      this.#cache.changed(this);
      throw thrown;
    }
    if (isDoubtful) next.#go(doubted(next.#state, true));
    next.#replaces = this;
    return next;
  }

  /** Commits the current content: resolves when it survives the end of the program. */
  async commit(): Promise<void> {
    // Another caller's commit may lack this caller's data, and its failure is not this caller's.
    while (this.#committing !== undefined) await this.#committing.catch(() => undefined);
    if (!isChanged(this.#state) || this.path === undefined) return;
    this.#committing = this.#commit().finally(() => {
      this.#committing = undefined;
    });
    await this.#committing;
  }

  async #commit(): Promise<void> {
    const edition = this.#edition;
    this.#content ??= await this.#shortContent();
    // The first line of its changes could not be written in between, and they were refused.
    if (!isChanged(this.#state)) return;
    const { isCommitted } = this;
    const next = committed(this.#state);
    try {
      await this.#put(edition === this.#edition ? next : wrote(next), this.size);
    } catch (thrown) {
      this.#go(uncommitted(this.#state, isCommitted));
      throw thrown;
    }
    const replaces = this.#replaces;
    this.#replaces = undefined;
    await replaces?.discard();
  }

  /** Resolves when the commit survives a power cut; immediately without a name. */
  async safe(): Promise<void> {
    await this.#safe.catch((thrown: unknown) => {
      if (this.path !== undefined) throw thrown;
    });
  }

  /** It waits for this turn to be uploaded. */
  queued(turn: Turn): void {
    this.#go(queued(this.#state, turn));
  }

  /** It leaves the queue, and an upload that runs ends soon. */
  stopped(): void {
    this.#go(stopped(this.#state));
  }

  /** Its turn has come. */
  uploadBegan(path: string): FileUpload {
    const upload = { path, edition: this.#edition };
    this.#go(uploadBegan(this.#state, upload));
    return upload;
  }

  /** Whether an upload reads the current version. */
  isCurrent({ edition }: FileUpload): boolean {
    return this.#edition === edition;
  }

  /** Its upload is on its way: from now on, it may arrive without a response. */
  uploadSent(): void {
    this.#go(doubted(this.#state, true));
  }

  /** The remote has what was uploaded, as `entry`. Resolves when the journal has it, too. */
  async uploadArrived(upload: FileUpload, entry: FileEntry): Promise<void> {
    const isCurrent = this.isCurrent(upload);
    // Also an older version has to be deleted or renamed with the file.
    const based = this.arrivedAs(entry, isCurrent);
    const before = this.#state;
    const next = uploadArrived(before, isCurrent);
    if (next.is === 'clean') this.#content = undefined;
    else this.#go(next);
    try {
      await (next.is === 'clean' ? this.#put(next, this.size) : based);
    } catch (thrown) {
      if (this.#state !== next) throw thrown;
      this.#go(before.is === 'superseded' ? stopped(before) : before);
      if (before.is === 'superseded' && turnOf(before) !== undefined) this.#queueAgain();
      throw thrown;
    }
  }

  /** Its upload has failed: it waits for another turn. */
  uploadFailed(turn: Turn): void {
    this.#go(uploadFailed(this.#state, turn));
  }

  /** Its upload has ended, and reads and writes nothing any more. */
  uploadEnded(): void {
    this.#go(uploadEnded(this.#state));
  }

  /** It became known what the remote has under its name; `undefined`: nothing else than before. */
  lookedUp(entry: FileEntry | undefined): void {
    this.#go(doubted(this.#state, false));
    // What was never read is still of the old one.
    if (entry !== undefined && this.isComplete) this.base = entry;
  }

  /** The remote lists its content as `entry` now. */
  relisted(entry: FileEntry): void {
    this.base = entry;
  }

  /** Its name has changed; `describe` journals that. */
  rename(path: string): void {
    const old = this.path;
    this.path = path;
    this.#cache.changed(this, old);
  }

  /** Its path or base has changed; the files of the ids in `gone` are dropped atomically with it. */
  async describe(gone: readonly string[] = []): Promise<void> {
    if (this.path !== undefined && journaledIn(this.#state) !== 'open')
      await this.#put(this.#state, this.size, gone);
  }

  /** Keeps its bytes for its user, and has no name any more. Resolves to where they are. */
  async putAside(): Promise<string> {
    const kept = await this.#cache.setAside(this.id, this.path ?? '');
    await this.discard();
    return kept ?? '';
  }

  /** It has lost its name; its data is deleted when it has no users. */
  async discard(): Promise<void> {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#go(stopped(this.#state));
    const { path } = this;
    this.path = undefined;
    await this.#cache.forget(this, path);
  }

  async #change(doIt: () => Promise<void>): Promise<void> {
    this.#edition++;
    this.#content = undefined;
    if (this.#state.is === 'clean') this.#opening = this.#journalOpen();
    else this.#go(wrote(this.#state));
    if (this.#opening !== undefined) await this.#opening;
    await doIt();
    this.#modTime = modTimeFromMs(this.#cache.now());
    this.#content = undefined;
    if (!isChanged(this.#state)) await this.#changedLate();
  }

  /** It was committed during a write that has ended now. If it was closed, too, no writer closes it again. */
  async #changedLate(): Promise<void> {
    const wasClean = !this.isDirty;
    const wasClosed = wasClean || this.turn !== undefined;
    const next = wrote(this.#state);
    this.#edition++;
    try {
      if (wasClean) await this.#put(next, this.size);
      else this.#go(next);
    } finally {
      if (wasClosed) this.#queueAgain();
    }
  }

  /** Journals that a clean file is changed. */
  async #journalOpen(): Promise<void> {
    const before = this.#state;
    const next = wrote(before);
    try {
      await this.#put(next, this.size);
    } catch (thrown) {
      if (this.#state === next) this.#go(before);
      throw thrown;
    } finally {
      this.#opening = undefined;
    }
  }

  /** The only place where its state changes; the queue follows. */
  #go(next: FileState): void {
    const before = this.#state;
    if (next === before) return;
    this.#state = next;
    const turn = turnOf(before);
    if (turn !== undefined && turn !== turnOf(next)) this.#cache.uploads.left(turn);
    if (before.is === 'uploading' && next.is === 'superseded') {
      const mayEnd = before.isUncertain && this.size <= SENT_AT_ONCE;
      this.#cache.uploads.superseded(this, mayEnd);
    }
    if ((before.is === 'clean') !== (next.is === 'clean')) this.#cache.changed(this);
  }

  /** It has lost its turn, and no writer closes it again. */
  #queueAgain(): void {
    this.#cache.uploads.schedule(this, this.#cache.kit.options.writeBack);
  }

  /** Takes a state, and journals it; bytes beyond `size` count as truncated. */
  async #put(next: FileState, size: number, others: readonly string[] = []): Promise<void> {
    // Before the write ends: a change during it must see the new state.
    this.#go(next);
    if (this.path === undefined) return;
    const state = journaledIn(next);
    const record: JournalRecord = {
      id: this.id,
      number: this.#cache.journal.nextNumber(),
      path: this.path,
      state,
      size,
      modTime: String(this.#modTime),
      edges: this.ranges.edges().map((edge) => Math.min(edge, size)),
      ...(this.base === undefined ? {} : { base: storeEntry(this.base) }),
      ...(this.sent.length === 0 ? {} : { sent: this.sent }),
      boot: this.#cache.boot,
      ...(state === 'pending' && this.#content !== undefined ? { content: this.#content } : {}),
      ...(state !== 'open' && this.#safeMark === this.#mark() ? { safe: true } : {}),
      used: this.#lastUsed,
    };
    const replaces = this.#replaces;
    const own = state === 'pending' && replaces !== undefined ? [replaces.id] : [];
    await this.#cache.put(record, [...own, ...others]);
    // Clean content can be downloaded again: it is synced to disk when there is time.
    if (state !== 'pending') return;
    const { safety } = this.#cache;
    const { number, content } = record;
    if (content !== undefined) {
      this.#safe = safety.addContent(content.length);
      return;
    }
    const mark = this.#mark();
    this.#safe = safety.add(this, number);
    const done = () => {
      this.#safeMark = mark;
    };
    this.#safe.then(done, () => undefined);
  }

  async #shortContent(): Promise<string | undefined> {
    const edition = this.#edition;
    const isShort = this.size <= SHORT && this.isComplete && this.isOpen;
    if (!isShort || !this.#cache.journal.takesContent(this.size)) return undefined;
    const bytes = await this.readHere(0, this.size).catch(() => undefined);
    // A change during the read is committed when it is closed.
    if (bytes === undefined || this.#edition !== edition) return undefined;
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
  }

  /** Within an edition bytes are only added. */
  #mark(): string {
    return `${this.#edition} ${this.ranges.bytes}`;
  }
}
