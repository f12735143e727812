/** Small files that a copy thread copies, one after the other. All lists have the same length. */
export interface CopyBatch {
  /** Absolute paths as `fs` takes them. */
  readonly sources: readonly string[];
  /** The temporary names under which the copies are made. */
  readonly partials: readonly string[];
  /** The final names. */
  readonly targets: readonly string[];
  /** As they were listed, in bytes. */
  readonly sizes: readonly number[];
  /** As they were listed, in nanoseconds since 1970; the copies get them. */
  readonly modTimes: BigInt64Array;
  /** Set to 1 by whoever wants no further file to be begun. */
  readonly stop: Int32Array<SharedArrayBuffer>;
}

/** For each file of a batch 1 where it was copied, 0 where nothing was done and somebody else must see why. */
export type CopyAnswer = Uint8Array<ArrayBuffer>;

/** What a copy thread is started with. */
export interface CopyThreadData {
  /** The address of the module koffi. */
  readonly koffi: string;
  /** Files above this size do not come here, in bytes. */
  readonly largest: number;
}

/**
 * What runs in a copy thread. It knows only how a copy goes well: whatever else it meets (another size or time than
 * listed, an error) makes it take back what it began and answer 0. It is started from its own text, so that it needs
 * no file of its own in a bundle: nothing from outside may be used in it.
 */
export function copyThread(): void {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const fs = process.getBuiltinModule('node:fs');
  const { createRequire } = process.getBuiltinModule('node:module');
  const { fileURLToPath } = process.getBuiltinModule('node:url');
  const { koffi: url, largest } = workerData as CopyThreadData;
  // In a single executable the module is no file, and is found by its address alone.
  const isFile = !process.getBuiltinModule('node:sea').isSea();
  const found = createRequire(url)(isFile ? fileURLToPath(url) : url);
  const koffi = found.default ?? found;
  const futimens = koffi.load(null).func('futimens', 'int', ['int', 'void *']);
  const { O_RDONLY, O_NONBLOCK } = fs.constants;
  const SECOND = 1_000_000_000n;
  const times = new BigInt64Array(4);
  // One byte more than is expected shows that there are more.
  const buffer = Buffer.allocUnsafeSlow(largest + 1);

  const isAsListed = (fd: number, size: number, modTime: bigint) => {
    const stats = fs.fstatSync(fd, { bigint: true });
    return stats.isFile() && stats.size === BigInt(size) && stats.mtimeNs === modTime;
  };
  const readWhole = (path: string, size: number, modTime: bigint) => {
    const fd = fs.openSync(path, O_RDONLY | O_NONBLOCK);
    try {
      if (!isAsListed(fd, size, modTime)) return false;
      const isWhole = fs.readSync(fd, buffer, 0, size + 1, 0) === size;
      return isWhole && isAsListed(fd, size, modTime);
    } finally {
      fs.closeSync(fd);
    }
  };
  const makeDir = (path: string) => {
    try {
      fs.mkdirSync(path);
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      if (code === 'ENOENT') return false;
      // Another thread may have been first.
      if (code !== 'EEXIST') throw thrown;
    }
    return true;
  };
  const makeParents = (path: string) => {
    const parent = path.slice(0, path.lastIndexOf('/'));
    if (parent === '' || makeDir(parent)) return;
    makeParents(parent);
    makeDir(parent);
  };
  const create = (path: string) => {
    try {
      return fs.openSync(path, 'wx', 0o666);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
      makeParents(path);
      return fs.openSync(path, 'wx', 0o666);
    }
  };
  const setTime = (fd: number, modTime: bigint) => {
    let [seconds, nanoseconds] = [modTime / SECOND, modTime % SECOND];
    if (nanoseconds < 0n) [seconds, nanoseconds] = [seconds - 1n, nanoseconds + SECOND];
    times[0] = times[2] = seconds;
    times[1] = times[3] = nanoseconds;
    return futimens(fd, times) === 0;
  };
  const likeReplaced = (fd: number, target: string) => {
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
  };
  const write = (partial: string, target: string, size: number, modTime: bigint) => {
    const fd = create(partial);
    try {
      return (
        fs.writeSync(fd, buffer, 0, size, 0) === size &&
        likeReplaced(fd, target) &&
        setTime(fd, modTime)
      );
    } finally {
      fs.closeSync(fd);
    }
  };
  const discard = (partial: string) => {
    try {
      fs.unlinkSync(partial);
    } catch {
      // It was not made.
    }
  };
  const copy = ({ sources, partials, targets, sizes, modTimes }: CopyBatch, index: number) => {
    const [source = '', partial = '', target = ''] = [
      sources[index],
      partials[index],
      targets[index],
    ];
    const [size = 0, modTime = 0n] = [sizes[index], modTimes[index]];
    let isMade = false;
    try {
      if (!readWhole(source, size, modTime)) return false;
      isMade = true;
      if (write(partial, target, size, modTime)) {
        fs.renameSync(partial, target);
        return true;
      }
    } catch {
      // Who is asked next finds out what is wrong.
    }
    if (isMade) discard(partial);
    return false;
  };
  parentPort?.on('message', (batch: CopyBatch) => {
    const done: CopyAnswer = new Uint8Array(batch.sources.length);
    for (let index = 0; index < done.length && Atomics.load(batch.stop, 0) === 0; index++) {
      if (copy(batch, index)) done[index] = 1;
    }
    parentPort.postMessage(done);
  });
}
