import { hasCode, SyncerError } from '../../core/errors.ts';
import type { ModTime } from '../../core/mod-time.ts';
import type { FileEntry, Op } from '../../core/remote.ts';
import { trueSizeOf } from '../../core/remote-calls.ts';
import { moveFile } from '../change/move-file.ts';
import type { CachedFile } from './cached-file.ts';
import type { ContentsKit, FileReader } from './contents-kit.ts';
import type { DiskCache } from './disk-cache.ts';
import type { ContentAccess, FileHandle } from './file-contents.ts';
import { RemoteReader } from './remote-reader.ts';
import { StreamedFile } from './streamed-file.ts';

/**
 * An open file, shared by its handles: what one writes, all others read. Its bytes come from the disk cache, from a
 * stream that is being written, or from the remote.
 */
export class OpenFile {
  #path: string | undefined;
  #base: FileEntry | undefined;
  #cached: CachedFile | undefined;
  #stream: StreamedFile | undefined;
  #handles = 0;
  #writers = 0;
  readonly #kit: ContentsKit;
  readonly #cache: DiskCache | undefined;
  #reader: FileReader | undefined;
  /** To be set on the remote when a handle is closed. */
  #modTime: ModTime | undefined;
  /** The disk is full and nothing can be evicted, or the file is listed with a wrong size. */
  #isPastCache = false;
  /** The size of the content, if the listed one is wrong; `#cut`: why it is not read beyond that. */
  #trueSize: number | undefined;
  #cut: unknown;
  /** A descriptor was closed since the last change. */
  #isFlushed = false;
  #appending: Promise<unknown> = Promise.resolve();
  #turn: Promise<unknown> = Promise.resolve();

  /** @param cache absent with cache mode `off` if nothing is pending from an earlier run */
  constructor(
    kit: ContentsKit,
    cache: DiskCache | undefined,
    path: string,
    base: FileEntry | undefined,
  ) {
    this.#kit = kit;
    this.#cache = cache;
    this.#path = path;
    this.#base = base;
  }

  /** Absent when it has lost its name. */
  get path(): string | undefined {
    return this.#path;
  }

  /** The remote's object; `undefined` if the remote has none. */
  get base(): FileEntry | undefined {
    return this.#base;
  }

  /** What it reads and writes, if that is in the cache on disk. */
  get cached(): CachedFile | undefined {
    return this.#cached;
  }

  /** What it writes, if that goes directly to the remote. */
  get stream(): StreamedFile | undefined {
    return this.#stream;
  }

  /** Whether a handle can write. */
  get isWritten(): boolean {
    return this.#writers > 0;
  }

  /** Whether it has changes that the remote lacks. */
  get isDirty(): boolean {
    return this.#cached?.isDirty === true || this.#stream?.isDirty === true;
  }

