import fs from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { SyncerError } from '../../core/errors.ts';
import type { ByteSink } from './byte-sink.ts';
import { diskError, isDiskFull } from './disk-error.ts';
import { readBytes, writeBytes } from './file-bytes.ts';
import { type ByteRange, RangeSet } from './range-set.ts';
import type { ReadBuffers } from './read-buffers.ts';

/** How far ahead of a reader is fetched into the cache besides `--vfs-read-ahead`, in bytes. */
const AHEAD = 32 * 1024 * 1024;

/** What a cached file needs of its cache. */
export interface DataFilePlace {
  readonly path: string;
  readonly buffers: ReadBuffers;
  /** `--vfs-read-ahead`, in bytes. */
  readonly readAhead: number;
  /** Throws away what is not needed; `false` where there was nothing. */
  makeRoom(bytes: number): Promise<boolean>;
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
  #opening: Promise<FileHandle> | undefined;
  #fd = -1;
  #isRemoved = false;
  #mayHaveTail: boolean;
  /** Bytes from the remote on their way to the disk. */
  readonly #puts = new Map<ByteRange, Promise<void>>();
  /** What is being written, which the remote's bytes must not touch. */
  readonly #writes = new Set<ByteRange>();

  /** @param mayHaveTail an earlier run may have written more than its journal says. */
  constructor(place: DataFilePlace, size: number, edges: readonly number[], mayHaveTail: boolean) {
    this.#place = place;
    this.#mayHaveTail = mayHaveTail;
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
    await (await opened)?.close();
  }

  /** Bytes that are there; fewer only at the end. */
  read(offset: number, length: number): Promise<Uint8Array> {
    const count = Math.min(length, this.#size - offset);
    if (count <= 0) return Promise.resolve(new Uint8Array(0));
    return readBytes(this.#fd, offset, this.#place.buffers.take(count)).then(
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
      await (await this.#opening)?.datasync();
    } catch (thrown) {
      throw diskError(thrown, undefined);
    }
  }

  async #open(): Promise<FileHandle> {
    if (this.#isRemoved) throw new SyncerError('file-not-found', 'the cached file was removed');
    const { O_RDWR, O_CREAT, O_NOFOLLOW } = fs.constants;
    const file = await open(this.#place.path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
    const { size } = await file.stat();
    if (size < this.ranges.end) {
      await file.close();
      const text = 'the cache on disk has lost bytes of a file';
      throw new SyncerError('corrupted', text, { advice: 'see what happened to the disk' });
    }
    if (this.#mayHaveTail && size > this.#size) await file.truncate(this.#size);
    this.#mayHaveTail = false;
    this.#fd = file.fd;
    return file;
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

  #toDisk(offset: number, bytes: Uint8Array): Promise<void> {
    return this.#retried(bytes.length, () => writeBytes(this.#fd, offset, bytes));
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

function ftruncate(fd: number, size: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fs.ftruncate(fd, size, (error) => (error === null ? resolve() : reject(error)));
  });
}

function padded(bytes: Uint8Array, length: number): Uint8Array {
  const whole = new Uint8Array(length);
  whole.set(bytes);
  return whole;
}
