import type { SmallCopyCalls } from './small-copy-calls.ts';

/** An unchanged small file, and the target of its copy. Paths are absolute and well-formed. */
export interface SmallCopy {
  /** Its path, or its content. */
  readonly source: string | Uint8Array;
  /** The temporary name beside `target`, used if the copy cannot be created without a name. */
  readonly partial: string;
  readonly target: string;
  /** In bytes. */
  readonly size: number;
  /** In nanoseconds since 1970; the copy gets it. */
  readonly modTime: bigint;
  /** Nothing may be replaced. */
  readonly isNew: boolean;
}

/**
 * Copies small files. Handles only success: on anything else (another size or time than listed, an error) it undoes
 * its work. If the file system supports it, a new file has no name (`O_TMPFILE`) until it is complete, so that a kill
 * leaves nothing.
 *
 * Threads run it from its text: it must use nothing from outside.
 */
export class SmallCopier {
  /**
   * File systems that support `O_TMPFILE` and report errors before a file is closed: ext2 to ext4, XFS, Btrfs, F2FS,
   * tmpfs, overlayfs (linux/magic.h).
   */
  static readonly #SAFE_TYPES = new Set([
    0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x01021994, 0x794c7630,
  ]);
  static readonly #MOST_DIRS = 1024;
  readonly #fs = process.getBuiltinModule('node:fs');
  readonly #calls: SmallCopyCalls;
  /** Existing directories, and whether files in them may be created without a name. */
  readonly #safeDirs = new Map<string, boolean>();

  constructor(calls: SmallCopyCalls) {
    this.#calls = calls;
  }

  /** Copies a file; `false` if nothing was done and the caller must find out why. */
  copy(copy: SmallCopy): boolean {
    const { source, partial, target, size, modTime } = copy;
    try {
      this.#calls.setTime(modTime);
      if (typeof source !== 'string') this.#calls.take(source);
      else if (!this.#calls.read(source, size)) return false;
      const dir = this.#parentOf(target);
      if (this.#isSafe(dir)) {
        const fd = this.#calls.createNameless(dir);
        if (fd >= 0) {
          const isWritten = this.#writeNameless(fd, copy);
          this.#calls.close(fd);
          return isWritten;
        }
        const ENOENT = 2;
        // It was deleted, or is on an overlay of another type.
        if (this.#calls.errno() === ENOENT) this.#safeDirs.delete(dir);
        else this.#safeDirs.set(dir, false);
      }
      // What replaces a private file is private from the start.
      const mode = this.#fs.lstatSync(target, { throwIfNoEntry: false })?.mode ?? 0o666;
      const fd = this.#calls.create(partial, mode & 0o666);
      return fd >= 0 && this.#writeNamed(fd, copy);
    } catch {
      return false;
    }
  }

  #writeNameless(fd: number, copy: SmallCopy): boolean {
    const { partial, target, size } = copy;
    const EEXIST = 17;
    if (!this.#calls.write(fd, size)) return false;
    const errno = this.#calls.giveName(fd, target);
    if (errno !== EEXIST) return errno === 0;
    if (!this.#isLikeReplaced(fd, copy) || this.#calls.giveName(fd, partial) !== 0) return false;
    return this.#calls.rename(partial, target) || this.#discard(partial);
  }

  #writeNamed(fd: number, copy: SmallCopy): boolean {
    const { partial, target, size } = copy;
    const isFilled = this.#calls.write(fd, size) && this.#isLikeReplaced(fd, copy);
    const isComplete = this.#calls.close(fd) && isFilled;
    return (isComplete && this.#calls.rename(partial, target)) || this.#discard(partial);
  }

  /** Owners and permissions of a replaced file have rules that are not implemented here. */
  #isLikeReplaced(fd: number, { target, isNew }: SmallCopy): boolean {
    try {
      const replaced = this.#fs.lstatSync(target, { throwIfNoEntry: false });
      if (replaced === undefined) return true;
      if (isNew) return false;
      const own = this.#fs.fstatSync(fd);
      return (
        replaced.isFile() &&
        replaced.mode === own.mode &&
        replaced.uid === own.uid &&
        replaced.gid === own.gid
      );
    } catch {
      return false;
    }
  }

  #discard(partial: string): false {
    try {
      this.#fs.unlinkSync(partial);
    } catch {
      // It was not created.
    }
    return false;
  }

  #isSafe(dir: string): boolean {
    const known = this.#safeDirs.get(dir);
    if (known !== undefined) return known;
    if (!this.#fs.existsSync(dir)) this.#makeDirs(dir);
    const isSafeDir = SmallCopier.#SAFE_TYPES.has(this.#fs.statfsSync(dir).type);
    if (this.#safeDirs.size >= SmallCopier.#MOST_DIRS) this.#safeDirs.clear();
    this.#safeDirs.set(dir, isSafeDir);
    return isSafeDir;
  }

  #makeDirs(path: string): void {
    if (this.#madeDir(path)) return;
    this.#makeDirs(this.#parentOf(path));
    this.#madeDir(path);
  }

  #madeDir(path: string): boolean {
    try {
      this.#fs.mkdirSync(path);
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      if (code === 'ENOENT' && path !== '/') return false;
      // Another thread may have been first.
      if (code !== 'EEXIST') throw thrown;
    }
    return true;
  }

  #parentOf(path: string): string {
    return path.slice(0, Math.max(1, path.lastIndexOf('/')));
  }
}
