import { hasCode, SyncerError } from '../../core/errors.ts';
import { type ModTime, modTimeFromMs } from '../../core/mod-time.ts';
import type { FileEntry, Op } from '../../core/remote.ts';
import type { CachedFileStart, CacheOfFile } from './cache-of-file.ts';
import { downloadsOf } from './contents-kit.ts';
import type { DataFile } from './data-file.ts';
import type { Downloads } from './downloads.ts';
import { type CacheState, type JournalRecord, storeEntry } from './journal-record.ts';

/** The content of a file up to this size, in bytes, goes into the journal when it is committed. */
const SHORT = 16 * 1024;

/**
 * One file of the cache on disk. What was changed counts once it is committed, at the latest when it is closed: only
 * that is uploaded, and found again after a crash.
 */
export class CachedFile {
  readonly id: string;
  readonly data: DataFile;
  /** Absent once it has no name any more. */
  path: string | undefined;
  base: FileEntry | undefined;
  modTime: ModTime;
  /** Rises with every change: tells an upload that what it reads is no longer what it began with. */
  edition = 0;
  /** When somebody last had it open, in milliseconds since the epoch. */
  lastUsed: number;
  readonly isRecovered: boolean;
  /** An upload was ended before its answer came: it may have happened. */
  isUncertain = false;
  /** The version that this one replaces when it is committed. */
  replaces: CachedFile | undefined;
  /** There is a newer version, which is not committed yet. */
  isReplaced = false;
  readonly #cache: CacheOfFile<CachedFile>;
  #state: CacheState;
  #isChanged = false;
  /** The journal knows that it is no longer clean. */
  #told: Promise<void> | undefined;
  #safe: Promise<void> = Promise.resolve();
  /** What it holds, in base64, where that is known to be short. */
  #content: string | undefined;
  #committing: Promise<void> | undefined;
  /** The edition, and how many bytes of it, that are known to be on the disk. */
  #safeMark = '';
  #downloads: Downloads | undefined;
  #users = 0;
  #isGone = false;

  constructor(cache: CacheOfFile<CachedFile>, start: CachedFileStart) {
    this.#cache = cache;
    this.id = start.id;
    this.data = start.data;
    this.path = start.path;
    this.base = start.base;
    this.modTime = start.modTime;
    this.#state = start.state;
    this.#content = start.content;
    this.lastUsed = cache.now();
    this.isRecovered = start.isRecovered ?? false;
  }

  get state(): CacheState {
    return this.#state;
  }

  /** Whether it holds what the remote does not. */
  get isDirty(): boolean {
    return this.#state !== 'clean' || this.#isChanged;
  }

  /** Whether something was changed since it was last committed. */
  get isChanged(): boolean {
    return this.#isChanged;
  }

  get isUsed(): boolean {
    return this.#users > 0;
  }

  /** For one more user, who calls `release`. Rejects where the bytes are not there. */
  async acquire(): Promise<void> {
    this.#users++;
    this.#cache.used(this);
    try {
      await this.data.acquire();
    } catch (thrown) {
      this.#users--;
      throw thrown;
    }
  }

  async release(): Promise<void> {
    if (--this.#users === 0) {
      await this.#downloads?.close();
      this.#downloads = undefined;
    }
    this.lastUsed = this.#cache.now();
    await this.data.release();
    if (this.#users === 0) await this.#cache.unused(this);
  }

  /** Stays the one file of its bytes until `unpin`, without being open. */
  pin(): void {
    this.#users++;
    this.#cache.used(this);
  }

  async unpin(): Promise<void> {
    if (--this.#users === 0) await this.#cache.unused(this);
  }

  async read(offset: number, length: number, op: Op): Promise<Uint8Array> {
    const end = Math.min(offset + length, this.data.size);
    while (!this.data.ranges.has(offset, end)) {
      const fetcher = this.#fetcher();
      try {
        await fetcher.ensure(offset, end, op);
      } catch (thrown) {
        // It goes on with another object on the remote, or under another name.
        if (fetcher === this.#downloads || !hasCode(thrown, 'interrupted')) throw thrown;
      }
    }
    return this.data.read(offset, length);
  }

  async write(offset: number, bytes: Uint8Array): Promise<void> {
    await this.#change(() => this.data.write(offset, bytes));
  }

  async truncate(size: number): Promise<void> {
    await this.#change(async () => {
      // Should it crash in between, the journal must not promise bytes that are cut off.
      if (size < this.data.size && this.#state === 'pending') await this.#put('pending', size);
      await this.data.truncate(size);
    });
  }

  /** Counts as changed even where nothing was written: a new file, or one that was emptied. */
  async touch(): Promise<void> {
    await this.#change(async () => {});
  }

  /** A change of the time alone; it counts for a file that is changed or waits. */
  setModTime(modTime: ModTime): void {
    if (this.modTime === modTime) return;
    this.#cache.uploads.cancel(this);
    this.edition++;
    this.modTime = modTime;
    this.#isChanged = true;
  }

  /** What it is now counts: resolves when that survives the end of the program. */
  async commit(): Promise<void> {
    await this.#committing;
    if (!this.#isChanged || this.path === undefined) return;
    this.#committing = this.#commit().finally(() => {
      this.#committing = undefined;
    });
    await this.#committing;
  }

  async #commit(): Promise<void> {
    this.#isChanged = false;
    try {
      this.#content ??= await this.#shortContent();
      await this.#put('pending', this.data.size);
    } catch (thrown) {
      this.#isChanged = true;
      throw thrown;
    }
    const { replaces } = this;
    this.replaces = undefined;
    await replaces?.discard();
  }

