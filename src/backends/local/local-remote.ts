import fs from 'node:fs';
import type { Context } from '../../core/context.ts';
import type { Metadata } from '../../core/entry-details.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { ModTime } from '../../core/mod-time.ts';
import { nameFromBytes } from '../../core/name-bytes.ts';
import type { Capabilities, Entry, FileEntry, Op, Remote } from '../../core/remote.ts';
import { deleteOneByOne } from '../../core/remote-calls.ts';
import { joinPath, LINK_SUFFIX, leafName, type Naming } from '../../core/remote-path.ts';
import type { Traits } from '../../core/traits.ts';
import type { UploadRecordsAccess } from '../../core/upload-records.ts';
import { fsPath } from '../../system/fs-path.ts';
import type { OpenParams } from '../backend.ts';
import { copyFile } from './copy-file.ts';
import { cleanUp, deleteDir, foreignIn, isListed, purge, unlink } from './delete-dir.ts';
import { DirectoryLister } from './directory-lister.ts';
import { isSample } from './disk-naming.ts';
import { type FsErrorMeaning, fsError, isFsError, showPath } from './fs-error.ts';
import { cutFile, hashesOfFile, hashFile, md5sOfRanges } from './hash-file.ts';
import { LocalDisk } from './local-disk.ts';
import {
  checkUnchanged,
  entryOf,
  fileEntry,
  refuseLinkedDir,
  refuseLinkedParent,
  refuseOtherKind,
  unlistedAt,
} from './local-entry.ts';
import { localPlace, pathBelow } from './local-place.ts';
import { type LocalSettings, localSettings } from './local-settings.ts';
import { readMetadata, writeMetadata } from './metadata.ts';
import { moveDir, moveFile } from './move-file.ts';
import { makeDirs, withParents } from './partial-file.ts';
import { confirmSize, readFile } from './read-file.ts';
import { writeFile, writeMemory } from './write-file.ts';

/** A remote on this machine's disks. */
export function localRemote(
  settings: LocalSettings,
  context: Context,
  downloads?: UploadRecordsAccess,
): Remote {
  const disk = new LocalDisk(settings, context, downloads);
  const lister = new DirectoryLister(disk);
  const usageLister = new DirectoryLister(disk, true);
  const traits: Traits = {
    hashes: settings.hashes,
    slowHash: true,
    modTimePrecision: settings.setModTime ? disk.timePrecision : undefined,
    slowModTime: false,
    get caseInsensitive() {
      return disk.naming.ignoresCase(settings.root) === true;
    },
    emptyDirs: true,
    sortedPages: true,
    bucketBased: false,
    onDisk: true,
    ...(settings.links === 'translate' ? { linkSuffix: LINK_SUFFIX } : {}),
  };
  /** Every call: ends early when aborted, waits for its turn, rejects with `SyncerError` only. */
  const call = async <T>(op: Op, work: () => T | Promise<T>): Promise<T> => {
    for (let turn = disk.turns.take(); turn !== undefined; turn = disk.turns.take()) await turn;
    op.signal.throwIfAborted();
    try {
      const result = work();
      return result instanceof Promise ? await result : result;
    } catch (thrown) {
      op.signal.throwIfAborted();
      const error = toSyncerError(thrown);
      const isFatal = settings.isFullFatal && error.code === 'no-space';
      throw isFatal ? new SyncerError('fatal', error.message, error) : error;
    }
  };
  return {
    name: settings.name,
    root: settings.root,
    title: disk.title,
    traits,
    can: {
      ...localCapabilities(disk, traits, call),
      listUsage: (dir, cursor, op) => call(op, () => usageLister.listPage(dir, cursor, op)),
      takeUsage: (dir, take, op) => call(op, () => usageLister.takeUsage(dir, take)),
      unlistedAt: (path, op) => call(op, () => unlistedAt(disk, path)),
    },
    listPage: (dir, cursor, op) => call(op, () => lister.listPage(dir, cursor, op)),
    stat: (path, op) => call(op, () => stat(disk, path)),
    read: (file, range, op) => call(op, () => readFile(disk, file, range)),
    write: (source, op) => call(op, () => writeFile(disk, source, op)),
    delete: (files, op, { ifUnchanged = false } = {}) =>
      deleteOneByOne(files, op, (file) => call(op, () => deleteFile(disk, file, ifUnchanged))),
    makeDir: (dir, op) =>
      call(op, () => {
        const native = disk.dirPathOf(dir);
        refuseLinkedDir(disk, native);
        makeDirs(native);
      }),
    deleteDir: (dir, op) => call(op, () => deleteDir(disk, disk.dirPathOf(dir))),
    async close() {
      await Promise.all([disk.hashThreads.close(), disk.fileHashThreads.close()]);
    },
  };
}

