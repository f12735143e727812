import type { Libc } from '../../system/libc.ts';
import type { WholeReads } from './local-entry.ts';

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
  /** File systems with `O_TMPFILE` and without late errors: ext2-4, XFS, Btrfs, F2FS, tmpfs, overlayfs. */
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
      if (fd < 0) return false;
      const isFilled = this.#calls.write(fd, size) && this.#isLikeReplaced(fd, copy);
      const isComplete = this.#calls.close(fd) && isFilled;
      return (isComplete && this.#calls.rename(partial, target)) || this.#discard(partial);
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

  #makeDirs(path: string, isAgain = false): void {
    try {
      this.#fs.mkdirSync(path);
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      if (code === 'ENOENT' && !isAgain && path !== '/') {
        this.#makeDirs(this.#parentOf(path));
        this.#makeDirs(path, true);
        // Another thread may have been first.
      } else if (code !== 'EEXIST') throw thrown;
    }
  }

  #parentOf(path: string): string {
    return path.slice(0, Math.max(1, path.lastIndexOf('/')));
  }
}

/**
 * The calls of Linux's C library that copy a small file, with their buffers: two thirds of the time of Node's `fs`. A
 * failure is `false`, or -1 for a descriptor.
 *
 * Threads run it from its text: it must use nothing from outside.
 */
export class SmallCopyCalls {
  static readonly #LONGEST_PATH = 4096;
  static readonly #CLOSE_ON_EXEC = 0o2000000;
  readonly errno: () => number;
  readonly #constants = process.getBuiltinModule('node:fs').constants;
  readonly #open: ReturnType<Libc['func']>;
  readonly #close: ReturnType<Libc['func']>;
  readonly #pread: ReturnType<Libc['func']>;
  readonly #pwrite: ReturnType<Libc['func']>;
  readonly #statx: ReturnType<Libc['func']>;
  readonly #futimens: ReturnType<Libc['func']>;
  readonly #linkat: ReturnType<Libc['func']>;
  readonly #rename: ReturnType<Libc['func']>;
  readonly #content: Buffer;
  /** `struct timespec` of the last access and of the last change: of a copy, and of its source. */
  readonly #times = new BigInt64Array(4);
  readonly #noPath = Buffer.alloc(1);
  readonly #next = Buffer.allocUnsafeSlow(1);
  readonly #pathA = Buffer.allocUnsafeSlow(SmallCopyCalls.#LONGEST_PATH);
  readonly #pathB = Buffer.allocUnsafeSlow(SmallCopyCalls.#LONGEST_PATH);
  /** `struct statx`, which is the same on all machines: type at 28, size at 40, time at 112, device at 136. */
  readonly #stats = new ArrayBuffer(256);
  readonly #stats16 = new Uint16Array(this.#stats);
  readonly #stats32 = new Uint32Array(this.#stats);
  readonly #stats64 = new BigInt64Array(this.#stats);
  readonly #reads: Pick<WholeReads, 'areAll'>;
  #linksByProc = false;

  /** @param largest size of a file, in bytes */
  constructor(
    libc: Pick<Libc, 'func' | 'errno'>,
    largest: number,
    reads: Pick<WholeReads, 'areAll'>,
  ) {
    this.errno = libc.errno;
    this.#reads = reads;
    this.#open = libc.func('open', 'int', ['void *', 'int', 'uint']);
    this.#close = libc.func('close', 'int', ['int']);
    this.#pread = libc.func('pread', 'int64', ['int', 'void *', 'size_t', 'int64']);
    this.#pwrite = libc.func('pwrite', 'int64', ['int', 'void *', 'size_t', 'int64']);
    this.#statx = libc.func('statx', 'int', ['int', 'void *', 'int', 'uint', 'void *']);
    this.#futimens = libc.func('futimens', 'int', ['int', 'void *']);
    this.#linkat = libc.func('linkat', 'int', ['int', 'void *', 'int', 'void *', 'int']);
    this.#rename = libc.func('rename', 'int', ['void *', 'void *']);
    // One byte more than expected detects a longer file.
    this.#content = Buffer.allocUnsafeSlow(largest + 1);
  }

