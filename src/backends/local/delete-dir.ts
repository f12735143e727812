import fs from 'node:fs';
import { SyncerError } from '../../core/errors.ts';
import { nameFromBytes } from '../../core/name-bytes.ts';
import type { Op } from '../../core/remote.ts';
import { otherFileSystem } from '../../core/remote-calls.ts';
import { joinPath, leafName } from '../../core/remote-path.ts';
import { isPartialName, isStale } from '../../names/partial-name.ts';
import { fsPath, joinNative } from '../../system/fs-path.ts';
import { fsError, isFsError, showPath } from './fs-error.ts';
import type { LocalDisk } from './local-disk.ts';
import { lstat, refuseLinkedParent } from './local-entry.ts';
import { pathBelow } from './local-place.ts';
import { discard, namesIn } from './partial-file.ts';

/** Deletes an empty directory; if links are followed, also a link to one, which itself stays, as in rclone. */
export function deleteDir(disk: LocalDisk, native: string): void {
  disk.sweeper.changing();
  refuseLinkedParent(disk, native);
  disk.unlinkedDirs.clear();
  const path = fsPath(native);
  const isLink = () => fs.lstatSync(path).isSymbolicLink() && fs.statSync(path).isDirectory();
  const isEmpty = () => fs.readdirSync(path).length === 0;
  try {
    if (disk.settings.links !== 'follow' || !isLink()) fs.rmdirSync(path);
    else if (isEmpty() || (deleteStalePartials(native) && isEmpty())) fs.unlinkSync(path);
    else {
      const text = `remove ${showPath(native)}: the directory it links to is not empty`;
      throw new SyncerError('not-empty', text, { path: native });
    }
  } catch (thrown) {
    if (!isFsError(thrown, 'ENOTEMPTY') || !deleteStalePartials(native)) {
      throw fsError(thrown, 'remove', native, { missing: 'directory-not-found' });
    }
    deleteDir(disk, native);
  }
}

/**
 * See `Capabilities.purge`, `onDeleted`, `onNotDeleted`. Never follows a link; another file system is an error with
 * `--one-file-system`. With `isKept` it ends at the first error or such a file.
 */
export async function purge(
  disk: LocalDisk,
  dir: string,
  op: Op,
  isKept?: (path: string) => boolean,
): Promise<void> {
  const native = disk.dirPathOf(dir);
  refuseLinkedParent(disk, native);
  disk.unlinkedDirs.clear();
  const pathOf = (file: string) => disk.nameOf(pathBelow(disk.settings.root, file));
  const tell = (file: string, code: 'deleted' | 'removing-dir') =>
    disk.context.emit({ type: 'log', level: 'info', path: pathOf(file), code, fields: {} });
  const { onDeleted, onDirDeleted, onNotDeleted } = op.change ?? {};
  const gone: { path: string; size: number }[] = [];
  const reportGone = () => {
    if (gone.length > 0) onDeleted?.(gone.splice(0));
  };
  const fileDeleted = (file: string, stats: fs.Stats) => {
    const isContent = stats.isFile() || stats.isSymbolicLink();
    if (!isContent || onDeleted === undefined) tell(file, 'deleted');
    else if (gone.push({ path: pathOf(file), size: stats.size }) === 64) reportGone();
  };
  const purgeError = (thrown: unknown, path: string) =>
    fsError(thrown, 'purge', path, { missing: 'directory-not-found' });
  let first: SyncerError | undefined;
  const failed = (thrown: unknown, path: string) => {
    const error = purgeError(thrown, path);
    if (isKept !== undefined || path === native) throw error;
    first ??= error;
    onNotDeleted?.(pathOf(path), error);
  };
  try {
    if (!fs.lstatSync(fsPath(native)).isDirectory()) {
      const message = `can't purge non directory: ${showPath(native)}`;
      throw new SyncerError('not-a-directory', message, { path: native });
    }
    const isEmpty = await walkNative(disk, native, op, {
      failed,
      foreign: (path) => failed(otherFileSystem(`purge ${showPath(path)}`, path), path),
      file: (path) => {
        if (isKept?.(path) === true) {
          const text = `remove ${showPath(native)}: it contains ${showPath(path)}`;
          throw new SyncerError('not-empty', text, { path });
        }
        const deleted = unlinkKnown(disk, path);
        if (!(deleted instanceof Promise)) return fileDeleted(path, deleted);
        return deleted.then((stats) => fileDeleted(path, stats));
      },
      leaveDir: (path) => {
        fs.rmdirSync(fsPath(path));
        reportGone();
        if (onDirDeleted === undefined) tell(path, 'removing-dir');
        else onDirDeleted(pathOf(path));
      },
    });
    if (isEmpty) fs.rmdirSync(fsPath(native));
  } catch (thrown) {
    op.signal.throwIfAborted();
    throw purgeError(thrown, native);
  } finally {
    reportGone();
  }
  if (first === undefined) return;
  if (onNotDeleted === undefined) throw first;
  const text = `remove ${showPath(native)}: some of its files could not be deleted`;
  throw new SyncerError('not-empty', text, { path: native });
}

/** Unlinks a path, on a slow disk by another thread: then a promise. Throws or rejects as `fs` does. */
export function unlink({ pace }: LocalDisk, native: string): Promise<void> | undefined {
  const path = fsPath(native);
  return pace.run<void>(
    1,
    () => fs.unlinkSync(path),
    () => fs.promises.unlink(path),
  ) as Promise<void> | undefined;
}