async function stat(disk: LocalDisk, path: string): Promise<Entry | undefined> {
  const native = disk.findPath(path);
  if (native === undefined) return undefined;
  const { timeType } = disk.settings;
  if (disk.isLink(path)) {
    const link = disk.look(native);
    if (link?.isSymbolicLink()) return fileEntry(path, link, timeType);
    const dir = await disk.lookPaced(disk.dirPathOf(path));
    return dir?.isDirectory() && !disk.isForeign(dir) ? entryOf(path, dir, timeType) : undefined;
  }
  const stats = await disk.lookPaced(native);
  // As listings omit it: clients of a server ask for paths.
  if (stats?.isDirectory() === true && disk.isForeign(stats)) return undefined;
  return stats && entryOf(path, stats, timeType);
}

async function deleteFile(disk: LocalDisk, file: FileEntry, ifUnchanged: boolean): Promise<void> {
  const native = disk.pathOf(file.path);
  disk.sweeper.changing();
  refuseLinkedParent(disk, native);
  refuseOtherKind(disk, file.path, native);
  if (ifUnchanged) {
    // On a disk that is not slow nothing else runs, and nothing else is looked at, between the look and the deletion: a
    // change there would be lost.
    const looked = disk.lookPaced(native);
    const stats = looked instanceof Promise ? await looked : looked;
    // Its deletion reports a missing file.
    if (stats !== undefined) checkUnchanged(disk, file, stats, 'delete');
  }
  try {
    await unlink(disk, native);
  } catch (thrown) {
    throw fsError(thrown, 'remove', native);
  }
}

/** Opens a local path. Rejects with `config` for invalid options; does not access the disk. */
export async function open(params: OpenParams): Promise<Remote> {
  return localRemote(localSettings(params), params.context, params.downloads);
}

/** The disk of each remote's traits: how one local remote, wrapped or not, recognises another. */
const diskOf = new WeakMap<Traits, LocalDisk>();

