import type { Entry, FileEntry } from '../../core/remote.ts';
import { leafName } from '../../core/remote-path.ts';
import { sameContent } from '../../core/same-content.ts';
import {
  type DirNode,
  type FileNode,
  isOpen,
  type Node,
  type OwnChanges,
  pathOf,
} from '../tree/node.ts';
import type { VfsParts } from '../vfs-parts.ts';

/** Updates a directory from a listing, except for pending files, local changes (`own`) and files deleted while open. */
export function applyListing(
  vfs: VfsParts,
  dir: DirNode,
  entries: readonly Entry[],
  own: OwnChanges,
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
    if (before !== undefined && before !== old?.get(name)) tree.orphan(before);
    const node = mergeEntry(vfs, dir, name, old?.get(name), entry);
    node.parent = dir;
    next.set(name, node);
  }
  for (const pending of contents.pendingIn(path)) {
    const name = leafName(pending.path);
    if (own.has(name)) continue;
    const found = [old?.get(name), next.get(name)].find((each) => each?.kind === 'file');
    const node = found?.kind === 'file' ? found : tree.newFile(dir, name, undefined);
    node.isDirty = true;
    node.parent = dir;
    next.set(name, node);
  }
  for (const [name, node] of old ?? []) {
    if (next.get(name) === node) continue;
    const isThere = own.has(name) ? own.get(name) === node : !next.has(name) && isKept(vfs, node);
    if (isThere) {
      if (node.kind === 'file' && !own.has(name)) node.entry = undefined;
      next.set(name, node);
      continue;
    }
    tree.orphan(node);
    if (node.lookups > 0) invalidations.entry(dir.inode, name);
  }
  if (old === undefined || changedSince(old, next)) dir.snapshot = undefined;
  dir.children = next;
  dir.checked = undefined;
  dir.folded = undefined;
  dir.walk = undefined;
  dir.asked = 0;
}

/** Whether the filter of the mount includes an entry. */
export function isShown({ options }: VfsParts, dir: DirNode, name: string, entry: Entry): boolean {
  if (name === '' || name === '.' || name === '..' || name.includes('/')) return false;
  if (dir.leftovers?.has(name)) return false;
  return options.isShown === undefined || options.isShown(entry);
}

function changedSince(old: ReadonlyMap<string, Node>, next: ReadonlyMap<string, Node>): boolean {
  if (old.size !== next.size) return true;
  for (const [name, node] of next) if (old.get(name) !== node) return true;
  return false;
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
    if (hasNewTime) old.modTime = undefined;
    old.entry = entry;
    old.isVirtual = false;
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
  const { entry: old, opened } = node;
  if (opened === undefined || node.isDirty || old === undefined) return false;
  if (sameContent(old, entry) || vfs.contents.pending(pathOf(node)) !== undefined) return false;
  return [...opened.values()].every(({ canWrite }) => !canWrite);
}

/** Updates the remote's entry of a file; for another version, discards cached bytes of the old one. */
function updateFile(vfs: VfsParts, node: FileNode, entry: FileEntry): void {
  const { entry: old } = node;
  if (old === entry) return;
  if (old !== undefined && sameContent(old, entry)) {
    const lacksTime = entry.modTime === undefined && old.modTime !== undefined;
    node.entry =
      lacksTime && (old.storedTime === undefined || old.storedTime === entry.storedTime)
        ? { ...entry, modTime: old.modTime }
        : entry;
    return;
  }
  node.entry = entry;
  vfs.contents.changed(pathOf(node), entry);
  if (node.isDirty) return;
  node.hasPages = false;
  if (node.lookups > 0) vfs.invalidations.inode(node.inode);
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
