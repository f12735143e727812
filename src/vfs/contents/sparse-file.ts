import fs from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { hasCode, SyncerError } from '../../core/errors.ts';
import type { FileEntry, Op } from '../../core/remote.ts';
import { readAll, writeAll, writeNow } from '../../system/file-bytes.ts';
import { makeFolder } from '../../system/make-folder.ts';
import type { ContentsKit } from './contents-kit.ts';
import { diskError, isDiskFull, withRoom } from './disk-error.ts';
import { type ByteSink, Downloads } from './downloads.ts';
import { type ByteRange, RangeSet } from './range-set.ts';

const closeFd = promisify(fs.close);
const fstat = promisify(fs.fstat);
const syncFd = promisify(fs.fdatasync);
const ftruncate: (fd: number, size: number) => Promise<void> = promisify(fs.ftruncate);
const openFd: (path: string, flags: number, mode: number) => Promise<number> = promisify(fs.open);

/** How far ahead of a reader to download into the cache besides `--vfs-read-ahead`, in bytes. */
const AHEAD = 32 * 1024 * 1024;
/** Up to this size, in bytes, reads and writes run on this thread if they need not wait. */
const SHORT = 128 * 1024;

/** What a sparse file needs of the cache. */
export interface SparseFileHome {
  readonly kit: ContentsKit;
  dataPath(id: string): string;
  /** Evicts files; `false` if there was none to evict. */
  makeRoom(bytes: number): Promise<boolean>;
}

/** The initial state of a sparse file. */
export interface SparseFileStart {
  /** Names the file in the cache directory. */
  readonly id: string;
  readonly path: string;
  readonly base: FileEntry | undefined;
  /** In bytes, of the whole file. */
  readonly size: number;
  /** The local ranges, as `RangeSet.edges`. */
  readonly edges?: readonly number[] | undefined;
  /** An earlier run may have written more than its journal says. */
  readonly mayHaveTail?: boolean | undefined;
  /** Its content in base64, instead of what is in the file. */
  readonly content?: string | undefined;
  /** The local ranges may be other bytes than those of `base`. */
  readonly isChanged?: boolean | undefined;
  /** As `JournalRecord.sent`. */
  readonly sent?: readonly string[] | undefined;
}

/**
 * The bytes of a cached file: those in `ranges` are on disk, the rest is downloaded from `base` when it is read.
 * Downloaded bytes never replace written ones.
 */
export class SparseFile implements ByteSink {
  readonly id: string;
  readonly ranges: RangeSet;
  readonly #home: SparseFileHome;
  #path: string | undefined;
  #base: FileEntry | undefined;
  #size: number;
  #users = 0;
  #opening: Promise<number> | undefined;
  #fd = -1;
  #isRemoved = false;
  #mayHaveTail: boolean;
  #content: string | undefined;
  #downloads: Downloads | undefined;
  /** Downloaded bytes on their way to disk. */
  readonly #puts = new Map<ByteRange, Promise<void>>();
  /** Operations of other threads on the open file. */
  readonly #busy = new Set<Promise<unknown>>();
  /** Running writes: downloaded bytes must not touch their ranges. */
  readonly #writes = new Set<ByteRange>();
  /** What may differ from the object with this ETag. */
  #written: RangeSet;
  #writtenOver: string | undefined;
  /** The ETags that uploads would give it which may have arrived unseen: the rest may be of such an object. */
  #sent: readonly string[];

  constructor(home: SparseFileHome, start: SparseFileStart) {
    this.#home = home;
    this.id = start.id;
    this.#path = start.path;
    this.#base = start.base;
    this.#mayHaveTail = start.mayHaveTail === true;
    this.#content = start.content;
    this.#size = start.size;
    this.ranges = new RangeSet(start.edges);
    this.#written = new RangeSet(start.isChanged === true ? start.edges : []);
    this.#writtenOver = start.base?.etag;
    this.#sent = start.sent ?? [];
  }