  size(): number {
    if (this.#cached !== undefined) return this.#cached.size;
    if (this.#stream?.replaces === true) return this.#stream.size;
    return this.#reader?.size ?? this.#base?.size ?? 0;
  }

  modTime(): ModTime {
    const local = this.isDirty ? (this.#cached?.modTime ?? this.#stream?.modTime) : undefined;
    return local ?? this.#modTime ?? this.#base?.modTime ?? this.#base?.storedTime ?? 0n;
  }

  /** A handle on it; `release` is called when that is closed. */
  handle(access: ContentAccess, release: (op: Op) => Promise<void>): FileHandle {
    const { noSeek } = this.#kit.options;
    let nextRead = 0;
    const mayWrite = () => {
      if (!access.write) throw new SyncerError('access-denied', 'the file is not open for writing');
    };
    return {
      canWrite: access.write,
      size: () => this.size(),
      modTime: () => this.modTime(),
      read: async (offset, length, op) => {
        if (noSeek && offset !== nextRead) {
          throw new SyncerError('unsupported', 'reading out of order is forbidden by --no-seek');
        }
        const bytes = await this.read(offset, length, op);
        nextRead = offset + bytes.length;
        return bytes;
      },
      write: async (at, data, op) => {
        mayWrite();
        await (at === 'end' ? this.append(data, op) : this.write(at, data, op));
      },
      truncate: async (size) => {
        mayWrite();
        await this.truncate(size);
      },
      setModTime: (modTime) => this.setModTime(modTime),
      flush: (op) => this.flush(op),
      sync: (op) => this.sync(op),
      release,
    };
  }

  /** Serialises operations: opening and closing change the source of the bytes. */
  inTurn<T>(doIt: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(doIt);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  /** Reads and writes go through a cache file from now on. */
  async toCached(file: CachedFile): Promise<void> {
    if (this.#cached !== undefined) return;
    await file.acquire();
    this.#cached = file;
  }

  /** Writes go directly to the remote from now on. */
  toStream(): void {
    if (this.#stream !== undefined || this.#path === undefined) return;
    this.#stream = new StreamedFile(this.#kit, this.#path, this.#base === undefined);
  }

  async read(offset: number, length: number, op: Op): Promise<Uint8Array> {
    const path = this.#path;
    if (this.#cut !== undefined && !this.isDirty) throw this.#cut;
    try {
      return await this.#read(offset, length, op);
    } catch (thrown) {
      if (await this.#isResized(thrown, op)) return await this.#read(offset, length, op);
      const { holds } = this.#kit;
      if (!hasCode(thrown, 'file-not-found', 'source-changed')) throw thrown;
      if (!holds.isHeld(path) && path === this.#path) throw thrown;
      // It is being renamed: the remote has it under its new name soon.
      await holds.free(() => this.#path, op);
      return this.#read(offset, length, op);
    }
  }

  async write(offset: number, data: Uint8Array, op: Op): Promise<void> {
    this.#modTime = undefined;
    this.#isFlushed = false;
    if (this.#cached !== undefined) return this.#cached.write(offset, data);
    if (this.#stream === undefined) throw readOnly(this.#path);
    await this.#stream.write(offset, data, op);
  }

  /** Writes at the end, wherever that is by then. */
  append(data: Uint8Array, op: Op): Promise<void> {
    const written = this.#appending.then(() => this.write(this.size(), data, op));
    this.#appending = written.catch(() => undefined);
    return written;
  }

  async truncate(size: number): Promise<void> {
    this.#modTime = undefined;
    this.#isFlushed = false;
    const cached = this.#cached;
    if (cached !== undefined) {
      const next = size === 0 ? await cached.emptied() : undefined;
      if (next === undefined) return cached.truncate(size);
      this.#cached = next;
      return cached.release();
    }
    if (this.#stream === undefined) throw readOnly(this.#path);
    await this.#stream.truncate(size);
  }

  setModTime(modTime: ModTime): void {
    if (this.#cached?.isDirty === true) this.#cached.setModTime(modTime);
    else if (this.#stream?.isDirty === true) this.#stream.setModTime(modTime);
    else this.#modTime = modTime;
  }

  async flush(op: Op): Promise<void> {
    this.#isFlushed = true;
    await this.#setTime(op);
    if (this.#stream !== undefined && this.#stream.size > 0) await this.#finishStream(op);
    if (this.#cached === undefined || !this.#cached.isDirty) return;
    await this.#cached.commit();
    if (this.#cached.size > 0) await this.#cache?.safety.wait(this.#cached.safe());
  }

  async sync(op: Op): Promise<void> {
    await this.#setTime(op);
    if (this.#cached === undefined) return;
    await this.#cached.commit();
    await this.#cached.safe();
  }

  /** The last handle that could write was closed. */
  async #wroteLast(op: Op): Promise<void> {
    const { cached, stream } = this;
    try {
      if (this.#path === undefined) await stream?.stop();
      else await this.#finishStream(op);
      await cached?.commit();
    } finally {
      this.#stream = undefined;
      if (cached?.isDirty === true && cached.path !== undefined) {
        this.#cache?.uploads.schedule(cached, this.#kit.options.writeBack);
      }
    }
  }

  /** At unmount open writers do not close: flushed data counts as final. */
  async abandon(op: Op): Promise<void> {
    if (this.#writers > 0 && this.#isFlushed) await this.#wroteLast(op);
  }

  /** A handle is opened; `close` ends it. */
  opened(access: ContentAccess): void {
    this.#handles++;
    if (access.write) this.#writers++;
  }

  /**
   * A handle is closed. The last one that could write commits the file, and has it uploaded. `forget` is called when
   * there is none left.
   */
  async close(access: ContentAccess, op: Op, forget: () => void): Promise<void> {
    await this.inTurn(async () => {
      try {
        if (access.write && --this.#writers === 0) await this.#wroteLast(op);
      } finally {
        if (--this.#handles === 0) {
          forget();
          await this.end();
        }
      }
    });
  }

  /** Ends its use of the cache and of the remote. */
  async end(): Promise<void> {
    const { cached } = this;
    const reader = this.#reader;
    this.#cached = undefined;
    this.#reader = undefined;
    const { base, path } = this;
    if (reader !== undefined) {
      const isSame = base !== undefined && base.path === path;
      await (isSame ? this.#kit.readers.keep(base, reader) : reader.close());
    }
    await cached?.release();
  }

  /** The remote lists its content as `entry` now. */
  relisted(entry: FileEntry): void {
    this.#base = entry;
  }

  /**
   * Its name has changed.
   *
   * @param base the remote's object of its content
   * @param present the object under its new name, where it may have another ETag
   */
  async renamed(
    path: string,
    base: FileEntry | undefined,
    present: (base: FileEntry | undefined) => Promise<FileEntry | undefined>,
  ): Promise<void> {
    this.#path = path;
    const here = base && { ...base, path };
    await this.rebase(this.#reader === undefined ? here : await present(here));
    this.#stream?.renamed(path);
  }

  /** It has lost its name. */
  async unnamed(): Promise<void> {
    this.#path = undefined;
    await this.#stream?.orphan();
  }

  /** The remote has another object at its path, with the same bytes. */
  async rebase(entry: FileEntry | undefined): Promise<void> {
    this.#base = entry;
    const reader = this.#reader;
    this.#reader = undefined;
    await reader?.close();
  }

  async #read(offset: number, length: number, op: Op): Promise<Uint8Array> {
    if (this.#cached !== undefined && !(this.#isPastCache && !this.#cached.isDirty)) {
      try {
        return await this.#cached.read(offset, length, op);
      } catch (thrown) {
        if (this.#cached.isDirty || !hasCode(thrown, 'no-space')) throw thrown;
        // Content that cannot be cached can still be read.
        this.#isPastCache = true;
      }
    }
    if (this.#stream?.isDirty === true) return this.#stream.read(offset, length);
    if (this.#base === undefined) return new Uint8Array(0);
    const kept = this.#reader ?? this.#kit.readers.take(this.#base);
    const reader = kept ?? new RemoteReader(this.#kit, this.#base);
    this.#reader = reader;
    try {
      return await reader.read(offset, length, op);
    } catch (thrown) {
      // Another reader has replaced it.
      if (this.#reader === reader || !hasCode(thrown, 'interrupted')) throw thrown;
      return this.#read(offset, length, op);
    }
  }

  /**
   * Whether a file that is listed with a wrong size can be read with its true one. The kernel reads no further than the
   * listed size: a longer file is an error until it is opened again.
   */
  async #isResized(thrown: unknown, { signal }: Op): Promise<boolean> {
    const { base, path } = this;
    if (base === undefined || this.isDirty || signal.aborted) return false;
    const size = trueSizeOf(base, thrown);
    // Another read may have found it out.
    if (size === undefined)
      return this.#trueSize !== undefined && (thrown as SyncerError).trueSize === this.#trueSize;
    const entry = { ...base, size };
    if (size > base.size) this.#cut = thrown;
    this.#trueSize = size;
    this.#isPastCache = true;
    await this.rebase(entry);
    if (path !== undefined) this.#kit.uploaded.tell(path, entry);
    return size < base.size;
  }

  async #finishStream(op: Op): Promise<void> {
    const stream = this.#stream;
    if (stream === undefined) return;
    const arrived = await stream.finish(op);
    if (arrived === undefined) return;
    // It was renamed during its upload.
    const { path = arrived.path } = this;
    const entry =
      path === arrived.path ? arrived : await moveFile(this.#kit.remote, arrived, path, op);
    stream.moved(path);
    await this.rebase(entry);
    this.#kit.uploaded.tell(path, entry);
  }

  /** Sets the time of a file that has no other changes. */
  async #setTime(op: Op): Promise<void> {
    const modTime = this.#modTime;
    const { remote, options } = this.#kit;
    this.#modTime = undefined;
    if (modTime === undefined || this.#base === undefined || this.#path === undefined) return;
    if (this.isDirty || options.noModTime || remote.can.setModTime === undefined) return;
    const entry = await remote.can.setModTime(this.#base, modTime, op).catch((thrown: unknown) => {
      if (!this.isDirty) this.#modTime ??= modTime;
      throw thrown;
    });
    await this.rebase(entry);
    if (this.#cached !== undefined) {
      await this.#cached.rebase(entry);
      await this.#cached.describe();
    }
    this.#kit.uploaded.tell(this.#path, entry);
  }
}

function readOnly(path: string | undefined): SyncerError {
  return new SyncerError('access-denied', `${path ?? 'a removed file'} is not open for writing`);
}
