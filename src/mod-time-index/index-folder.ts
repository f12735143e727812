import { randomBytes } from 'node:crypto';
import { readdirSync, statSync, unlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../core/context.ts';
import { makeFolderSync } from '../files/make-folder.ts';
import { SegmentReader } from './segment-reader.ts';
import { SegmentWriter } from './segment-writer.ts';

/** Segments are called `<id of the directory>-<random>`, those being written `new-<random>`. */
const SEGMENT = /^([0-9a-f]{32})-[0-9a-f]{12}$/;
const UNFINISHED = /^new-[0-9a-f]{12}$/;

/** What a file takes on most disks at least, in bytes. */
const SMALLEST_FILE = 4096;

/** A file being written that is older was left by a process that is gone, in milliseconds. */
const LEFT_AFTER_MS = 3_600_000;

/** How long after its last mark a segment that is read is marked as used again, in milliseconds. */
const MARK_AFTER_MS = 24 * 3_600_000;

/** The folder that holds the segments of all directories. Several processes may use it at once: nothing in it changes. */
export class IndexFolder {
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #clock: Clock;
  readonly #segments: Map<string, string[]>;

  /**
   * Opens it, or creates it. Throws errors of the file system.
   *
   * @param maxBytes limit of all files together
   */
  constructor(path: string, maxBytes: number, clock: Clock) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#clock = clock;
    makeFolderSync(path, 0o700);
    this.#segments = Map.groupBy(
      readdirSync(path).filter((name) => SEGMENT.test(name)),
      (name) => name.slice(0, 32),
    );
  }

  /** The paths of a directory's segments. */
  segments(id: string): readonly string[] {
    return (this.#segments.get(id) ?? []).map((name) => join(this.#path, name));
  }

  /** Opens the segments of a directory. */
  read(id: string): SegmentReader[] {
    return this.segments(id).map((path) => {
      this.#markUsed(path);
      return new SegmentReader(path, id);
    });
  }

  /** Begins a segment; `kept` is to be called when it is committed. */
  write(id: string): { readonly writer: SegmentWriter; kept(): void } {
    const random = randomBytes(6).toString('hex');
    const name = `${id}-${random}`;
    const temporary = join(this.#path, `new-${random}`);
    const writer = new SegmentWriter(join(this.#path, name), temporary, id);
    const kept = () => {
      const names = this.#segments.get(id);
      if (names === undefined) this.#segments.set(id, [name]);
      else names.push(name);
    };
    return { writer, kept };
  }

  /** Removes a segment of a directory; another process may have done it before. */
  remove(id: string, path: string): void {
    const names = this.#segments.get(id) ?? [];
    const left = names.filter((name) => join(this.#path, name) !== path);
    if (left.length === 0) this.#segments.delete(id);
    else this.#segments.set(id, left);
    removeFile(path);
  }

  /** Removes what was not used for longest where all together is too large, and what broken runs left. */
  trim(): void {
    const nowMs = this.#clock.now();
    const files = readdirSync(this.#path).flatMap((name) => {
      const path = join(this.#path, name);
      const stats = statSync(path, { throwIfNoEntry: false });
      if (stats === undefined) return [];
      if (UNFINISHED.test(name) && nowMs - stats.mtimeMs > LEFT_AFTER_MS) removeFile(path);
      const bytes = Math.max(stats.size, SMALLEST_FILE);
      return SEGMENT.test(name) ? [{ path, bytes, usedMs: stats.mtimeMs }] : [];
    });
    let total = files.reduce((sum, { bytes }) => sum + bytes, 0);
    if (total <= this.#maxBytes) return;
    for (const { path, bytes } of files.sort((a, b) => a.usedMs - b.usedMs)) {
      removeFile(path);
      total -= bytes;
      // Somewhat below the limit, so that the next run need not do it again.
      if (total <= this.#maxBytes * 0.9) return;
    }
  }

  #markUsed(path: string): void {
    const nowMs = this.#clock.now();
    try {
      const stats = statSync(path, { throwIfNoEntry: false });
      if (stats === undefined || nowMs - stats.mtimeMs < MARK_AFTER_MS) return;
      utimesSync(path, nowMs / 1000, nowMs / 1000);
    } catch {
      // It can be read all the same.
    }
  }
}

function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
