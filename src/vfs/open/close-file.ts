import type { Op } from '../../core/remote.ts';
import { type FileNode, isOpen, pathOf } from '../tree/node.ts';
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
    if (!isOpen(node)) {
      await whileNamed(vfs, node, () => {
        if (!isOpen(node)) settle(vfs, node);
      });
      await leftovers.closed(node, op);
    }
  }
}

/**
 * Runs `call` while the file keeps its name. The kernel closes a file without waiting for it: a program may be renaming
 * it by now, so that for a moment what waits to be uploaded has the new name already and the file still the old one.
 */
async function whileNamed(vfs: VfsParts, node: FileNode, call: () => void): Promise<void> {
  for (let isDone = false; !isDone; ) {
    const { parent } = node;
    // A file that was only read needs no putting in order.
    if (parent === undefined || (!node.isDirty && node.entry !== undefined)) return call();
    isDone = await vfs.locks.change([parent], vfs, async () => {
      if (node.parent !== parent) return false;
      call();
      return true;
    });
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
