import fs from 'node:fs';
import { copiedMetadata, type KeepMetadata, modTimeIn } from '../../core/entry-details.ts';
import { SyncerError } from '../../core/errors.ts';
import type { FileEntry, Op } from '../../core/remote.ts';
import { fsPath } from '../../system/fs-path.ts';
import { commitPartial, refuseDirectory } from './commit-partial.ts';
import { cloned, copyContent, copyContentNow } from './copy-content.ts';
import { fsError, isFsError, showPath } from './fs-error.ts';
import type { LocalDisk } from './local-disk.ts';
import {
  checkUnchanged,
  hasLearnedSize,
  longerThanSize,
  parentOf,
  sizeToTake,
  targetOf,
} from './local-entry.ts';
import { readMetadata } from './metadata.ts';
import { discard, firstMode, giveMode, giveTo, makeDirs } from './partial-file.ts';
import { openForReading } from './read-file.ts';
import { isCString, isQuickTarget, quickly } from './small-copies.ts';

/** Up to this size a copy is made synchronously, in bytes. */
const SMALL = 1024 * 1024;

/** See `Capabilities.copyFrom`; `undefined` for translated links, and for content although the size is 0. */
export async function copyFile(
  from: LocalDisk,
  file: FileEntry,
  to: LocalDisk,
  path: string,
  op: Op,
  keep?: KeepMetadata,
): Promise<FileEntry | undefined> {
  if (from.isLink(file.path) || to.isLink(path)) return undefined;
  const { size, modTime } = file;
  const { checkUpdated, timeType } = from.settings;
  if (keep === undefined && modTime !== undefined && checkUpdated && timeType === 'mtime') {
    const source = from.pathOf(file.path);
    if (isCString(source) && isQuickTarget(to, size, op)) {
      const target = targetOf(to, path);
      const copy = { source, target, size, modTime };
      // A file that is there counts, also if the run was stopped since.
      if (await quickly(to, copy, op, from.pace.isSlow))
        return to.keptTimes.written(path, target, size, modTime);
    }
    op.signal.throwIfAborted();
  }
  return copyAlone(from, file, to, path, op, keep);
}

async function copyAlone(
  from: LocalDisk,
  file: FileEntry,
  to: LocalDisk,
  path: string,
  op: Op,
  keep?: KeepMetadata,
): Promise<FileEntry | undefined> {
  const source = from.pathOf(file.path);
  const before = statSource(source);
  if (hasLearnedSize(from, file, before)) return undefined;
  checkUnchanged(from, file, before);
  const target = targetOf(to, path);
  // The user has not asked for the metadata of a file that goes into the trash or comes back.
  const quietly = keep?.mayFail === true || from === to;
  const metadata =
    keep && (await copiedMetadata(file, keep, await readMetadata(from, source, quietly)));
  // If a directory has the name of a small file, the final rename reports it.
  if (before.size > SMALL) refuseDirectory(to, target);
  const partial = { path: to.newPartial(target), target };
  try {
    const mode = firstMode(target, keep !== undefined, op);
    const isClone = await copyWithParents(source, partial.path, mode, before.size, op);
    op.signal.throwIfAborted();
    const copied = fs.lstatSync(fsPath(partial.path), { bigint: true });
    if (before.size === 0n && copied.size > 0n) {
      discard(partial.path);
      return undefined;
    }
    const after = statSource(source);
    checkUnchanged(from, file, after);
    const isLonger = copied.size > before.size && after.size <= before.size;
    if (isLonger) throw longerThanSize(source, Number(before.size));
    const size = sizeToTake(from, file, Number(copied.size));
    if (size < Number(copied.size)) fs.truncateSync(fsPath(partial.path), size);
    const wanted = from.settings.checkUpdated || file.size < 0 ? Number(before.size) : file.size;
    if (size !== wanted) {
      const text = `corrupted on transfer: sizes differ ${wanted} vs ${size}`;
      throw new SyncerError('corrupted', text, { path });
    }
    if (isClone && metadata === undefined) {
      // It has the permissions of its source and, if Node may set it, its owner: it should be like any new file of its
      // directory, which may have a default ACL or pass its group on.
      const { mode: given, uid, gid } = givenNew(to, target, mode);
      if (given !== Number(copied.mode)) giveMode(partial.path, given & 0o7777);
      if (uid !== Number(copied.uid) || gid !== Number(copied.gid))
        giveTo(partial.path, { uid, gid });
    }
    const modTime =
      (keep && modTimeIn(keep.map === undefined ? keep.set : (metadata ?? {}))) ??
      file.modTime ??
      before.mtimeNs;
    const written = {
      path,
      modTime,
      ...(metadata === undefined ? {} : { metadata }),
      ...(keep?.mayFail === true ? { metadataMayFail: true as const } : {}),
    };
    return await commitPartial(to, partial, written, {}, op, size);
  } catch (thrown) {
    discard(partial.path);
    op.signal.throwIfAborted();
    // A descriptor has no path: its error only has the call.
    throw (thrown as NodeJS.ErrnoException | undefined)?.syscall === 'read'
      ? fsError(thrown, 'read', source)
      : fsError(thrown, 'copy to', target);
  }
}

/** What a new file beside `target` is given, of this mode before the umask. */
function givenNew(to: LocalDisk, target: string, mode: number): fs.Stats {
  const key = `${mode} ${parentOf(target)}`;
  if (to.lastGiven?.key === key) return to.lastGiven.stats;
  const native = to.newPartial(target);
  const fd = fs.openSync(fsPath(native), 'wx', mode);
  try {
    const stats = fs.fstatSync(fd);
    to.lastGiven = { key, stats };
    return stats;
  } finally {
    fs.closeSync(fd);
    discard(native);
  }
}

function statSource(source: string): fs.BigIntStats {
  try {
    const stats = fs.statSync(fsPath(source), { bigint: true });
    if (stats.isFile()) return stats;
  } catch (thrown) {
    throw fsError(thrown, 'open', source);
  }
  throw new SyncerError('not-a-file', `open ${showPath(source)}: is not a file`, { path: source });
}

/** Whether the copy shares blocks. */
async function copyWithParents(source: string, path: string, mode: number, size: bigint, op: Op) {
  const copy = async () => {
    if (await cloned(source, path)) return true;
    if (size > SMALL) await copyContent(source, path, mode, op);
    else copyContentNow(source, path, mode);
    return false;
  };
  try {
    return await copy();
  } catch (thrown) {
    if (isFsError(thrown, 'ENOENT')) {
      makeDirs(parentOf(path));
      return copy();
    }
    // If the source cannot be read, the message must name it.
    if (isFsError(thrown, 'EACCES', 'EPERM')) fs.closeSync(openForReading(source));
    throw thrown;
  }
}
