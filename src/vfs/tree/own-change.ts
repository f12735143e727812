import { modTimeFromMs } from '../../core/mod-time.ts';
import type { VfsParts } from '../vfs-parts.ts';
import type { DirNode, Node } from './node.ts';

/** Puts `node` under a name in a directory after a local change: no listing is needed. */
export function addName(vfs: VfsParts, dir: DirNode, name: string, node: Node): void {
  vfs.tree.move(node, dir, name);
  dir.changes.note(name, node);
  dir.listing.check(name, vfs.clock.monotonic());
  dir.changedAt(modTimeFromMs(vfs.clock.now()));
}

/**
 * Drops a name from a directory after a local change, with the node that has it: a listing that started before may
 * have added another one.
 */
export function dropName(vfs: VfsParts, dir: DirNode, name: string): void {
  const node = dir.children.get(name);
  if (node !== undefined) vfs.tree.detach(node);
  dir.changes.note(name, undefined);
  dir.changedAt(modTimeFromMs(vfs.clock.now()));
  if (vfs.remote.traits.emptyDirs) return;
  // The remote drops a directory with its last file; here it stays until it is deleted.
  for (let at: DirNode = dir; at.parent !== undefined; at = at.parent) at.becameVirtual();
}
