import fs from 'node:fs';
import { SyncerError } from '../../core/errors.ts';
import type { ByteSink } from './byte-sink.ts';
import { diskError, isDiskFull } from './disk-error.ts';
import {
  closeFd,
  ftruncate,
  openFd,
  readBytes,
  replaceContent,
  sizeOf,
  syncFd,
  writeBytes,
  writeBytesNow,
} from './file-bytes.ts';
import type { QuickDisk } from './quick-disk.ts';
import { type ByteRange, RangeSet } from './range-set.ts';
import type { ReadFromMemory } from './read-from-memory.ts';
import type { RequestBuffers } from './request-buffers.ts';

/** How far ahead of a reader is fetched into the cache besides `--vfs-read-ahead`, in bytes. */
const AHEAD = 32 * 1024 * 1024;
/** Up to this size reads and writes are done at once where that needs no waiting, in bytes. */
const SHORT = 128 * 1024;

/** What a cached file needs of its cache. */
export interface DataFilePlace {
  readonly path: string;
  readonly buffers: RequestBuffers;
  readonly disk: QuickDisk;
  readonly readFromMemory: ReadFromMemory;
  /** `--vfs-read-ahead`, in bytes. */
  readonly readAhead: number;
  /** Throws away what is not needed; `false` where there was nothing. */
  makeRoom(bytes: number): Promise<boolean>;
}

/** With what the bytes of a file begin. */
export interface DataFileStart {
  /** In bytes, of the whole file. */
  readonly size: number;
  /** Which of them are there, as `RangeSet.edges`. */
  readonly edges?: readonly number[];
  /** An earlier run may have written more than its journal says. */
  readonly mayHaveTail?: boolean;
  /** It is open already, and empty. */
  readonly fd?: number | undefined;
  /** All of them: what the file holds counts for nothing. */
  readonly content?: Buffer | undefined;
}

/**
 * The bytes of one cached file on disk: a sparse file of which only `ranges` count. It is open while somebody uses it.
 * Bytes from the remote never replace bytes that were written.
 */
export class DataFile implements ByteSink {
  readonly ranges: RangeSet;
  readonly #place: DataFilePlace;
  #size: number;
  #users = 0;
  #opening: Promise<number> | undefined;
  #fd = -1;
  #isRemoved = false;
  #mayHaveTail: boolean;
  #content: Buffer | undefined;
  #spare: number | undefined;
  /** Bytes from the remote on their way to the disk. */
  readonly #puts = new Map<ByteRange, Promise<void>>();
  /** What other threads do with the open file. */
  readonly #busy = new Set<Promise<unknown>>();
  /** What is being written, which the remote's bytes must not touch. */
  readonly #writes = new Set<ByteRange>();

  constructor(place: DataFilePlace, { size, edges, mayHaveTail, fd, content }: DataFileStart) {
    this.#spare = fd;
    this.#place = place;
    this.#mayHaveTail = mayHaveTail === true;
    this.#content = content;
    this.#size = size;
    this.ranges = new RangeSet(edges);
  }

  /** In bytes, of the whole file. */
  get size(): number {
    return this.#size;
  }

