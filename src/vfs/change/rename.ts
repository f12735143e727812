import { hasCode, SyncerError } from '../../core/errors.ts';
import type { Op } from '../../core/remote.ts';
import { whileRenaming } from '../attributes/attributes-of.ts';
import { deleteLeftover } from '../open/leftovers.ts';
import { type DirNode, type Node, pathIn } from '../tree/node.ts';
import { addName, distrust, dropName, leftName, removing } from '../tree/own-change.ts';
import type { VfsParts } from '../vfs-parts.ts';
import { checkNewName, requireFits, requireWritable } from './check-name.ts';
import { holdsAnything, notEmpty, removeEmpty } from './make-and-remove-dir.ts';
import { moveTree } from './move-tree.ts';
import { holdBoth, type Renaming, renameFile } from './rename-file.ts';

/** Renames a file or a directory. A file may replace a file, a directory an empty directory. */
export async function rename(vfs: VfsParts, renaming: Renaming, op: Op): Promise<void> {
  const { from, to } = renaming;
  const path = pathIn(from.dir, from.name);
  requireWritable(vfs, path);
  // The locks depend on the kind of the node, which may change while waiting for them.
  for (let isDone = false; !isDone; ) {
    const seen = await vfs.listings.find(from.dir, from.name, op);
    if (seen === undefined) throw missing(path);
    const held = async (): Promise<boolean> => {
      const node = await vfs.listings.findHeld(from.dir, from.name, op);
      if (node === undefined) throw missing(path);
      if (node !== seen) return false;
      if (node.kind === 'dir') await renameDir(vfs, node, renaming, op);
      else await renameFile(vfs, node, renaming, op);
      return true;
    };
    const change = () => vfs.locks.change([from.dir, to.dir], op, held);
    isDone = seen.kind === 'dir' ? await vfs.locks.moveOne(op, change) : await change();
  }
}

function missing(path: string): SyncerError {
  return new SyncerError('file-not-found', `${path}: not found`, { path });
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
  const replaced = asReplaceable(target === node ? undefined : target, how, toPath);
  const fromPath = pathIn(from.dir, node.name);
  for (const { path } of vfs.contents.pendingBelow(fromPath)) {
    requireFits(vfs, toPath + path.slice(fromPath.length));
  }
  const move = async () => {
    await deleteLeftover(vfs, to.dir, to.name, op);
    const letGo = await holdBoth(vfs, fromPath, toPath, op);
    try {
      await removing(from.dir, () => moveThere(vfs, node, fromPath, toPath, op));
      const rename = () => vfs.contents.dirRenamed(fromPath, toPath);
      await whileRenaming(vfs, node, toPath, rename);
      const { name } = node;
      addName(vfs, to.dir, to.name, node);
      leftName(vfs, from.dir, name);
    } finally {
      letGo();
    }
  };
  try {
    await vfs.locks.alone(node, op, async () => {
      if (replaced === undefined) return move();
      await vfs.locks.alone(replaced, op, async () => {
        await removing(to.dir, () => removeEmpty(vfs, replaced, op));
        dropName(vfs, to.dir, replaced.name, replaced);
      });
      await move();
    });
  } catch (thrown) {
    // The state is unknown: everything is listed again.
    vfs.listings.refresh();
    for (const dir of [from.dir, to.dir, node]) distrust(dir);
    throw thrown;
  }
}

function asReplaceable(
  target: Node | undefined,
  how: Renaming['how'],
  path: string,
): DirNode | undefined {
  if (target === undefined) return undefined;
  if (how === 'no-replace') {
    throw new SyncerError('already-exists', `${path}: exists already`, { path });
  }
  if (target.kind === 'dir') return target;
  throw new SyncerError('not-a-directory', `${path}: is a file`, { path });
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
    if (await holdsAnything(remote, to, op)) throw notEmpty(to);
    await moveTree(remote, from, to, op);
  } catch (thrown) {
    // A directory that is only local has nothing to move.
    if (!node.isVirtual || !hasCode(thrown, 'directory-not-found')) throw thrown;
  }
  if (!remote.traits.emptyDirs) node.isVirtual = true;
}

function isBelow(node: DirNode, dir: DirNode): boolean {
  for (let at: DirNode | undefined = dir; at !== undefined; at = at.parent) {
    if (at === node) return true;
  }
  return false;
}