  /** Resolves when what was committed survives a power cut. */
  safe(): Promise<void> {
    return this.#safe;
  }

  /** Gets all that is only on the remote. */
  async complete(op: Op): Promise<void> {
    if (!this.data.isComplete) await this.#fetcher().all(this.data.size, op);
  }

  /** The remote has it now, as `entry`. */
  async uploaded(entry: FileEntry): Promise<void> {
    this.base = entry;
    this.#content = undefined;
    await this.#put('clean', this.data.size);
  }

  /** The same bytes are another object on the remote now, or have another name there. */
  async rebase(base: FileEntry | undefined): Promise<void> {
    this.base = base;
    const downloads = this.#downloads;
    this.#downloads = undefined;
    await downloads?.close();
  }

  /** It has another name. */
  rename(path: string): void {
    const old = this.path;
    this.path = path;
    this.#cache.changed(this, old);
  }

  /** Its path or what is known of it has changed; the files of these ids go in the same moment. */
  async describe(gone: readonly string[] = []): Promise<void> {
    if (this.path !== undefined && this.#state !== 'open')
      await this.#put(this.#state, this.data.size, gone);
  }

  /** It has no name any more; its bytes go when nobody uses it. */
  async discard(): Promise<void> {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#cache.uploads.cancel(this);
    const { path } = this;
    this.path = undefined;
    await this.#cache.forget(this, path);
  }

  /** The record for what it is now; counts what lies beyond `size` as cut off. */
  record(state: CacheState, size: number): JournalRecord {
    const edges = this.data.ranges.edges();
    const kept = edges.map((edge) => Math.min(edge, size));
    return {
      id: this.id,
      number: this.#cache.journal.nextNumber(),
      path: this.path ?? '',
      state,
      size,
      modTime: String(this.modTime),
      edges: kept,
      ...(this.base === undefined ? {} : { base: storeEntry(this.base) }),
      boot: this.#cache.boot,
      ...(state === 'pending' && this.#content !== undefined ? { content: this.#content } : {}),
      ...(state !== 'open' && this.#safeMark === this.#mark() ? { safe: true } : {}),
      used: this.lastUsed,
    };
  }

  async #change(doIt: () => Promise<void>): Promise<void> {
    this.edition++;
    this.#cache.uploads.cancel(this);
    this.#isChanged = true;
    this.#content = undefined;
    if (this.#state === 'clean') {
      this.#state = 'open';
      this.#cache.changed(this);
      this.#told = this.#put('open', this.data.size);
    }
    try {
      await this.#told;
    } catch (thrown) {
      this.#state = 'clean';
      this.#isChanged = false;
      this.#cache.changed(this);
      throw thrown;
    }
    await doIt();
    this.modTime = modTimeFromMs(this.#cache.now());
    // A commit may have come while it was written.
    this.#isChanged = true;
    this.#content = undefined;
  }

  async #put(state: CacheState, size: number, others: readonly string[] = []): Promise<void> {
    if (this.path === undefined) {
      this.#state = state;
      return;
    }
    const record = this.record(state, size);
    const { replaces } = this;
    const own = state === 'pending' && replaces !== undefined ? [replaces.id] : [];
    const gone = [...own, ...others];
    const before = this.#state;
    // At once: a change that comes while it is written has to know.
    this.#state = state;
    this.#cache.changed(this);
    try {
      await this.#cache.put(record, gone);
    } catch (thrown) {
      if (this.#state === state) this.#state = before;
      this.#cache.changed(this);
      throw thrown;
    }
    // What is clean can be had again: it is brought to the disk when there is time.
    if (state === 'pending') this.#secure(record);
  }

  #secure({ number, content }: JournalRecord): void {
    if (content !== undefined) {
      this.#safe = this.#cache.safety.addContent(content.length);
      return;
    }
    const mark = this.#mark();
    this.#safe = this.#cache.safety.add(this, number);
    const done = () => {
      this.#safeMark = mark;
    };
    this.#safe.then(done, () => undefined);
  }

  async #shortContent(): Promise<string | undefined> {
    const { edition } = this;
    if (!this.#cache.journal.takesContent(this.data.size)) return undefined;
    const bytes = await this.data.short(SHORT).catch(() => undefined);
    // What changes meanwhile is committed when that is closed.
    if (bytes === undefined || this.edition !== edition) return undefined;
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
  }

  /** Within an edition bytes only come. */
  #mark(): string {
    return `${this.edition} ${this.data.ranges.bytes}`;
  }

  #fetcher(): Downloads {
    if (this.base === undefined) {
      throw new SyncerError('corrupted', `${this.path}: the cache on disk has lost its bytes`);
    }
    this.#downloads ??= downloadsOf(this.#cache.kit, this.base, this.data);
    return this.#downloads;
  }
}
