import type { FileEntry } from '../core/remote.ts';
import { leafName, parentPath } from '../core/remote-path.ts';
import { isShown } from './listing/apply-listing.ts';
import { forgetLeftover } from './open/leftovers.ts';
import type { DirNode, FileNode } from './tree/node.ts';
import { noteOwnChange } from './tree/own-change.ts';
import type { Tree } from './tree/tree.ts';
import type { VfsParts } from './vfs-parts.ts';

/** The remote has the newest content of a file now. */
export function noteUploaded(vfs: VfsParts, path: string, entry: FileEntry): void {
  const dir = dirAt(vfs.tree, parentPath(path));
  const name = leafName(path);
  const node = dir?.children?.get(name) ?? (dir && newlySeen(vfs, dir, name, entry));
  if (dir === undefined || node?.kind !== 'file') return;
  node.entry = entry;
  if (vfs.contents.pending(path) === undefined) node.isDirty = false;
  forgetLeftover(dir, name);
  noteOwnChange(dir, name, node);
  if (!vfs.remote.traits.emptyDirs) return;
  // It was made with the directories above it.
  for (let at: DirNode | undefined = dir; at !== undefined; at = at.parent) at.isVirtual = false;
}

/** A name that nobody has asked for yet is of interest to those who read its directory now: they may be too early for it. */
function newlySeen(
  vfs: VfsParts,
  dir: DirNode,
  name: string,
  entry: FileEntry,
): FileNode | undefined {
  if (dir.reads === undefined || !isShown(vfs, dir, name, entry)) return undefined;
  const node = vfs.tree.newFile(dir, name, entry);
  vfs.tree.attach(dir, name, node);
  return node;
}

/** The directory at a path, as far as it is known. */
function dirAt(tree: Tree, path: string): DirNode | undefined {
  let dir = tree.root;
  for (const name of path === '' ? [] : path.split('/')) {
    const next = dir.children?.get(name);
    if (next?.kind !== 'dir') return undefined;
    dir = next;
  }
  return dir;
}

/** Makes the directories of files that wait to be uploaded from an earlier mount: the remote may not have them. */
export function addPendingDirs({ contents, tree }: VfsParts): void {
  for (const { path } of contents.pendingBelow('')) {
    let dir = tree.root;
    for (const name of parentPath(path) === '' ? [] : parentPath(path).split('/')) {
      const known = dir.children?.get(name);
      const next = known?.kind === 'dir' ? known : tree.newDir(dir, name, undefined);
      if (next !== known) {
        next.isVirtual = true;
        tree.attach(dir, name, next);
      }
      dir = next;
    }
  }
}
