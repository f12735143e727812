import type { SyncerError } from '../../core/errors.ts';
import { type ModTime, modTimeFromMs } from '../../core/mod-time.ts';
import type { FileEntry, Op } from '../../core/remote.ts';
import type { FileState } from './file-contents.ts';
import { type CacheState, type Journal, type JournalRecord, storeEntry } from './journal.ts';
import { SparseFile, type SparseFileHome, type SparseFileStart } from './sparse-file.ts';

/** The content of a file up to this size, in bytes, goes into the journal when it is committed. */
const SHORT = 16 * 1024;

/** What a cached file needs of the cache. */
export interface FileCache extends SparseFileHome {
  /** Identifies this boot of the machine. */
  readonly boot: string;
  readonly journal: Pick<Journal, 'nextNumber' | 'takesContent'>;
  readonly uploads: { cancel(file: CachedFile): void };
  readonly safety: {
    add(file: CachedFile, number: number): Promise<void>;
    addContent(length: number): Promise<void>;
  };
  /** Milliseconds since the epoch. */
  now(): number;
  put(record: JournalRecord, gone: readonly string[]): Promise<void>;
  /** As `CacheFolder.setAside`. */
  setAside(id: string, path: string): Promise<string | undefined>;
  /** Its state or its path has changed. */
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
 * A file of the disk cache: its bytes, and the state of its upload. A change takes effect when it is committed, at
 * the latest when the file is closed: only committed changes are uploaded, and recovered after a crash.
 */
export class CachedFile extends SparseFile {
  modTime: ModTime;
  /** Increases with every change: an upload detects that it reads another version than at its start. */
  edition = 0;
  /** When it was last open, in milliseconds since the epoch. */
  lastUsed: number;
  readonly isRecovered: boolean;
  readonly #isUnsure: boolean;
  /** An upload ended without a response: the remote may have the file. */
  isUncertain = false;
  /** The version that this one replaces when it is committed. */
  replaces: CachedFile | undefined;
  /** A newer version exists and is not committed yet. */
  isReplaced = false;
  /** Whether its upload waits or runs, the path that the last one still writes to, and how it has failed so far. */
  upload: 'queued' | 'uploading' | undefined;
  uploadsTo: string | undefined;
  failures = 0;
  failure: SyncerError | undefined;
  readonly #cache: FileCache;
  /** Its state in the journal. */
  journaled: CacheState;
  /** Something was changed since the last commit. */
  isChanged = false;
  /** Resolves when the journal has it as not clean. */
  #told: Promise<void> | undefined;
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
    this.modTime = start.modTime;
    this.journaled = start.journaled;
    this.#content = start.content;
    this.lastUsed = cache.now();
    this.isRecovered = start.isRecovered ?? false;
    this.#isUnsure = start.isUnsure ?? false;
  }

  /** As `JournalRecord.unsure`, until it is changed. */
  get isUnsure(): boolean {
    return this.#isUnsure && this.edition === 0;
  }

  get state(): FileState {
    if (this.uploadsTo !== undefined && this.upload !== 'uploading') return 'superseded';
    if (this.isChanged || this.journaled === 'open') return 'dirty';
    return this.journaled === 'clean' ? 'clean' : (this.upload ?? 'committed');
  }

  /** Whether it holds changes that the remote lacks. */
  get isDirty(): boolean {
    return this.journaled !== 'clean' || this.isChanged;
  }

  get isUsed(): boolean {
    return this.users + this.#pins > 0;
  }

  override acquire(): Promise<void> {
    this.#cache.used(this);
    return super.acquire();
  }

