import type { Entry } from '../../core/remote.ts';
import { leafName } from '../../core/remote-path.ts';
import { type DirNode, type Node, type OwnChanges, pathOf } from '../tree/node.ts';
import type { VfsParts } from '../vfs-parts.ts';
import { isKept, mergeEntry } from './merge-entry.ts';

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