  /** Whether nothing of it is only on the remote. */
  get isComplete(): boolean {
    return this.ranges.has(0, this.#size);
  }

  /** Its name on the disk is gone: who uses it goes on, nobody else begins. */
  removed(): void {
    this.#isRemoved = true;
    if (this.#spare !== undefined) fs.closeSync(this.#spare);
    this.#spare = undefined;
  }

  /** Opens it for one more user. Rejects where it is not what the journal says (`corrupted`) or cannot be opened. */
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
    if (--this.#users > 0) return;
    const opened = this.#opening;
    this.#opening = undefined;
    this.#fd = -1;
    const fd = await opened;
    if (fd === undefined) return;
    // Its number may soon be another file's.
    while (this.#busy.size > 0) await Promise.allSettled(this.#busy);
    const { disk } = this.#place;
    // The room of a removed file is given back when it is closed, which may take long.
    if (this.#isRemoved || !disk.isQuick) await closeFd(fd);
    else disk.run(() => fs.closeSync(fd));
  }

  /** All bytes of a file that is open and has no more than `limit` of them; `undefined` for others. */
  async short(limit: number): Promise<Uint8Array | undefined> {
    if (this.#size > limit || !this.isComplete || this.#fd < 0) return undefined;
    return this.read(0, this.#size);
  }

  /** Bytes that are there; fewer only at the end. */
  read(offset: number, length: number): Promise<Uint8Array> {
    const count = Math.min(length, this.#size - offset);
    if (count <= 0) return Promise.resolve(new Uint8Array(0));
    const buffer = this.#place.buffers.take(count);
    const ready = count > SHORT ? 0 : this.#place.readFromMemory(this.#fd, buffer, offset);
    if (ready === count) return Promise.resolve(buffer);
    return this.#watched(readBytes(this.#fd, offset, buffer, ready)).then(
      (bytes) => (bytes.length === count ? bytes : padded(bytes, count)),
      (thrown: unknown) => {
        throw diskError(thrown, undefined);
      },
    );
  }

  /** Rejects with `no-space` where the disk is full and nothing can be thrown away. */
  async write(offset: number, data: Uint8Array): Promise<void> {
    if (data.length === 0) return;
    const range = { from: offset, to: offset + data.length };
    this.#writes.add(range);
    try {
      const before = this.#overlapping(range);
      if (before.length > 0) await Promise.allSettled(before);
      await this.#toDisk(offset, data);
      // What lies between is a hole, which reads as zeros.
      this.ranges.add(Math.min(this.#size, offset), range.to);
      this.#size = Math.max(this.#size, range.to);
    } catch (thrown) {
      // A part of it takes the room of others.
      if (range.to > this.#size) await ftruncate(this.#fd, this.#size).catch(() => undefined);
      throw thrown;
    } finally {
      this.#writes.delete(range);
    }
  }

  gap(from: number, to: number): ByteRange | undefined {
    return this.ranges.gap(from, Math.min(to, this.#size));
  }

  window(): number {
    return AHEAD + this.#place.readAhead;
  }

  async put(offset: number, chunk: Uint8Array): Promise<void> {
    const end = Math.min(offset + chunk.length, this.#size);
    const pieces = new RangeSet();
    for (const { from, to } of this.ranges.gaps(offset, end)) pieces.add(from, to);
    for (const { from, to } of this.#writes) pieces.remove(from, to);
    const edges = pieces.edges();
    for (let i = 0; i < edges.length; i += 2) {
      const [from = 0, to = 0] = [edges[i], edges[i + 1]];
      await this.#putPiece({ from, to }, chunk.subarray(from - offset, to - offset));
    }
  }

  /** Rejects as `write` does. */
  async truncate(size: number): Promise<void> {
    if (size < this.#size) {
      // From now on nothing is put there any more.
      this.#size = size;
      await Promise.allSettled(this.#puts.values());
      this.ranges.remove(size, Number.MAX_SAFE_INTEGER);
    }
    await this.#retried(size - this.#size, () => ftruncate(this.#fd, size));
    this.ranges.add(this.#size, size);
    this.#size = size;
  }

  /** Resolves when what was written before is on the disk. */
  async sync(): Promise<void> {
    try {
      const fd = await this.#opening;
      if (fd !== undefined) await syncFd(fd);
    } catch (thrown) {
      throw diskError(thrown, undefined);
    }
  }

  async #open(): Promise<number> {
    if (this.#isRemoved) throw new SyncerError('file-not-found', 'the cached file was removed');
    if (this.#spare !== undefined) {
      this.#fd = this.#spare;
      this.#spare = undefined;
      return this.#fd;
    }
    const { disk, path } = this.#place;
    const flags = fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_NOFOLLOW;
    const fd = disk.isQuick
      ? disk.run(() => fs.openSync(path, flags, 0o600))
      : await openFd(path, flags);
    try {
      await this.#makeRight(fd);
    } catch (thrown) {
      fs.closeSync(fd);
      throw thrown;
    }
    this.#fd = fd;
    return fd;
  }

  /** Looks whether the file is what the journal says of it. */
  async #makeRight(fd: number): Promise<void> {
    const content = this.#content;
    if (content !== undefined) {
      await this.#retried(content.length, () => replaceContent(fd, content));
      this.#content = undefined;
    } else if (this.ranges.end > 0 || this.#mayHaveTail) {
      const size = await sizeOf(fd);
      if (size < this.ranges.end) {
        const text = 'the cache on disk has lost bytes of a file';
        throw new SyncerError('corrupted', text, { advice: 'see what happened to the disk' });
      }
      if (this.#mayHaveTail && size > this.#size) await ftruncate(fd, this.#size);
    }
    this.#mayHaveTail = false;
  }

  async #putPiece(range: ByteRange, bytes: Uint8Array): Promise<void> {
    if (range.to > this.#size) return;
    const done = this.#toDisk(range.from, bytes).then(() => {
      if (range.to <= this.#size) this.ranges.add(range.from, range.to);
    });
    this.#puts.set(range, done);
    try {
      await done;
    } finally {
      this.#puts.delete(range);
    }
  }

  #overlapping({ from, to }: ByteRange): Promise<void>[] {
    const found: Promise<void>[] = [];
    for (const [put, done] of this.#puts) if (put.from < to && from < put.to) found.push(done);
    return found;
  }

  async #toDisk(offset: number, bytes: Uint8Array): Promise<void> {
    const { disk } = this.#place;
    if (bytes.length <= SHORT && disk.isQuick) {
      try {
        return disk.run(() => writeBytesNow(this.#fd, offset, bytes));
      } catch (thrown) {
        if (!isDiskFull(thrown)) throw diskError(thrown, undefined);
      }
    }
    return this.#retried(bytes.length, () => this.#watched(writeBytes(this.#fd, offset, bytes)));
  }

  #watched<T>(work: Promise<T>): Promise<T> {
    const done = work.finally(() => this.#busy.delete(done));
    this.#busy.add(done);
    return done;
  }

  async #retried(bytes: number, call: () => Promise<void>): Promise<void> {
    for (let tries = 0; ; tries++) {
      try {
        return await call();
      } catch (thrown) {
        const again = isDiskFull(thrown) && tries < 3 && (await this.#place.makeRoom(bytes));
        if (!again) throw diskError(thrown, undefined);
      }
    }
  }
}

function padded(bytes: Uint8Array, length: number): Uint8Array {
  const whole = new Uint8Array(length);
  whole.set(bytes);
  return whole;
}
