import { isOpen, type Node, pathOf } from '../tree/node.ts';
import type { VfsParts } from '../vfs-parts.ts';

/** Whether a node that the remote does not tell of is there all the same: made here, and not on the remote yet. */
export function isKept(vfs: VfsParts, node: Node): boolean {
  if (node.kind === 'file') {
    return node.isDirty && (isOpen(node) || vfs.contents.pending(pathOf(node)) !== undefined);
  }
  if (node.isVirtual) return true;
  for (const _ of vfs.contents.pendingBelow(pathOf(node))) {
    node.isVirtual = true;
    return true;
  }
  return false;
}
