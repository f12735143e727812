import { absentIf, hasCode } from '../../core/errors.ts';
import type { Op, Remote } from '../../core/remote.ts';
import { listDir } from '../../core/remote-calls.ts';
import { deleteLeftover, type Leftovers } from '../open/leftovers.ts';
import { type DirNode, entryOf, isOpen, pathIn, pathOf } from '../tree/node.ts';
import { addName, distrust, dropName, removing } from '../tree/own-change.ts';
import type { VfsParts } from '../vfs-parts.ts';
import { checkNewName, nameError, requireWritable } from './check-name.ts';
import { deleteFile } from './move-file.ts';

/** Deletes an empty directory. Rejects with `not-empty`, also if only hidden files are left. */
export async function removeDir(vfs: VfsParts, dir: DirNode, name: string, op: Op): Promise<void> {
  const path = pathIn(dir, name);
  requireWritable(vfs, path);
  const node = await vfs.listings.find(dir, name, op);
  if (node?.kind !== 'dir') throw nameError(node ? 'not-a-directory' : 'file-not-found', path);
  await vfs.locks.change([dir, node], op, async () => {
    const isSame = (await vfs.listings.findHeld(dir, name, op)) === node;
    if (!isSame) throw nameError('file-not-found', path);
    try {
      await removing(dir, () => removeEmpty(vfs, node, op));
    } catch (thrown) {
      distrust(node);
      distrust(dir);
      throw thrown;
    }
    dropName(vfs, dir, node.name);
  });
}

/** Deletes a directory from the remote if it is empty there and no upload to it is pending. */
export async function removeEmpty(vfs: VfsParts, node: DirNode, op: Op): Promise<void> {
  const { remote, contents } = vfs;
  const path = pathOf(node);
  for (const child of node.children?.values() ?? []) {
    if (child.kind === 'dir' ? child.isVirtual : child.isDirty) throw nameError('not-empty', path);
  }
  for (const _ of contents.pendingBelow(path)) throw nameError('not-empty', path);
  for (const name of [...(node.leftovers?.keys() ?? [])]) await deleteLeftover(vfs, node, name, op);
  // Remotes with directories check it themselves, atomically with the deletion.
  const isFull = !remote.traits.emptyDirs && (await holdsAnything(remote, path, op));
  if (isFull) throw nameError('not-empty', path);
  await remote.deleteDir(path, op).catch(absentIf('directory-not-found'));
}

/** Whether the remote has anything in a directory, including entries that could not be read. */
export async function holdsAnything(remote: Remote, path: string, op: Op): Promise<boolean> {
  let failed = 0;
  try {
    for await (const entries of listDir(remote, path, op, () => failed++)) {
      if (entries.length + failed > 0) return true;
    }
    return false;
  } catch (thrown) {
    if (hasCode(thrown, 'directory-not-found')) return false;
    throw thrown;
  }
}

/**
 * Creates a directory. On a remote without empty directories it exists only on the mount until it has a file. It is
 * known to be empty and need not be listed.
 */
export async function makeDir(vfs: VfsParts, dir: DirNode, name: string, op: Op): Promise<DirNode> {
  return vfs.locks.change([dir], op, async () => {
    const path = checkNewName(vfs, dir, name, 'dir');
    const known = await vfs.listings.findHeld(dir, name, op);
    if (known !== undefined) throw nameError('already-exists', path);
    try {
      await deleteLeftover(vfs, dir, name, op);
      await vfs.remote.makeDir(path, op);
    } catch (thrown) {
      distrust(dir);
      throw thrown;
    }
    // A lookup may have found it before the response, and others may use it since.
    const found = dir.children?.get(name);
    const node = found?.kind === 'dir' ? found : vfs.tree.newDir(dir, name, undefined);
    node.isVirtual = !vfs.remote.traits.emptyDirs;
    addName(vfs, dir, name, node);
    node.modTime = dir.modTime;
    if (node !== found) {
      node.children = new Map();
      vfs.listings.knowEmpty(node);
    }
    return node;
  });
}

/** Deletes a file. If it is open, its readers keep it, and the remote deletes it when it is closed. */
export async function unlink(
  vfs: VfsParts,
  leftovers: Leftovers,
  dir: DirNode,
  name: string,
  op: Op,
): Promise<void> {
  await vfs.locks.change([dir], op, async () => {
    requireWritable(vfs, pathIn(dir, name));
    const node = await vfs.listings.findHeld(dir, name, op);
    const path = pathIn(dir, node?.name ?? name);
    if (node?.kind !== 'file') throw nameError(node ? 'not-a-file' : 'file-not-found', path);
    const letGo = await vfs.contents.hold(path, op);
    try {
      const entry = entryOf(node, path);
      const isLeft = isOpen(node);
      if (entry !== undefined && !isLeft) {
        await removing(dir, () => deleteFile(vfs.remote, entry, op));
      }
      await vfs.contents.removed(path);
      if (entry !== undefined && isLeft) leftovers.keep(node, dir, node.name, entry);
      dropName(vfs, dir, node.name);
    } catch (thrown) {
      distrust(dir);
      throw thrown;
    } finally {
      letGo();
    }
  });
}
