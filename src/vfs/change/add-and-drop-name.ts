import { modTimeFromMs } from '../../core/mod-time.ts';
import type { DirNode, Node } from '../tree/node.ts';
import { noteOwnChange } from '../tree/own-change.ts';
import type { VfsParts } from '../vfs-parts.ts';

/** A name in a directory stands for `node` from now on, as a call here has made it: nothing has to be listed. */
export function addName(vfs: VfsParts, dir: DirNode, name: string, node: Node): void {
  if (node.parent === undefined) vfs.tree.attach(dir, name, node);
  else vfs.tree.move(node, dir, name);
  noteOwnChange(dir, name, node);
  dir.checked ??= new Map();
  dir.checked.set(name, vfs.clock.monotonic());
  touch(vfs, dir);
}

/** A name in a directory is gone, as a call here has removed it. */
export function dropName(vfs: VfsParts, dir: DirNode, name: string, node: Node): void {
  if (node.parent === dir && node.name === name) vfs.tree.detach(node);
  leftName(vfs, dir, name);
}

/** As `dropName` for a node that has another place by now. */
export function leftName(vfs: VfsParts, dir: DirNode, name: string): void {
  noteOwnChange(dir, name, undefined);
  touch(vfs, dir);
  if (vfs.remote.traits.emptyDirs) return;
  // The remote forgets directories with the last file in them; here they stay until they are removed.
  for (let at: DirNode = dir; at.parent !== undefined; at = at.parent) at.isVirtual = true;
}

function touch({ clock }: VfsParts, dir: DirNode): void {
  dir.modTime = modTimeFromMs(clock.now());
}
