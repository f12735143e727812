import { hasCode, SyncerError, toSyncerError } from '../../core/errors.ts';
import { mapAtOnce } from '../../core/map-at-once.ts';
import type { FailedEntry, FileEntry, Op, Remote } from '../../core/remote.ts';
import { listDir } from '../../core/remote-calls.ts';
import { whileRenaming } from '../attributes/attributes-of.ts';
import type { RenameRule } from '../mount-ops.ts';
import { deleteLeftover } from '../open/leftovers.ts';
import { type DirNode, entryOf, type FileNode, type Node, pathIn } from '../tree/node.ts';
import { addName, dropName } from '../tree/own-change.ts';
import type { VfsParts } from '../vfs-parts.ts';
import {
  checkNewName,
  holdsAnything,
  nameError,
  removeEmpty,
  requireFits,
  requireWritable,
} from './make-and-remove.ts';
import { copyFile, deleteFile, moveFile } from './move-file.ts';

/** Renames a file or a directory. A file may replace a file, a directory an empty directory. */
export async function rename(vfs: VfsParts, renaming: Renaming, op: Op): Promise<void> {
  const { from, to } = renaming;
  const path = pathIn(from.dir, from.name);
  requireWritable(vfs, path);
  // The locks depend on the kind of the node, which may change while waiting for them.
  for (let isDone = false; !isDone; ) {
    const seen = await vfs.listings.find(from.dir, from.name, op);
    if (seen === undefined) throw nameError('file-not-found', path);
    const held = async (): Promise<boolean> => {
      const node = await vfs.listings.findHeld(from.dir, from.name, op);
      if (node === undefined) throw nameError('file-not-found', path);
      if (node !== seen) return false;
      // A listing may miss it before it has its new name.
      vfs.tree.remember(node.inode);
      try {
        if (node.kind === 'dir') await renameDir(vfs, node, renaming, op);
        else await renameFile(vfs, node, renaming, op);
      } finally {
        vfs.tree.forget(node.inode, 1);
      }
      return true;
    };
    const change = () => vfs.locks.change([from.dir, to.dir], op, held);
    isDone = seen.kind === 'dir' ? await vfs.locks.moveOne(op, change) : await change();
  }
}

/**
 * Renames a directory, exclusively with all below it; open files and pending uploads follow. The caller holds both
 * parents, and moves no other directory.
 */
async function renameDir(
  vfs: VfsParts,
  node: DirNode,
  { from, to, how }: Renaming,
  op: Op,
): Promise<void> {
  const toPath = checkNewName(vfs, to.dir, to.name, 'dir');
  if (isBelow(node, to.dir)) {
    const text = `${toPath}: a directory cannot be moved into itself`;
    throw new SyncerError('name-invalid', text, { path: toPath });
  }
  const target = await vfs.listings.findHeld(to.dir, to.name, op);
  if (target === node && node.name === to.name && from.dir === to.dir) return;
  const replaced = replacedBy(node, target, how, toPath);
  // Its lock would wait for this call, which uses the directories above the source.
  const isAbove = replaced !== undefined && isBelow(replaced, from.dir);
  if (isAbove) throw nameError('not-empty', toPath);
  const fromPath = pathIn(from.dir, node.name);
  for (const { path } of vfs.contents.pendingBelow(fromPath)) {
    requireFits(vfs, toPath + path.slice(fromPath.length));
  }
  const move = async () => {
    await deleteLeftover(vfs, to.dir, to.name, op);
    const letGo = await holdBoth(vfs, fromPath, toPath, op);
    try {
      await from.dir.changes.whileDeleting(() => moveThere(vfs, node, fromPath, toPath, op));
      const rename = () => vfs.contents.dirRenamed(fromPath, toPath);
      await whileRenaming(vfs, node, toPath, rename);
      const { name } = node;
      addName(vfs, to.dir, to.name, node);
      dropName(vfs, from.dir, name);
    } finally {
      letGo();
    }
  };
  try {
    await vfs.locks.alone(node, op, async () => {
      if (replaced === undefined) return move();
      await vfs.locks.alone(replaced, op, async () => {
        await to.dir.changes.whileDeleting(() => removeEmpty(vfs, replaced, op));
        dropName(vfs, to.dir, replaced.name);
      });
      await move();
    });
  } catch (thrown) {
    // The state is unknown: everything is listed again.
    vfs.listings.refresh();
    for (const dir of [from.dir, to.dir, node]) dir.listing.expire();
    throw thrown;
  }
}

/** What a node replaces at a path, of its own kind. Throws if it must not. */
function replacedBy<N extends Node>(
  node: N,
  target: Node | undefined,
  how: Renaming['how'],
  path: string,
): N | undefined {
  if (target === undefined || target === node) return undefined;
  if (how === 'no-replace') throw nameError('already-exists', path);
  if (target.kind === node.kind) return target as N;
  throw nameError(node.kind === 'dir' ? 'not-a-directory' : 'not-a-file', path);
}

/** Moves a directory on the remote: by the server if it can, or else file by file. */
async function moveThere(
  { remote }: VfsParts,
  node: DirNode,
  from: string,
  to: string,
  op: Op,
): Promise<void> {
  try {
    if (await remote.can.moveDirFrom?.(remote, from, to, op)) return;
    // A remote without directories does not report one in the way.
    if (await holdsAnything(remote, to, op)) throw nameError('not-empty', to);
    await moveTree(remote, from, to, op);
  } catch (thrown) {
    // A directory that is only local has nothing to move.
    if (!node.isVirtual || !hasCode(thrown, 'directory-not-found')) throw thrown;
  }
  if (!remote.traits.emptyDirs) node.becameVirtual();
}

