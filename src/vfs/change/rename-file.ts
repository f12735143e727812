import { SyncerError } from '../../core/errors.ts';
import type { Op } from '../../core/remote.ts';
import { whileRenaming } from '../attributes/attributes-of.ts';
import type { RenameRule } from '../mount-ops.ts';
import { forgetLeftover } from '../open/leftovers.ts';
import { type DirNode, entryOf, type FileNode, pathIn } from '../tree/node.ts';
import { addName, distrust, leftName, removing } from '../tree/own-change.ts';
import type { VfsParts } from '../vfs-parts.ts';
import { checkNewName } from './check-name.ts';
import { deleteFile, moveFile } from './move-file.ts';

/**
 * Renames a file; open files and pending uploads follow. The caller holds both directories. Readers of a replaced
 * file keep it, as far as it is cached.
 *
 * The remote has an older version of a pending file, if any. That one is deleted and never moved: under the new name
 * it would replace the target. Until the journal has the new name, a crash leaves both files as they were.
 */
export async function renameFile(
  vfs: VfsParts,
  node: FileNode,
  { from, to, how }: Renaming,
  op: Op,
): Promise<void> {
  const { contents, remote } = vfs;
  const toPath = checkNewName(vfs, to.dir, to.name, 'file');
  const target = await vfs.listings.findHeld(to.dir, to.name, op);
  if (target === node && node.name === to.name && from.dir === to.dir) return;
  refuse(target === node ? undefined : target?.kind, how, toPath);
  const fromPath = pathIn(from.dir, node.name);
  // On a remote that ignores case, the replaced name may be spelt differently.
  const replaced = target?.kind === 'file' && target !== node ? target : undefined;
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
    const moved = entry && (await removing(from.dir, change));
    const there = replaced?.entry ?? to.dir.leftovers?.get(to.name);
    const onRemote = moved === undefined ? { entry: there } : 'moved';
    await whileRenaming(vfs, node, toPath, () => contents.renamed(fromPath, toPath, onRemote));
    forgetLeftover(to.dir, to.name);
    node.entry = moved ?? there;
    const { dir: fromDir } = from;
    const fromName = node.name;
    if (replaced !== undefined) vfs.tree.detach(replaced);
    addName(vfs, to.dir, to.name, node);
    leftName(vfs, fromDir, fromName);
  } catch (thrown) {
    distrust(from.dir);
    distrust(to.dir);
    throw thrown;
  } finally {
    letGo();
  }
}

function refuse(target: 'file' | 'dir' | undefined, how: Renaming['how'], path: string): void {
  if (target === undefined) return;
  if (how === 'no-replace') {
    throw new SyncerError('already-exists', `${path}: exists already`, { path });
  }
  if (target === 'dir') throw new SyncerError('not-a-file', `${path}: is a directory`, { path });
}

/** Holds the uploads at two paths. */
export async function holdBoth(
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

/** A name in a directory. */
export interface NodePlace {
  readonly dir: DirNode;
  readonly name: string;
}

/** A rename: from where, to where, and whether it may replace. */
export interface Renaming {
  readonly from: NodePlace;
  readonly to: NodePlace;
  readonly how: RenameRule;
}
