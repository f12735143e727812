import type { Entry, FileEntry } from '../../core/remote.ts';
import { isWithin, parentPath } from '../../core/remote-path.ts';
import type { DirectoryTimes } from './directory-times.ts';

/** Opens the known times of directories. */
export interface DirectorySource {
  open(dir: string): DirectoryTimes;
  /** The whole listing was read. */
  finish(directory: DirectoryTimes): void;
}

/**
 * Adds the known times to the entries of one listing: of a directory, or of a tree sorted by whole paths, where only
 * the directories above the last file are open.
 */
export class ListingTimes {
  readonly #source: DirectorySource;
  /** The listing was read from its start. */
  readonly #isWhole: boolean;
  #open: { readonly dir: string; readonly prefix: string; readonly times: DirectoryTimes }[] = [];

  constructor(source: DirectorySource, isWhole: boolean) {
    this.#source = source;
    this.#isWhole = isWhole;
  }

  /** Completes the entries of the next page. */
  complete(entries: readonly Entry[]): Entry[] {
    return entries.map((entry) =>
      entry.kind === 'file' && entry.modTime === undefined ? this.#complete(entry) : entry,
    );
  }

  /** The listing was read to its end. */
  end(): void {
    for (const { times } of this.#open) this.#leave(times);
    this.#open = [];
  }

  #complete(file: FileEntry): FileEntry {
    const { prefix, times } = this.#enter(file.path);
    const known = times.find(file.path.slice(prefix.length), file);
    if (known === undefined) return file;
    const { modTime, md5 } = known;
    return md5 === undefined || file.hashes?.md5 !== undefined
      ? { ...file, modTime }
      : { ...file, modTime, hashes: { ...file.hashes, md5 } };
  }

  #enter(path: string) {
    const last = this.#open.at(-1);
    const isSame =
      last !== undefined &&
      path.startsWith(last.prefix) &&
      path.lastIndexOf('/') === last.prefix.length - 1;
    if (isSame) return last;
    const dir = parentPath(path);
    for (let top = last; top !== undefined && !isWithin(top.dir, dir); top = this.#open.at(-1)) {
      this.#leave(top.times);
      this.#open.pop();
    }
    const top = this.#open.at(-1);
    if (top?.dir === dir) return top;
    const entered = { dir, prefix: dir === '' ? '' : `${dir}/`, times: this.#source.open(dir) };
    if (!this.#isWhole) entered.times.skipTo(path.slice(entered.prefix.length));
    this.#open.push(entered);
    return entered;
  }

  #leave(times: DirectoryTimes): void {
    if (this.#isWhole) this.#source.finish(times);
  }
}