  override async release(): Promise<void> {
    this.lastUsed = this.#cache.now();
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
      if (size < this.size && this.journaled === 'pending') await this.#put('pending', size);
      await this.truncateHere(size);
    });
  }

  /** Counts as changed although nothing was written: a new file, or a truncated one. */
  async touch(): Promise<void> {
    await this.#change(async () => {});
  }

  /** Changes the time only, of a file that is changed or waits for its upload. */
  setModTime(modTime: ModTime): void {
    if (this.modTime === modTime) return;
    this.#cache.uploads.cancel(this);
    this.edition++;
    this.modTime = modTime;
    this.isChanged = true;
  }

  /** Commits the current content: resolves when it survives the end of the program. */
  async commit(): Promise<void> {
    // Another caller's commit may lack this caller's data, and its failure is not this caller's.
    while (this.#committing !== undefined) await this.#committing.catch(() => undefined);
    if (!this.isChanged || this.path === undefined) return;
    this.#committing = this.#commit().finally(() => {
      this.#committing = undefined;
    });
    await this.#committing;
  }

  async #commit(): Promise<void> {
    this.isChanged = false;
    try {
      this.#content ??= await this.#shortContent();
      await this.#put('pending', this.size);
    } catch (thrown) {
      this.isChanged = true;
      throw thrown;
    }
    const { replaces } = this;
    this.replaces = undefined;
    await replaces?.discard();
  }

  /** Resolves when the commit survives a power cut; immediately without a name. */
  async safe(): Promise<void> {
    await this.#safe.catch((thrown: unknown) => {
      if (this.path !== undefined) throw thrown;
    });
  }

  /** The remote has it now, as `entry`. */
  async uploaded(entry: FileEntry): Promise<void> {
    this.base = entry;
    this.#content = undefined;
    await this.#put('clean', this.size);
  }

  rename(path: string): void {
    const old = this.path;
    this.path = path;
    this.#cache.changed(this, old);
  }

  /** Its path or base has changed; the files of the ids in `gone` are dropped atomically with it. */
  async describe(gone: readonly string[] = []): Promise<void> {
    if (this.path !== undefined && this.journaled !== 'open')
      await this.#put(this.journaled, this.size, gone);
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
    this.#cache.uploads.cancel(this);
    const { path } = this;
    this.path = undefined;
    await this.#cache.forget(this, path);
  }

  async #change(doIt: () => Promise<void>): Promise<void> {
    this.edition++;
    this.#cache.uploads.cancel(this);
    this.isChanged = true;
    this.#content = undefined;
    if (this.journaled === 'clean') {
      this.journaled = 'open';
      this.#cache.changed(this);
      this.#told = this.#put('open', this.size);
    }
    try {
      await this.#told;
    } catch (thrown) {
      this.journaled = 'clean';
      this.isChanged = false;
      this.#cache.changed(this);
      throw thrown;
    }
    await doIt();
    this.modTime = modTimeFromMs(this.#cache.now());
    // It may have been committed during the write.
    this.isChanged = true;
    this.#content = undefined;
  }

  /** Journals its current state; bytes beyond `size` count as truncated. */
  async #put(state: CacheState, size: number, others: readonly string[] = []): Promise<void> {
    if (this.path === undefined) {
      this.journaled = state;
      return;
    }
    const record: JournalRecord = {
      id: this.id,
      number: this.#cache.journal.nextNumber(),
      path: this.path,
      state,
      size,
      modTime: String(this.modTime),
      edges: this.ranges.edges().map((edge) => Math.min(edge, size)),
      ...(this.base === undefined ? {} : { base: storeEntry(this.base) }),
      boot: this.#cache.boot,
      ...(state === 'pending' && this.#content !== undefined ? { content: this.#content } : {}),
      ...(state !== 'open' && this.#safeMark === this.#mark() ? { safe: true } : {}),
      used: this.lastUsed,
    };
    const { replaces } = this;
    const own = state === 'pending' && replaces !== undefined ? [replaces.id] : [];
    const gone = [...own, ...others];
    const before = this.journaled;
    // Before the write ends: a change during it must see the new state.
    this.journaled = state;
    this.#cache.changed(this);
    try {
      await this.#cache.put(record, gone);
    } catch (thrown) {
      if (this.journaled === state) this.journaled = before;
      this.#cache.changed(this);
      throw thrown;
    }
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
    const { edition } = this;
    const isShort = this.size <= SHORT && this.isComplete && this.isOpen;
    if (!isShort || !this.#cache.journal.takesContent(this.size)) return undefined;
    const bytes = await this.readHere(0, this.size).catch(() => undefined);
    // A change during the read is committed when it is closed.
    if (bytes === undefined || this.edition !== edition) return undefined;
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
  }

  /** Within an edition bytes are only added. */
  #mark(): string {
    return `${this.edition} ${this.ranges.bytes}`;
  }
}
