import { modTimeFromMs } from '../../core/mod-time.ts';
import type { DirNode, Node } from '../tree/node.ts';
import { noteOwnChange } from '../tree/own-change.ts';
import type { VfsParts } from '../vfs-parts.ts';

/** Puts `node` under a name in a directory after a local change: no listing is needed. */
export function addName(vfs: VfsParts, dir: DirNode, name: string, node: Node): void {
  if (node.parent === undefined) vfs.tree.attach(dir, name, node);
  else vfs.tree.move(node, dir, name);
  noteOwnChange(dir, name, node);
  dir.checked ??= new Map();
  dir.checked.set(name, vfs.clock.monotonic());
  touch(vfs, dir);
}

/** Drops a name from a directory after a local change. */
export function dropName(vfs: VfsParts, dir: DirNode, name: string, node: Node): void {
  if (node.parent === dir && node.name === name) vfs.tree.detach(node);
  leftName(vfs, dir, name);
}

/** As `dropName`, for a node that has already moved. */
export function leftName(vfs: VfsParts, dir: DirNode, name: string): void {
  noteOwnChange(dir, name, undefined);
  touch(vfs, dir);
  if (vfs.remote.traits.emptyDirs) return;
  // The remote drops a directory with its last file; here it stays until it is deleted.
  for (let at: DirNode = dir; at.parent !== undefined; at = at.parent) at.isVirtual = true;
}

function touch({ clock }: VfsParts, dir: DirNode): void {
  dir.modTime = modTimeFromMs(clock.now());
}