  /** The expected time of the next file read, and the time of the next one written. */
  setTime(modTime: bigint): void {
    const second = 1_000_000_000n;
    const nanoseconds = ((modTime % second) + second) % second;
    this.#times[0] = this.#times[2] = (modTime - nanoseconds) / second;
    this.#times[1] = this.#times[3] = nanoseconds;
  }

  /** Reads a file, and checks its size and the time that was set. */
  read(path: string, size: number): boolean {
    const { O_RDONLY, O_NONBLOCK } = this.#constants;
    const fd = this.#openPath(path, O_RDONLY | O_NONBLOCK, 0);
    if (fd < 0) return false;
    // A file that changed before or since differs from its listed entry now.
    const isWhole =
      Number(this.#pread(fd, this.#content, size + 1, 0)) === size &&
      this.#isAsListed(fd, size) &&
      (size === 0 ||
        this.#reads.areAll(this.#device(), fd) ||
        Number(this.#pread(fd, this.#next, 1, size)) === 0);
    this.#close(fd);
    return isWhole;
  }

  /** Takes content as if it had been read. */
  take(content: Uint8Array): void {
    this.#content.set(content);
  }

  /** Creates a file without a name in a directory. */
  createNameless(dir: string): number {
    const { O_WRONLY, O_DIRECTORY } = this.#constants;
    return this.#openPath(dir, O_WRONLY | 0o20000000 | O_DIRECTORY, 0o666);
  }

  create(path: string, mode: number): number {
    const { O_WRONLY, O_CREAT, O_EXCL } = this.#constants;
    return this.#openPath(path, O_WRONLY | O_CREAT | O_EXCL, mode);
  }

  close(fd: number): boolean {
    return this.#close(fd) === 0;
  }

  write(fd: number, size: number): boolean {
    return (
      Number(this.#pwrite(fd, this.#content, size, 0)) === size &&
      this.#futimens(fd, this.#times) === 0
    );
  }

  /** Names a file without a name; returns 0, or `errno`, which is never 0 after a failure. */
  giveName(fd: number, path: string): number {
    const [AT_FDCWD, AT_EMPTY_PATH, AT_SYMLINK_FOLLOW, ENOENT, EIO] = [-100, 0x1000, 0x400, 2, 5];
    const target = this.#cString(this.#pathB, path);
    const named = this.#linksByProc
      ? this.#linkat(
          AT_FDCWD,
          this.#cString(this.#pathA, `/proc/self/fd/${fd}`),
          AT_FDCWD,
          target,
          AT_SYMLINK_FOLLOW,
        )
      : this.#linkat(fd, this.#noPath, AT_FDCWD, target, AT_EMPTY_PATH);
    if (named === 0) return 0;
    const errno = this.errno() || EIO;
    if (errno !== ENOENT || this.#linksByProc) return errno;
    // Only root may do it by the descriptor alone, except in newer kernels.
    this.#linksByProc = true;
    return this.giveName(fd, path);
  }

  rename(from: string, to: string): boolean {
    return this.#rename(this.#cString(this.#pathA, from), this.#cString(this.#pathB, to)) === 0;
  }

  #openPath(path: string, flags: number, mode: number): number {
    const at = this.#cString(this.#pathA, path);
    return Number(this.#open(at, flags | SmallCopyCalls.#CLOSE_ON_EXEC, mode));
  }

  #cString(into: Buffer, path: string): Buffer {
    if (path.length * 3 >= SmallCopyCalls.#LONGEST_PATH) return Buffer.from(`${path}\0`);
    into[into.write(path)] = 0;
    return into;
  }

  /** After `isAsListed`. */
  #device(): number {
    return (this.#stats32[34] ?? 0) * 2 ** 32 + (this.#stats32[35] ?? 0);
  }

  #isAsListed(fd: number, size: number): boolean {
    const [AT_EMPTY_PATH, TYPE_SIZE_MTIME] = [0x1000, 0x1 | 0x200 | 0x40];
    const { S_IFMT, S_IFREG } = this.#constants;
    return (
      this.#statx(fd, this.#noPath, AT_EMPTY_PATH, TYPE_SIZE_MTIME, this.#stats) === 0 &&
      ((this.#stats16[14] ?? 0) & S_IFMT) === S_IFREG &&
      this.#stats64[5] === BigInt(size) &&
      this.#stats64[14] === this.#times[2] &&
      BigInt(this.#stats32[30] ?? 0) === this.#times[3]
    );
  }
}
