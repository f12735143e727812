import type { Libc } from '../../native/libc.ts';

/** A small file that is as it was listed, and where its copy goes. Paths are absolute and well-formed. */
export interface SmallCopy {
  readonly source: string;
  /** The temporary name beside `target`, used where the copy cannot be made without a name. */
  readonly partial: string;
  readonly target: string;
  /** In bytes. */
  readonly size: number;
  /** In nanoseconds since 1970; the copy gets it. */
  readonly modTime: bigint;
}

/** Copies a small file at once; `false` where nothing was done and somebody else must see why. */
export type SmallCopier = (copy: SmallCopy) => boolean;

/**
 * Makes copies of files of up to `largest` bytes by calls of Linux's C library, which for small files take two
 * thirds of the time of Node's `fs`.
 *
 * It knows only how a copy goes well: whatever else it meets (another size or time than listed, an error) makes it take
 * back what it began. Where the file system can, a new file is made without any name (`O_TMPFILE`) and gets its own
 * when it is complete (`linkat`): nothing is left behind by a kill, and nothing looked up that is not there.
 *
 * Threads run it from its text: nothing from outside may be used in it.
 */
export function smallCopier(libc: Pick<Libc, 'func' | 'errno'>, largest: number): SmallCopier {
  const fs = process.getBuiltinModule('node:fs');
  const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NONBLOCK, O_DIRECTORY, S_IFMT, S_IFREG } =
    fs.constants;
  const O_CLOEXEC = 0o2000000;
  const O_TMPFILE = 0o20000000 | O_DIRECTORY;
  const [AT_FDCWD, AT_EMPTY_PATH, AT_SYMLINK_FOLLOW] = [-100, 0x1000, 0x400];
  const [ENOENT, EIO, EEXIST] = [2, 5, 17];
  const STATX_TYPE_SIZE_MTIME = 0x1 | 0x200 | 0x40;
  // Known to make files without a name, and to keep no error back until a file is closed: ext2 to ext4, XFS, Btrfs,
  // F2FS, tmpfs, overlayfs (linux/magic.h).
  const SAFE_TYPES = new Set([0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x01021994, 0x794c7630]);
  const SECOND = 1_000_000_000n;
  const LONGEST_PATH = 4096;
  const MOST_DIRS = 64;

  const open = libc.func('open', 'int', ['void *', 'int', 'uint']);
  const close = libc.func('close', 'int', ['int']);
  const pread = libc.func('pread', 'int64', ['int', 'void *', 'size_t', 'int64']);
  const pwrite = libc.func('pwrite', 'int64', ['int', 'void *', 'size_t', 'int64']);
  const statx = libc.func('statx', 'int', ['int', 'void *', 'int', 'uint', 'void *']);
  const futimens = libc.func('futimens', 'int', ['int', 'void *']);
  const linkat = libc.func('linkat', 'int', ['int', 'void *', 'int', 'void *', 'int']);
  const rename = libc.func('rename', 'int', ['void *', 'void *']);

  // One byte more than is expected shows that there are more.
  const content = Buffer.allocUnsafeSlow(largest + 1);
  // `struct timespec` of the last access and of the last change.
  const times = new BigInt64Array(4);
  const noPath = Buffer.alloc(1);
  const [pathA, pathB] = [
    Buffer.allocUnsafeSlow(LONGEST_PATH),
    Buffer.allocUnsafeSlow(LONGEST_PATH),
  ];
  // `struct statx`, which is the same on all machines: type at 28, size at 40, time at 112.
  const stats = new ArrayBuffer(256);
  const [stats16, stats32, stats64] = [
    new Uint16Array(stats),
    new Uint32Array(stats),
    new BigInt64Array(stats),
  ];
  /** Directories that are there, and whether files in them may be made without a name. */
  const safeDirs = new Map<string, boolean>();
  let linksByProc = false;

  const cString = (into: Buffer, path: string) => {
    if (path.length * 3 >= LONGEST_PATH) return Buffer.from(`${path}\0`);
    into[into.write(path)] = 0;
    return into;
  };
  /** What copies are to have, and sources have. */
  const setTimes = (modTime: bigint) => {
    let [seconds, nanoseconds] = [modTime / SECOND, modTime % SECOND];
    if (nanoseconds < 0n) [seconds, nanoseconds] = [seconds - 1n, nanoseconds + SECOND];
    times[0] = times[2] = seconds;
    times[1] = times[3] = nanoseconds;
  };
  const isAsListed = (fd: number, size: number) =>
    statx(fd, noPath, AT_EMPTY_PATH, STATX_TYPE_SIZE_MTIME, stats) === 0 &&
    ((stats16[14] ?? 0) & S_IFMT) === S_IFREG &&
    stats64[5] === BigInt(size) &&
    stats64[14] === times[2] &&
    BigInt(stats32[30] ?? 0) === times[3];
  const readWhole = (path: string, size: number) => {
    const fd = Number(open(cString(pathA, path), O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0));
    if (fd < 0) return false;
    // What changed before or meanwhile is not as listed now.
    const isWhole = Number(pread(fd, content, size + 1, 0)) === size && isAsListed(fd, size);
    close(fd);
    return isWhole;
  };
  const parentOf = (path: string) => path.slice(0, Math.max(1, path.lastIndexOf('/')));
  const makeDir = (path: string) => {
    try {
      fs.mkdirSync(path);
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      if (code === 'ENOENT' && path !== '/') return false;
      // Another thread may have been first.
      if (code !== 'EEXIST') throw thrown;
    }
    return true;
  };
  const makeDirs = (path: string) => {
    if (makeDir(path)) return;
    makeDirs(parentOf(path));
    makeDir(path);
  };
  const isSafe = (dir: string) => {
    const known = safeDirs.get(dir);
    if (known !== undefined) return known;
    if (!fs.existsSync(dir)) makeDirs(dir);
    const isSafeDir = SAFE_TYPES.has(fs.statfsSync(dir).type);
    if (safeDirs.size >= MOST_DIRS) safeDirs.clear();
    safeDirs.set(dir, isSafeDir);
    return isSafeDir;
  };
  const create = (path: string, flags: number) =>
    Number(open(cString(pathA, path), O_WRONLY | O_CLOEXEC | flags, 0o666));
  const fill = (fd: number, size: number) =>
    Number(pwrite(fd, content, size, 0)) === size && futimens(fd, times) === 0;
  /** Gives a file without a name this one; gives 0, or `errno`, which is never 0 after a failure. */
  const giveName = (fd: number, path: string): number => {
    const named = linksByProc
      ? linkat(
          AT_FDCWD,
          cString(pathA, `/proc/self/fd/${fd}`),
          AT_FDCWD,
          cString(pathB, path),
          AT_SYMLINK_FOLLOW,
        )
      : linkat(fd, noPath, AT_FDCWD, cString(pathB, path), AT_EMPTY_PATH);
    if (named === 0) return 0;
    const errno = libc.errno() || EIO;
    if (errno !== ENOENT || linksByProc) return errno;
    // Only root may do it by the descriptor alone, except in newer kernels.
    linksByProc = true;
    return giveName(fd, path);
  };
  const isLikeReplaced = (fd: number, target: string) => {
    try {
      const replaced = fs.lstatSync(target, { throwIfNoEntry: false });
      if (replaced === undefined) return true;
      // Owners and permissions of what is replaced have rules that are not known here.
      const own = fs.fstatSync(fd);
      return (
        replaced.isFile() &&
        replaced.mode === own.mode &&
        replaced.uid === own.uid &&
        replaced.gid === own.gid
      );
    } catch {
      return false;
    }
  };
  const discard = (partial: string) => {
    try {
      fs.unlinkSync(partial);
    } catch {
      // It was not made.
    }
  };
  const replace = (partial: string, target: string) =>
    rename(cString(pathA, partial), cString(pathB, target)) === 0;
  const writeNameless = (fd: number, { partial, target, size }: SmallCopy) => {
    if (!fill(fd, size)) return false;
    const errno = giveName(fd, target);
    if (errno !== EEXIST) return errno === 0;
    if (!isLikeReplaced(fd, target) || giveName(fd, partial) !== 0) return false;
    if (replace(partial, target)) return true;
    discard(partial);
    return false;
  };
  const writeNamed = (fd: number, { partial, target, size }: SmallCopy) => {
    const isFilled = fill(fd, size) && isLikeReplaced(fd, target);
    if (close(fd) === 0 && isFilled && replace(partial, target)) return true;
    discard(partial);
    return false;
  };

  return (copy) => {
    const { source, partial, target, size, modTime } = copy;
    try {
      setTimes(modTime);
      if (!readWhole(source, size)) return false;
      const dir = parentOf(target);
      if (isSafe(dir)) {
        const fd = create(dir, O_TMPFILE);
        if (fd >= 0) {
          const isWritten = writeNameless(fd, copy);
          close(fd);
          return isWritten;
        }
        // It was removed, or is on an overlay of another kind.
        if (libc.errno() === ENOENT) safeDirs.delete(dir);
        else safeDirs.set(dir, false);
      }
      const fd = create(partial, O_CREAT | O_EXCL);
      return fd >= 0 && writeNamed(fd, copy);
    } catch {
      // Who is asked next finds out what is wrong.
      return false;
    }
  };
}
