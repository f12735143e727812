import type { DirEntry, Entry, FileEntry } from '../../core/remote.ts';
import { sameContent } from '../../core/same-content.ts';
import { type DirNode, type FileNode, isOpen, type Node, pathOf } from '../tree/node.ts';
import type { VfsParts } from '../vfs-parts.ts';

/** The node for an entry of the remote: `old`, which has the name so far, updated, or a new one without a place. */
export function mergeEntry(
  vfs: VfsParts,
  dir: DirNode,
  name: string,
  old: Node | undefined,
  entry: Entry,
): Node {
  if (entry.kind === 'dir') {
    if (old?.kind === 'dir') return updateDir(old, entry);
    return vfs.tree.newDir(dir, name, entry);
  }
  if (old?.kind !== 'file') return vfs.tree.newFile(dir, name, entry);
  if (isReadBefore(vfs, old, entry)) {
    vfs.contents.changed(pathOf(old), entry);
    return vfs.tree.newFile(dir, name, entry);
  }
  updateFile(vfs, old, entry);
  return old;
}

/**
 * Whether programs read the version before this one. They keep its node, as after a local rename over it: the kernel
 * has one size and one page cache for each, so that with a shared one they would get a truncated file, and others
 * the pages of the old version.
 */
function isReadBefore(vfs: VfsParts, node: FileNode, entry: FileEntry): boolean {
  const { entry: old, opened } = node;
  if (opened === undefined || node.isDirty || old === undefined) return false;
  if (sameContent(old, entry) || vfs.contents.pending(pathOf(node)) !== undefined) return false;
  return [...opened.values()].every(({ canWrite }) => !canWrite);
}

function updateDir(node: DirNode, entry: DirEntry): DirNode {
  if (entry.modTime !== undefined && entry.modTime !== node.entry?.modTime) {
    node.modTime = undefined;
  }
  node.entry = entry;
  node.isVirtual = false;
  return node;
}

/** Updates the remote's entry of a file; for another version, discards cached bytes of the old one. */
function updateFile(vfs: VfsParts, node: FileNode, entry: FileEntry): void {
  const { entry: old } = node;
  if (old === entry) return;
  if (old !== undefined && sameContent(old, entry)) {
    const lacksTime = entry.modTime === undefined && old.modTime !== undefined;
    node.entry = lacksTime && isSameWrite(old, entry) ? { ...entry, modTime: old.modTime } : entry;
    return;
  }
  node.entry = entry;
  vfs.contents.changed(pathOf(node), entry);
  if (node.isDirty) return;
  node.hasPages = false;
  if (node.lookups > 0) vfs.invalidations.inode(node.inode);
}

/** Whether the remote's file was not written again with another modification time. */
function isSameWrite(old: FileEntry, entry: FileEntry): boolean {
  return old.storedTime === undefined || old.storedTime === entry.storedTime;
}

/** Whether a node that the remote does not list exists anyway: created here and not on the remote yet, or being moved. */
export function isKept(vfs: VfsParts, node: Node): boolean {
  if (node.kind === 'file') {
    return node.isDirty && (isOpen(node) || vfs.contents.pending(pathOf(node)) !== undefined);
  }
  if (node.isVirtual || node.moving !== undefined) return true;
  for (const _ of vfs.contents.pendingBelow(pathOf(node))) {
    node.isVirtual = true;
    return true;
  }
  return false;
}
