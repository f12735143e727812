import type { Op } from '../../core/remote.ts';
import { type FileNode, pathOf } from '../tree/node.ts';
import { distrust, noteOwnChange } from '../tree/own-change.ts';
import type { VfsParts } from '../vfs-parts.ts';
import type { FileHandle } from './file-handle.ts';
import type { Leftovers } from './leftovers.ts';

/** Closes an open file. What it leaves behind is put in order also where closing fails. */
export async function closeFile(
  vfs: VfsParts,
  leftovers: Leftovers,
  { node, content }: FileHandle,
  op: Op,
): Promise<void> {
  // From here on it tells nothing of size and time any more.
  const rest = node.opened?.filter((each) => each !== content) ?? [];
  node.opened = rest.length === 0 ? undefined : rest;
  node.closing++;
  try {
    await content.release(op);
  } finally {
    node.closing--;
    if (node.opened === undefined && node.closing === 0) {
      settle(vfs, node);
      await leftovers.closed(node, op);
    }
  }
}

/** Nobody has the file open any more. */
function settle(vfs: VfsParts, node: FileNode): void {
  const { parent } = node;
  if (parent === undefined) vfs.tree.letGo(node);
  if (parent === undefined) return;
  if (vfs.contents.pending(pathOf(node)) !== undefined) return;
  node.isDirty = false;
  if (node.entry !== undefined) return;
  // It never came to be: what was written could not be kept.
  distrust(parent);
  noteOwnChange(parent, node.name, undefined);
  vfs.tree.detach(node);
}