  /** Absent when it has lost its name. */
  get path(): string | undefined {
    return this.#path;
  }

  protected set path(path: string | undefined) {
    this.#path = path;
  }

  /** The remote object with the bytes that are not local. */
  get base(): FileEntry | undefined {
    return this.#base;
  }

  protected set base(base: FileEntry | undefined) {
    this.#base = base;
  }

  /** In bytes, of the whole file. */
  get size(): number {
    return this.#size;
  }

  get sent(): readonly string[] {
    return this.#sent;
  }

  /** The ranges whose bytes are those of `base`; none if that is not known. */
  get unchanged(): readonly ByteRange[] {
    const { base } = this;
    if (base?.etag === undefined || base.etag !== this.#writtenOver) return [];
    return [...this.#written.gaps(0, Math.min(this.#size, base.size))];
  }

  /** How many users have it open. */
  get users(): number {
    return this.#users;
  }

  /** Whether all bytes are local. */
  get isComplete(): boolean {
    return this.ranges.has(0, this.size);
  }

  get isOpen(): boolean {
    return this.#fd >= 0;
  }

  /** Its name on disk is gone: its users keep it, and there are no new ones. */
  markRemoved(): void {
    this.#isRemoved = true;
  }

  /** Opens it for one more user. Rejects with `corrupted` if it differs from its record, or with errors of the disk. */
  async acquire(): Promise<void> {
    this.#users++;
    try {
      this.#opening ??= this.#open();
      await this.#opening;
    } catch (thrown) {
      this.#users--;
      this.#opening = undefined;
      throw diskError(thrown, undefined);
    }
  }

  async release(): Promise<void> {
    if (this.#users === 1) await this.#dropDownloads();
    if (--this.#users > 0) return;
    const opened = this.#opening;
    this.#opening = undefined;
    this.#fd = -1;
    const fd = await opened;
    if (fd === undefined) return;
    // The number of a closed descriptor may soon be another file's.
    while (this.#busy.size > 0) await Promise.allSettled(this.#busy);
    const { disk } = this.#home.kit;
    // The space of a deleted file is freed when it is closed, which may be slow.
    if (this.#isRemoved || !disk.isQuick) await closeFd(fd);
    else disk.run(() => fs.closeSync(fd));
  }

  /** At most `length` bytes; downloads what is missing. Rejects with the error of the remote. */
  async read(offset: number, length: number, op: Op): Promise<Uint8Array> {
    const end = Math.min(offset + length, this.#size);
    await this.#download(offset, end, (fetcher) => fetcher.ensure(offset, end, op), op);
    return this.readHere(offset, length);
  }

  /** As `read`, for an upload: downloads nothing else. */
  async readExactly(offset: number, length: number, op: Op): Promise<Uint8Array> {
    const end = Math.min(offset + length, this.#size);
    await this.#download(offset, end, (fetcher) => fetcher.exactly(offset, end, op), op);
    return this.readHere(offset, length);
  }

  /** Downloads all missing bytes. */
  async complete(op: Op): Promise<void> {
    await this.#download(0, this.#size, (fetcher) => fetcher.all(this.#size, op), op);
  }

  /** The same bytes are another object on the remote now, or have another name there. */
  async rebase(base: FileEntry | undefined): Promise<void> {
    this.#base = base;
    await this.#dropDownloads();
  }

  /** An upload is about to replace `base` with an object with this ETag. */
  sends(etag: string): void {
    if (!this.#sent.includes(etag)) this.#sent = [...this.#sent, etag];
  }

  /** An upload has arrived as `entry`. `isCurrent`: nothing was changed since it began. */
  protected async arrivedAs(entry: FileEntry, isCurrent: boolean): Promise<void> {
    this.#sent = [];
    if (isCurrent) this.#written = new RangeSet();
    this.#writtenOver = entry.etag;
    await this.rebase(entry);
  }

  /** Whether `entry` is what an upload has made of it: then its other bytes are those of `entry`. */
  async foundAs(entry: FileEntry): Promise<boolean> {
    if (entry.etag === undefined || !this.#sent.includes(entry.etag)) return false;
    await this.arrivedAs(entry, false);
    return true;
  }

  /** Looks whether an upload has arrived without a response; resolves to `foundAs`. */
  async lookForSent(op: Op): Promise<boolean> {
    if (this.#sent.length === 0 || this.#path === undefined) return false;
    const now = await this.#home.kit.remote.stat(this.#path, op);
    return now?.kind === 'file' && (await this.foundAs(now));
  }

  /** Local bytes; fewer only at the end. */
  async readHere(offset: number, length: number): Promise<Uint8Array> {
    const count = Math.min(length, this.#size - offset);
    if (count <= 0) return new Uint8Array(0);
    const { buffers, disk } = this.#home.kit;
    const buffer = buffers.take(count);
    try {
      const isShort = count <= SHORT && disk.isQuick;
      const ready = isShort ? disk.run(() => fs.readSync(this.#fd, buffer, 0, count, offset)) : 0;
      if (ready === count) return buffer;
      const bytes = await this.#watched(readAll(this.#fd, buffer, offset, ready));
      return bytes.length === count ? bytes : Buffer.concat([bytes], count);
    } catch (thrown) {
      throw diskError(thrown, undefined);
    }
  }

  /** Rejects with `no-space` if the disk is full and nothing can be evicted. */
  async writeHere(offset: number, data: Uint8Array): Promise<void> {
    if (data.length === 0) return;
    const range = { from: offset, to: offset + data.length };
    this.#writes.add(range);
    // Also a write that fails may have changed bytes.
    this.#written.add(offset, range.to);
    try {
      for (const [put, done] of [...this.#puts]) {
        if (put.from < range.to && range.from < put.to) await done.catch(() => undefined);
      }
      await this.#toDisk(offset, data);
      // The gap before it is a hole, which reads as zeros.
      const from = Math.min(this.#size, offset);
      this.ranges.add(from, range.to);
      this.#written.add(from, range.to);
      this.#size = Math.max(this.#size, range.to);
    } catch (thrown) {
      // The part that was written takes space.
      if (range.to > this.#size) await ftruncate(this.#fd, this.#size).catch(() => undefined);
      throw thrown;
    } finally {
      this.#writes.delete(range);
    }
  }

  /** Rejects as `writeHere` does. */
  async truncateHere(size: number): Promise<void> {
    if (size < this.#size) {
      // No downloaded bytes are written beyond it from now on.
      this.#size = size;
      await Promise.allSettled(this.#puts.values());
      this.ranges.remove(size, Number.MAX_SAFE_INTEGER);
    }
    await this.#retried(size - this.#size, () => ftruncate(this.#fd, size));
    this.ranges.add(this.#size, size);
    this.#written.add(this.#size, size);
    this.#size = size;
  }

  /** Resolves when what was written before is on disk. */
  async syncHere(): Promise<void> {
    try {
      const fd = await this.#opening;
      if (fd !== undefined) await syncFd(fd);
    } catch (thrown) {
      throw diskError(thrown, undefined);
    }
  }

  gap(from: number, to: number): ByteRange | undefined {
    return this.ranges.gap(from, Math.min(to, this.#size));
  }

  window(): number {
    return AHEAD + this.#home.kit.options.readAhead;
  }

  async put(offset: number, chunk: Uint8Array): Promise<void> {
    const end = Math.min(offset + chunk.length, this.#size);
    for (let at = offset; at < end; ) {
      // Each piece is chosen when it is its turn: programs write, and truncate, during the one before.
      const missing = new RangeSet();
      for (const gap of this.ranges.gaps(at, Math.min(end, this.#size)))
        missing.add(gap.from, gap.to);
      for (const write of this.#writes) missing.remove(write.from, write.to);
      const [range] = missing.within(at, end);
      if (range === undefined) return;
      const { from, to } = range;
      at = to;
      const done = this.#toDisk(from, chunk.subarray(from - offset, to - offset)).then(() => {
        if (to <= this.#size) this.ranges.add(from, to);
      });
      this.#puts.set(range, done);
      try {
        await done;
      } finally {
        this.#puts.delete(range);
      }
    }
  }

  /** Downloads what is missing of a range. */
  async #download(
    from: number,
    end: number,
    fetch: (fetcher: Downloads) => Promise<void>,
    op: Op,
  ): Promise<void> {
    while (!this.ranges.has(from, Math.min(end, this.#size))) {
      const fetcher = this.#fetcher();
      try {
        await fetch(fetcher);
      } catch (thrown) {
        // It now reads another object on the remote, or under another name.
        if (fetcher !== this.#downloads && hasCode(thrown, 'interrupted', 'source-changed'))
          continue;
        const isGone = hasCode(thrown, 'source-changed', 'file-not-found');
        if (!isGone || !(await this.lookForSent(op))) throw thrown;
      }
    }
  }

  #fetcher(): Downloads {
    if (this.#base === undefined) {
      throw new SyncerError('corrupted', `${this.#path}: the cache on disk has lost its bytes`);
    }
    this.#downloads ??= new Downloads(this.#home.kit, this.#base, this, this.ranges.bytes > 0);
    return this.#downloads;
  }

  async #dropDownloads(): Promise<void> {
    const downloads = this.#downloads;
    this.#downloads = undefined;
    await downloads?.close();
  }

  async #open(): Promise<number> {
    if (this.#isRemoved) throw new SyncerError('file-not-found', 'the cached file was removed');
    const { disk } = this.#home.kit;
    const path = this.#home.dataPath(this.id);
    const flags = fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_NOFOLLOW;
    let fd: number;
    try {
      fd = disk.isQuick
        ? disk.run(() => fs.openSync(path, flags, 0o600))
        : await openFd(path, flags, 0o600);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
      // Its directory was deleted.
      await makeFolder(dirname(path), 0o700);
      fd = await openFd(path, flags, 0o600);
    }
    try {
      await this.#restore(fd);
    } catch (thrown) {
      fs.closeSync(fd);
      throw thrown;
    }
    this.#fd = fd;
    return fd;
  }

  /** Makes the file match its record. Rejects with `corrupted` if it has lost bytes. */
  async #restore(fd: number): Promise<void> {
    if (this.#content !== undefined) {
      const content = Buffer.from(this.#content, 'base64');
      await this.#retried(content.length, async () => {
        await ftruncate(fd, 0);
        await writeAll(fd, content, 0);
      });
      this.#content = undefined;
    } else if (this.ranges.end > 0 || this.#mayHaveTail) {
      const { size } = await fstat(fd);
      if (size < this.ranges.end) {
        const text = 'the disk cache lost data of this file';
        throw new SyncerError('corrupted', text, { advice: 'check the disk' });
      }
      if (this.#mayHaveTail && size > this.#size) await ftruncate(fd, this.#size);
    }
    this.#mayHaveTail = false;
  }

  async #toDisk(offset: number, bytes: Uint8Array): Promise<void> {
    const { disk } = this.#home.kit;
    if (bytes.length <= SHORT && disk.isQuick) {
      try {
        return disk.run(() => writeNow(this.#fd, bytes, offset));
      } catch (thrown) {
        if (!isDiskFull(thrown)) throw diskError(thrown, undefined);
      }
    }
    return this.#retried(bytes.length, () => this.#watched(writeAll(this.#fd, bytes, offset)));
  }

  #watched<T>(work: Promise<T>): Promise<T> {
    const done = work.finally(() => this.#busy.delete(done));
    this.#busy.add(done);
    return done;
  }

  #retried(bytes: number, call: () => Promise<void>): Promise<void> {
    return withRoom(call, () => this.#home.makeRoom(bytes));
  }
}
