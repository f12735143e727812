import { readdirSync, statSync, unlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../core/context.ts';
import { makeFolderSync } from '../files/make-folder.ts';
import type { RecordFormat } from './record-format.ts';
import { SegmentReader } from './segment-reader.ts';
import { SegmentWriter } from './segment-writer.ts';

/** Segments are named `<id>-<random>`, unfinished ones `new-<random>`. */
const SEGMENT = /^([0-9a-f]{32})-[0-9a-f]{12}$/;
const UNFINISHED = /^new-[0-9a-f]{12}$/;

/** The smallest space that a file takes on most disks, in bytes. */
const SMALLEST_FILE = 4096;

/** Age from which an unfinished file counts as left by a dead process, in milliseconds. */
const LEFT_AFTER_MS = 3_600_000;

/** Time between two marks of a segment as used, in milliseconds. */
const MARK_AFTER_MS = 24 * 3_600_000;

/**
 * A directory of segments; those with one id (a directory, a remote) are read together. Several processes may use it at the same time: its files never
 * change.
 */
export class SegmentFolder<T extends { readonly name: string }> {
  readonly format: RecordFormat<T>;
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #clock: Clock;
  readonly #segments: Map<string, string[]>;

  /**
   * Opens it, or creates it. Throws errors of the file system.
   *
   * @param maxBytes limit of all files together
   */
  constructor(format: RecordFormat<T>, path: string, maxBytes: number, clock: Clock) {
    this.format = format;
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#clock = clock;
    makeFolderSync(path, 0o700);
    // Anything else of that name could not be read, nor deleted.
    const names = readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isFile() && SEGMENT.test(entry.name))
      .map(({ name }) => name);
    this.#segments = Map.groupBy(names, (name) => name.slice(0, 32));
  }

  segments(id: string): readonly string[] {
    return (this.#segments.get(id) ?? []).map((name) => join(this.#path, name));
  }

  /** The paths of the segments of `id`, which are marked as used. */
  use(id: string): readonly string[] {
    const paths = this.segments(id);
    for (const path of paths) this.#markUsed(path);
    return paths;
  }

  read(id: string): SegmentReader<T>[] {
    return this.use(id).map((path) => new SegmentReader(this.format, path, id));
  }

  /** Starts a segment; call `kept` when it is committed. */
  write(id: string): { readonly writer: SegmentWriter<T>; kept(): void } {
    // No secret; loading `node:crypto` would take eight milliseconds.
    const random = Math.floor(Math.random() * 2 ** 48)
      .toString(16)
      .padStart(12, '0');
    const name = `${id}-${random}`;
    const temporary = join(this.#path, `new-${random}`);
    const writer = new SegmentWriter(this.format, join(this.#path, name), temporary, id);
    const kept = () => {
      const names = this.#segments.get(id);
      if (names === undefined) this.#segments.set(id, [name]);
      else names.push(name);
    };
    return { writer, kept };
  }

  /** Deletes a segment; another process may have done it before. */
  remove(id: string, path: string): void {
    const names = this.#segments.get(id) ?? [];
    const left = names.filter((name) => join(this.#path, name) !== path);
    if (left.length === 0) this.#segments.delete(id);
    else this.#segments.set(id, left);
    removeFile(path);
  }

  /** Deletes the least recently used segments if all together are too large, and leftovers of interrupted runs. */
  trim(): void {
    const nowMs = this.#clock.now();
    const files = readdirSync(this.#path).flatMap((name) => {
      const path = join(this.#path, name);
      const stats = statSync(path, { throwIfNoEntry: false });
      if (stats?.isFile() !== true) return [];
      if (UNFINISHED.test(name) && nowMs - stats.mtimeMs > LEFT_AFTER_MS) removeFile(path);
      const bytes = Math.max(stats.size, SMALLEST_FILE);
      return SEGMENT.test(name) ? [{ path, bytes, usedMs: stats.mtimeMs }] : [];
    });
    let total = files.reduce((sum, { bytes }) => sum + bytes, 0);
    if (total <= this.#maxBytes) return;
    for (const { path, bytes } of files.sort((a, b) => a.usedMs - b.usedMs)) {
      removeFile(path);
      total -= bytes;
      // Somewhat below the limit, so that the next run need not repeat it.
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
      // It can still be read.
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