/** As `unlink`, with what was there. */
function unlinkKnown({ pace }: LocalDisk, native: string): fs.Stats | Promise<fs.Stats> {
  const path = fsPath(native);
  return pace.run(
    2,
    () => {
      const stats = fs.lstatSync(path);
      fs.unlinkSync(path);
      return stats;
    },
    async () => {
      const stats = await fs.promises.lstat(path);
      await fs.promises.unlink(path);
      return stats;
    },
  );
}

/** Whether listings show what is at a path, if that is no directory. */
export function isListed({ settings: { links } }: LocalDisk, path: string): boolean {
  const native = fsPath(path);
  const stats =
    links === 'follow' ? fs.statSync(native, { throwIfNoEntry: false }) : fs.lstatSync(native);
  if (stats?.isSymbolicLink() === true) return links === 'translate';
  return stats?.isFile() === true && !(isPartialName(leafName(path)) && isStale(path));
}

/**
 * Walks everything below a directory, in no order, never through a symbolic link nor into another file system if
 * `--one-file-system` excludes it; the visitor gets absolute paths. Returns whether nothing failed and nothing was left
 * out. Throws as `fs` does, if the visitor takes no errors.
 */
async function walkNative(
  disk: LocalDisk,
  dir: string,
  op: Op,
  visitor: {
    /** For everything but directories, symbolic links included; what it returns is waited for before their directory is left. */
    readonly file: (path: string) => Promise<void> | void;
    /** For a directory after its content; not for the start of the walk. */
    readonly leaveDir?: (path: string) => void;
    /** Takes each directory of another file system, which is not entered. */
    readonly foreign?: (path: string) => void;
    /** Takes errors with their paths, after which the walk goes on unless it throws; absent: the first one ends it. */
    readonly failed?: (thrown: unknown, path: string) => void;
  },
): Promise<boolean> {
  const { turns } = disk;
  if (isForeignDir(disk, dir)) {
    visitor.foreign?.(dir);
    return false;
  }
  let isWhole = true;
  const failed = (thrown: unknown, path: string) => {
    isWhole = false;
    if (visitor.failed === undefined || op.signal.aborted) throw thrown;
    visitor.failed(thrown, path);
  };
  const visits: Promise<void>[] = [];
  const settle = async () => {
    const results = await Promise.allSettled(visits.splice(0));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  };
  try {
    await turns.take();
    op.signal.throwIfAborted();
    const dirents = fs.readdirSync(fsPath(dir), { withFileTypes: true, encoding: 'buffer' });
    for (const dirent of dirents) {
      const path = joinNative(dir, nameFromBytes(dirent.name));
      try {
        if (dirent.isDirectory()) {
          if (await walkNative(disk, path, op, visitor)) visitor.leaveDir?.(path);
          else isWhole = false;
        } else {
          await turns.take();
          op.signal.throwIfAborted();
          const visit = visitor.file(path)?.catch((thrown) => failed(thrown, path));
          if (visit === undefined) continue;
          // It may fail before it is waited for.
          visit.catch(() => undefined);
          visits.push(visit);
        }
      } catch (thrown) {
        failed(thrown, path);
      }
      // The most that are visited at the same time, if visitors wait.
      if (visits.length === 64) await settle();
    }
    await settle();
  } catch (thrown) {
    failed(thrown, dir);
  } finally {
    await Promise.allSettled(visits);
  }
  return isWhole;
}

function isForeignDir(disk: LocalDisk, native: string): boolean {
  if (!disk.settings.oneFileSystem || native === disk.settings.root) return false;
  return disk.isForeign(fs.lstatSync(fsPath(native), { bigint: true }));
}

/** See `Capabilities.foreignIn`. */
export function foreignIn(disk: LocalDisk, dir: string): string[] {
  const native = disk.dirPathOf(dir);
  try {
    return namesIn(native)
      .filter((name) => {
        const stats = lstat(joinNative(native, name));
        return stats?.isDirectory() === true && disk.isForeign(stats);
      })
      .map((name) => joinPath(dir, disk.nameOf(name)));
  } catch (thrown) {
    throw fsError(thrown, 'readdirent', native, { missing: 'directory-not-found' });
  }
}

/** Throws `not-empty` if a directory is another file system, or one is below it, that `--one-file-system` leaves alone. */
export async function refuseForeign(
  disk: LocalDisk,
  native: string,
  action: string,
  op: Op,
): Promise<void> {
  if (!disk.settings.oneFileSystem) return;
  await walkNative(disk, native, op, {
    foreign: (path) => {
      throw otherFileSystem(`${action} ${showPath(path)}`, path);
    },
    file: () => {},
    // What cannot be read cannot be moved file by file either.
    failed: (thrown) => {
      if (thrown instanceof SyncerError) throw thrown;
    },
  });
}

/** Whether a directory had only leftover temporary files, which it deletes. What cannot be examined is content. */
function deleteStalePartials(dir: string): boolean {
  let names: readonly string[];
  try {
    names = namesIn(dir);
  } catch (thrown) {
    if (isFsError(thrown, 'EACCES', 'EPERM')) return false;
    throw thrown;
  }
  const paths = names.map((name) => joinNative(dir, name));
  if (names.length === 0 || !names.every(isPartialName)) return false;
  if (!paths.every((path) => isStale(path))) return false;
  for (const path of paths) discard(path);
  return true;
}

/** Deletes temporary files of ended processes, and those of other machines that are older than `maxAgeMs`. */
export async function cleanUp(disk: LocalDisk, maxAgeMs: number, op: Op): Promise<void> {
  const { root } = disk.settings;
  try {
    await walkNative(disk, root, op, {
      file: (path) => {
        if (isPartialName(leafName(path)) && isStale(path, maxAgeMs)) discard(path);
      },
    });
  } catch (thrown) {
    throw fsError(thrown, 'clean up', root, { missing: 'directory-not-found' });
  }
}