function isBelow(node: DirNode, dir: DirNode): boolean {
  for (let at: DirNode | undefined = dir; at !== undefined; at = at.parent) {
    if (at === node) return true;
  }
  return false;
}

/** How many files are copied or deleted in parallel. */
const AT_ONCE = 8;

/**
 * Moves a directory file by file, including files hidden by a filter. Deletes nothing before all is copied; if a copy
 * fails, deletes the copies.
 */
async function moveTree(remote: Remote, from: string, to: string, op: Op): Promise<void> {
  const files: FileEntry[] = [];
  /** Each after its parent. */
  const dirs = [from];
  const failed = ({ error }: FailedEntry) => {
    throw toSyncerError(error);
  };
  for (const dir of dirs) {
    for await (const entries of listDir(remote, dir, op, failed)) {
      for (const entry of entries) {
        if (entry.kind === 'dir') dirs.push(entry.path);
        else files.push(entry);
      }
    }
  }
  const renamed = (path: string) => to + path.slice(from.length);
  const copies: FileEntry[] = [];
  const made: string[] = [];
  try {
    for (const dir of dirs) {
      await remote.makeDir(renamed(dir), op);
      made.push(renamed(dir));
    }
    await mapAtOnce(files, AT_ONCE, async (file) => {
      op.signal.throwIfAborted();
      copies.push(await copyFile(remote, file, renamed(file.path), op));
    });
  } catch (thrown) {
    // Not with the signal of the call, which may have caused the failure.
    await clear(remote, copies, made, { signal: new AbortController().signal }).catch(() => {});
    throw thrown;
  }
  await clear(remote, files, dirs, op);
}

async function clear(
  remote: Remote,
  files: readonly FileEntry[],
  dirs: readonly string[],
  op: Op,
): Promise<void> {
  const { deletesAtOnce } = remote.can;
  if (deletesAtOnce === undefined) {
    await mapAtOnce(files, AT_ONCE, (file) => deleteFile(remote, file, op));
  } else {
    for (let at = 0; at < files.length; at += deletesAtOnce) {
      const failures = await remote.delete(files.slice(at, at + deletesAtOnce), op);
      for (const [file, error] of failures) {
        const text = `${file.path}: was copied, but cannot be deleted: ${error.message}`;
        throw new SyncerError(toSyncerError(error).code, text, { path: file.path, cause: error });
      }
    }
  }
  if (!remote.traits.emptyDirs) return;
  for (const dir of dirs.toReversed()) await remote.deleteDir(dir, op);
}

/**
 * Renames a file; open files and pending uploads follow. The caller holds both directories. Readers of a replaced
 * file keep it, as far as it is cached.
 *
 * The remote has an older version of a pending file, if any. That one is deleted and never moved: under the new name
 * it would replace the target. Until the journal has the new name, a crash leaves both files as they were.
 */
async function renameFile(
  vfs: VfsParts,
  node: FileNode,
  { from, to, how }: Renaming,
  op: Op,
): Promise<void> {
  const { contents, remote } = vfs;
  const toPath = checkNewName(vfs, to.dir, to.name, 'file');
  const target = await vfs.listings.findHeld(to.dir, to.name, op);
  if (target === node && node.name === to.name && from.dir === to.dir) return;
  // On a remote that ignores case, the replaced name may be spelt differently.
  const replaced = replacedBy(node, target, how, toPath);
  const fromPath = pathIn(from.dir, node.name);
  const letGo = await holdBoth(vfs, fromPath, toPath, op);
  try {
    const entry = entryOf(node, fromPath);
    const isHere = await contents.bringHere(fromPath, op);
    const change = async () => {
      if (entry === undefined) return undefined;
      if (!isHere) return moveFile(remote, entry, toPath, op);
      await deleteFile(remote, entry, op);
      return undefined;
    };
    const moved = entry && (await from.dir.changes.whileDeleting(change));
    const there = replaced?.entry ?? to.dir.changes.leftover(to.name);
    const onRemote = moved === undefined ? { entry: there } : 'moved';
    await whileRenaming(vfs, node, toPath, () => contents.renamed(fromPath, toPath, onRemote));
    to.dir.changes.forgetLeftover(to.name);
    node.foundAs(moved ?? there);
    const fromName = node.name;
    if (replaced !== undefined) vfs.tree.detach(replaced);
    addName(vfs, to.dir, to.name, node);
    dropName(vfs, from.dir, fromName);
  } catch (thrown) {
    from.dir.listing.expire();
    to.dir.listing.expire();
    throw thrown;
  } finally {
    letGo();
  }
}

/** Holds the uploads at two paths. */
async function holdBoth(
  { contents }: VfsParts,
  from: string,
  to: string,
  op: Op,
): Promise<() => void> {
  const letGo = await contents.hold(from, op);
  try {
    const letGoToo = await contents.hold(to, op);
    return () => {
      letGoToo();
      letGo();
    };
  } catch (thrown) {
    letGo();
    throw thrown;
  }
}

/** A rename: from where, to where, and whether it may replace. */
interface Renaming extends Readonly<Record<'from' | 'to', { dir: DirNode; name: string }>> {
  readonly how: RenameRule;
}
