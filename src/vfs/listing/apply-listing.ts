import type { Entry, FileEntry } from '../../core/remote.ts';
import { leafName } from '../../core/remote-path.ts';
import { sameContent } from '../../core/same-content.ts';
import type { ChangesOfRead } from '../tree/local-changes.ts';
import { type DirNode, type FileNode, type Node, pathOf } from '../tree/node.ts';
import type { VfsParts } from '../vfs-parts.ts';

/** Updates a directory from a listing, except for pending files, local changes (`own`) and files deleted while open. */
export function applyListing(
  vfs: VfsParts,
  dir: DirNode,
  entries: readonly Entry[],
  own: ChangesOfRead<Node>,
): void {
  const { contents, tree, invalidations } = vfs;
  const path = pathOf(dir);
  const nameFrom = path === '' ? 0 : path.length + 1;
  const old = dir.children;
  const next = new Map<string, Node>();
  for (const entry of entries) {
    const name = entry.path.slice(nameFrom);
    if (own.has(name) || !isShown(vfs, dir, name, entry)) continue;
    const before = next.get(name);
    // A file and a directory with the same name: otherwise what is below the directory is unreachable.
    if (before !== undefined && (entry.kind === 'file' || before.kind === 'dir')) continue;
    if (before !== undefined && before !== old.get(name)) tree.orphan(before);
    const node = mergeEntry(vfs, dir, name, old.get(name), entry);
    node.placed(dir, name);
    next.set(name, node);
  }
  for (const pending of contents.pendingIn(path)) {
    const name = leafName(pending.path);
    if (own.has(name)) continue;
    const found = [old.get(name), next.get(name)].find((each) => each?.kind === 'file');
    const node = found?.kind === 'file' ? found : tree.newFile(dir, name, undefined);
    node.wrote();
    node.placed(dir, name);
    next.set(name, node);
  }
  for (const [name, node] of old.entries()) {
    if (next.get(name) === node) continue;
    const isThere = own.has(name) ? own.get(name) === node : !next.has(name) && isKept(vfs, node);
    if (isThere) {
      if (node.kind === 'file' && !own.has(name)) node.foundAs(undefined);
      next.set(name, node);
      continue;
    }
    tree.orphan(node);
    if (node.lookups > 0) invalidations.entry(dir.inode, name);
  }
  dir.children.replace(next);
}

/** Whether the filter of the mount includes an entry. */
export function isShown({ options }: VfsParts, dir: DirNode, name: string, entry: Entry): boolean {
  if (name === '' || name === '.' || name === '..' || name.includes('/')) return false;
  if (dir.changes.leftover(name) !== undefined) return false;
  return options.isShown === undefined || options.isShown(entry);
}

/** The node for an entry of the remote: `old`, which has the name so far, updated, or a new one without a place. */
export function mergeEntry(
  vfs: VfsParts,
  dir: DirNode,
  name: string,
  old: Node | undefined,
  entry: Entry,
): Node {
  if (entry.kind === 'dir') {
    if (old?.kind !== 'dir') return vfs.tree.newDir(dir, name, entry);
    const hasNewTime = entry.modTime !== undefined && entry.modTime !== old.entry?.modTime;
    if (hasNewTime) old.changedAt(undefined);
    old.foundAs(entry);
    old.becameReal();
    return old;
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
  const { entry: old } = node;
  if (!node.isOnlyRead || node.mayBeDirty || old === undefined) return false;
  return !sameContent(old, entry) && vfs.contents.pending(pathOf(node)) === undefined;
}

/** Updates the remote's entry of a file; for another version, discards cached bytes of the old one. */
function updateFile(vfs: VfsParts, node: FileNode, entry: FileEntry): void {
  const { entry: old } = node;
  if (old === entry) return;
  if (old !== undefined && sameContent(old, entry)) {
    const lacksTime = entry.modTime === undefined && old.modTime !== undefined;
    const keepsTime =
      lacksTime && (old.storedTime === undefined || old.storedTime === entry.storedTime);
    node.foundAs(keepsTime ? { ...entry, modTime: old.modTime } : entry);
    return;
  }
  node.foundAs(entry);
  vfs.contents.changed(pathOf(node), entry);
  if (node.mayBeDirty) return;
  node.outdatePages();
  if (node.lookups > 0) vfs.invalidations.inode(node.inode);
}

/** Whether a node that the remote does not list exists anyway: created here and not on the remote yet, or being moved. */
export function isKept(vfs: VfsParts, node: Node): boolean {
  if (node.kind === 'file') {
    return node.mayBeDirty && (node.isOpen || vfs.contents.pending(pathOf(node)) !== undefined);
  }
  if (node.isVirtual || vfs.locks.isMoving(node)) return true;
  for (const _ of vfs.contents.pendingBelow(pathOf(node))) {
    node.becameVirtual();
    return true;
  }
  return false;
}
