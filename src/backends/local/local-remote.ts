import type { Context } from '../../core/context.ts';
import { deleteOneByOne } from '../../core/deleting.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { Entry, FileEntry, Op, Remote } from '../../core/remote.ts';
import { LINK_SUFFIX } from '../../core/stored-link.ts';
import type { Traits } from '../../core/traits.ts';
import type { UploadRecordsAccess } from '../../core/upload-records.ts';
import type { OpenParams } from '../backend.ts';
import { deleteDir, unlink } from './delete-dir.ts';
import { DirectoryLister } from './directory-lister.ts';
import { fsError } from './fs-error.ts';
import { localCapabilities } from './local-capabilities.ts';
import { LocalDisk } from './local-disk.ts';
import {
  checkUnchanged,
  entryOf,
  linkEntry,
  refuseLinkedDir,
  refuseLinkedParent,
  refuseOtherKind,
  unlistedAt,
} from './local-entry.ts';
import { type LocalSettings, localSettings } from './local-settings.ts';
import { makeDirs } from './partial-file.ts';
import { readFile } from './read-file.ts';
import { timePrecision } from './set-times.ts';
import { writeFile } from './write-file.ts';

/** A remote on this machine's disks. */
export function localRemote(
  settings: LocalSettings,
  context: Context,
  downloads?: UploadRecordsAccess,
): Remote {
  const disk = new LocalDisk(settings, context, downloads);
  const lister = new DirectoryLister(disk);
  const usageLister = new DirectoryLister(disk, true);
  const traits = traitsOf(disk);
  /** Every call: ends early when aborted, waits for its turn, rejects with `SyncerError` only. */
  const call = async <T>(op: Op, work: () => T | Promise<T>): Promise<T> => {
    for (let turn = disk.turns.take(); turn !== undefined; turn = disk.turns.take()) await turn;
    op.signal.throwIfAborted();
    try {
      const result = work();
      return result instanceof Promise ? await result : result;
    } catch (thrown) {
      op.signal.throwIfAborted();
      throw settings.isFullFatal ? fatalIfFull(thrown) : toSyncerError(thrown);
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
      unlistedAt: (path, op) => call(op, () => unlistedAt(disk, path)),
    },
    listPage: (dir, cursor, op) => call(op, () => lister.listPage(dir, cursor, op)),
    stat: (path, op) => call(op, () => stat(disk, path)),
    read: (file, range, op) => call(op, () => readFile(disk, file, range)),
    write: (source, op) => call(op, () => writeFile(disk, source, op)),
    delete: (files, op, { ifUnchanged = false } = {}) =>
      deleteOneByOne(files, op, (file) =>
        call(op, () => (ifUnchanged ? deleteUnchanged(disk, file) : deleteFile(disk, file.path))),
      ),
    makeDir: (dir, op) => call(op, () => makeDir(disk, disk.dirPathOf(dir))),
    deleteDir: (dir, op) => call(op, () => deleteDir(disk, disk.dirPathOf(dir))),
    close: async () => undefined,
  };
}

/** A full disk is `fatal`; other errors stay. */
function fatalIfFull(thrown: unknown): SyncerError {
  const error = toSyncerError(thrown);
  return error.code === 'no-space' ? new SyncerError('fatal', error.message, error) : error;
}

async function stat(disk: LocalDisk, path: string): Promise<Entry | undefined> {
  const native = disk.findPath(path);
  if (native === undefined) return undefined;
  if (disk.isLink(path)) return linkEntry(disk, path) ?? (await suffixedDir(disk, path));
  const stats = await lookAt(disk, native);
  return stats && entryOf(path, stats, disk.settings.timeType);
}

async function suffixedDir(disk: LocalDisk, dir: string): Promise<Entry | undefined> {
  const stats = await lookAt(disk, disk.dirPathOf(dir));
  return stats?.isDirectory() ? entryOf(dir, stats, disk.settings.timeType) : undefined;
}

type Look = ReturnType<LocalDisk['look']>;

/** What is at a path: no promise, unless the disk is slow. */
function lookAt(disk: LocalDisk, native: string): Look | Promise<Look> {
  const failed = (thrown: unknown): never => {
    throw fsError(thrown, 'lstat', native);
  };
  try {
    return disk.pace.run(
      1,
      () => disk.look(native),
      () => disk.lookInThread(native).catch(failed),
    );
  } catch (thrown) {
    return failed(thrown);
  }
}

/**
 * On a disk that is not slow nothing else runs, and nothing else is looked at, between the look and the deletion: a
 * change there would be lost.
 */
async function deleteUnchanged(disk: LocalDisk, file: FileEntry): Promise<void> {
  const native = pathToDelete(disk, file.path);
  const looked = lookAt(disk, native);
  const stats = looked instanceof Promise ? await looked : looked;
  // Its deletion reports a missing file.
  if (stats !== undefined) checkUnchanged(disk, file, stats, 'delete');
  await deleteAt(disk, native);
}

async function deleteFile(disk: LocalDisk, path: string): Promise<void> {
  await deleteAt(disk, pathToDelete(disk, path));
}

/** The native path of a file that may be deleted as far as links are concerned. Throws otherwise. */
function pathToDelete(disk: LocalDisk, path: string): string {
  const native = disk.pathOf(path);
  disk.sweeper.changing();
  refuseLinkedParent(disk, native);
  refuseOtherKind(disk, path, native);
  return native;
}

async function deleteAt(disk: LocalDisk, native: string): Promise<void> {
  try {
    await unlink(disk, native);
  } catch (thrown) {
    throw fsError(thrown, 'remove', native);
  }
}

function makeDir(disk: LocalDisk, native: string): void {
  refuseLinkedDir(disk, native);
  makeDirs(native);
}

function traitsOf({ settings, naming }: LocalDisk): Traits {
  return {
    hashes: settings.hashes,
    slowHash: true,
    modTimePrecision: settings.setModTime ? timePrecision() : undefined,
    slowModTime: false,
    get caseInsensitive() {
      return naming.ignoresCase(settings.root) === true;
    },
    emptyDirs: true,
    sortedPages: true,
    bucketBased: false,
    onDisk: true,
    ...(settings.links === 'translate' ? { linkSuffix: LINK_SUFFIX } : {}),
  };
}

/** Opens a local path. Rejects with `config` for invalid options; does not access the disk. */
export async function open(params: OpenParams): Promise<Remote> {
  return localRemote(localSettings(params), params.context, params.downloads);
}