/** The optional capabilities of a local disk. `call` runs one under the common rules. */
function localCapabilities(
  disk: LocalDisk,
  traits: Traits,
  call: <T>(op: Op, work: () => T | Promise<T>) => Promise<T>,
): Capabilities {
  diskOf.set(traits, disk);
  const between = <T>(
    from: Remote,
    op: Op,
    otherwise: T,
    work: (source: LocalDisk) => T | Promise<T>,
  ): Promise<T> => {
    const source = diskOf.get(from.traits);
    return source === undefined ? Promise.resolve(otherwise) : call(op, () => work(source));
  };
  return {
    place: localPlace(disk),
    naming: namingOf(disk),
    details: {
      read: (file, op) =>
        call(op, async () => {
          const native = disk.pathOf(file.path);
          try {
            const stats = disk.look(native);
            if (stats === undefined) {
              const message = `lstat ${showPath(native)}: no such file or directory`;
              throw new SyncerError('file-not-found', message, { path: native });
            }
            const now = fileEntry(file.path, stats, disk.settings.timeType);
            return { ...file, ...now, metadata: await readMetadata(disk, native) };
          } catch (thrown) {
            throw fsError(thrown, 'lstat', native);
          }
        }),
    },
    hash: (file, name, op) => call(op, () => hashFile(disk, file, name, op)),
    hashes: (file, names, op) => call(op, () => hashesOfFile(disk, file, names, op)),
    pieces: {
      md5s: (file, ranges, op) => call(op, () => md5sOfRanges(disk, file, ranges, op)),
      cuts: (file, op) => call(op, () => cutFile(disk, file, op)),
    },
    hashMany: (files, name, op) =>
      call(op, async () => (await import('./hash-many.ts')).hashMany(disk, files, name)),
    stamp: (file, when) => {
      if (when === 'read' && disk.readStamps.has(file)) return disk.readStamps.get(file);
      if (disk.isLink(file.path)) return undefined;
      try {
        const stats = disk.look(disk.pathOf(file.path));
        if (stats?.isFile() !== true) return undefined;
        const now = fileEntry(file.path, stats, disk.settings.timeType);
        if (now.size !== file.size || now.modTime !== file.modTime) return undefined;
        return { tag: String(stats.ino), changedAt: stats.ctimeNs };
      } catch {
        return undefined;
      }
    },
    confirmSize: (file, op) => call(op, () => confirmSize(disk, file)),
    isSlow: () => disk.pace.isSlow,
    writeMemory: (source) => writeMemory(disk, source),
    watch: (plan, op) =>
      call(op, async () => (await import('./watch-dirs.ts')).watchDirs(disk, plan, op)),
    ...(disk.settings.setModTime && {
      setModTime: (file, modTime, op) =>
        call(op, async () => {
          const stats = await setTime(disk, file.path, modTime);
          return { ...file, ...fileEntry(file.path, stats, disk.settings.timeType) };
        }),
      setDirModTime: (dir, modTime, op) =>
        call(op, async () => {
          assertDirectory(disk, dir);
          await setTime(disk, dir, modTime, { missing: 'directory-not-found' });
        }),
      setDirMetadata: (dir, metadata, modTime, op, isRestored) =>
        call(op, () => setDirMetadata(disk, dir, metadata, modTime, isRestored)),
    }),
    readDirMetadata: ({ path }, op, quietly) =>
      call(op, () => readMetadata(disk, disk.pathOf(path), quietly)),
    copyFrom: (from, file, path, op, keep) =>
      between(from, op, undefined, (source) => copyFile(source, file, disk, path, op, keep)),
    moveFrom: (from, file, path, op) =>
      between(from, op, undefined, (source) => moveFile(source, file, disk, path, op)),
    linkFrom: (from, file, path, op) =>
      between(from, op, false, (other) => {
        const [source, target] = [other.pathOf(file.path), disk.pathOf(path)];
        try {
          refuseLinkedParent(other, source);
          refuseLinkedParent(disk, target);
          if (other.isLink(file.path) || !fs.lstatSync(fsPath(source)).isFile()) return false;
          disk.sweeper.changing();
          withParents(target, () => fs.linkSync(fsPath(source), fsPath(target)));
          return true;
        } catch (thrown) {
          // Across file systems, and where there are no hard links.
          if (isFsError(thrown, 'EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'ENOSYS')) return false;
          throw fsError(thrown, 'link', target);
        }
      }),
    moveDirFrom: (from, dir, path, op) =>
      between(from, op, false, (source) => moveDir(source, dir, disk, path, op)),
    purge: (dir, op) => call(op, () => purge(disk, dir, op)),
    purgeUnlisted: (dir, op) =>
      call(op, () => purge(disk, dir, op, (path) => isListed(disk, path))),
    ...(disk.settings.oneFileSystem && {
      foreignIn: (dir, op) => call(op, () => foreignIn(disk, dir)),
    }),
    about: (op) =>
      call(op, () => {
        const { root } = disk.settings;
        try {
          const { bsize, blocks, bfree, bavail } = fs.statfsSync(fsPath(root), { bigint: true });
          return {
            total: Number(blocks * bsize),
            used: Number((blocks - bfree) * bsize),
            free: Number(bavail * bsize),
          };
        } catch (thrown) {
          throw fsError(thrown, 'statfs', root, { missing: 'directory-not-found' });
        }
      }),
    cleanUp: (maxAgeMs, op) => call(op, () => cleanUp(disk, maxAgeMs, op)),
  };
}

/** The naming of a disk for the engine: by paths below its root, in syncer's names. */
function namingOf(disk: LocalDisk): Naming {
  const { naming } = disk;
  const nativeName = (name: string) => leafName(disk.dirPathOf(name));
  return {
    isSaidToBeExact: disk.settings.caseInsensitive === false,
    ignoresCase: (dir, listed = []) => {
      if (!disk.mayHold(dir)) return false;
      const native = disk.dirPathOf(dir);
      for (let at = 0; at < listed.length; at++) {
        const name = leafName((listed[at] as { readonly path: string }).path);
        if (isSample(name) && !disk.isLink(name) && nativeName(name) === name)
          return naming.ignoresCase(native, name);
      }
      return naming.ignoresCase(native);
    },
    fold: (path) => (disk.mayHold(path) ? naming.fold(disk.dirPathOf(path)) : path),
    areOne: (dir, name, other, mayTry) =>
      disk.mayHold(joinPath(dir, name)) &&
      disk.mayHold(joinPath(dir, other)) &&
      naming.areOne(disk.dirPathOf(dir), nativeName(name), nativeName(other), mayTry),
    otherSpelling: (path) => naming.otherSpelling(disk.pathOf(path)),
    storedPath: (path) => {
      if (!disk.mayHold(path) || disk.isLink(path)) return undefined;
      const found = naming.foundAs(disk.pathOf(path));
      return found ? disk.nameOf(pathBelow(disk.settings.root, found)) : undefined;
    },
  };
}

async function setDirMetadata(
  disk: LocalDisk,
  dir: string,
  metadata: Metadata,
  modTime: ModTime,
  isRestored = false,
): Promise<void> {
  const native = assertDirectory(disk, dir);
  refuseLinkedParent(disk, native);
  const follow = disk.settings.links === 'follow';
  const target = follow ? nameFromBytes(fs.realpathSync.native(fsPath(native), 'buffer')) : native;
  const where = { native: target, target: native, path: dir, isDir: true, isRestored };
  const failure = await writeMetadata(disk, where, metadata, modTime);
  if (failure !== undefined) throw failure;
}

/** The path of a directory on disk. Throws `directory-not-found`. */
function assertDirectory(disk: LocalDisk, dir: string): string {
  const native = disk.pathOf(dir);
  if (disk.look(native)?.isDirectory() === true) return native;
  throw new SyncerError('directory-not-found', `${showPath(native)}: directory not found`);
}

async function setTime(disk: LocalDisk, path: string, modTime: ModTime, meaning?: FsErrorMeaning) {
  const native = disk.pathOf(path);
  refuseLinkedParent(disk, native);
  const setTimes = await disk.setTimes();
  try {
    const target = disk.settings.links === 'follow' ? fs.realpathSync(fsPath(native)) : native;
    setTimes(target, modTime);
    return fs.lstatSync(fsPath(target), { bigint: true });
  } catch (thrown) {
    throw fsError(thrown, 'set the time of', native, meaning);
  }
}
