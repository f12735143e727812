import type { Op } from '../../core/remote.ts';
import type { FileHandle } from '../contents/file-contents.ts';
import { type FileNode, isOpen, pathOf } from '../tree/node.ts';
import { distrust, noteOwnChange } from '../tree/own-change.ts';
import type { VfsParts } from '../vfs-parts.ts';
import type { Leftovers } from './leftovers.ts';

/** Closes a handle, if it is open. Updates the node also if closing fails. */
export async function closeFile(
  vfs: VfsParts,
  leftovers: Leftovers,
  handle: number,
  op: Op,
): Promise<void> {
  const node = vfs.files.take(handle);
  if (node === undefined) return;
  // From here on it does not affect size and time.
  const opened = takeHandle(node, handle);
  node.closing++;
  try {
    await opened?.release(op);
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

/** Takes a handle off its file; `undefined` if it is not open. */
export function takeHandle(node: FileNode, handle: number): FileHandle | undefined {
  const opened = node.opened?.get(handle);
  node.opened?.delete(handle);
  if (node.opened?.size === 0) node.opened = undefined;
  return opened;
}

/**
 * Runs `call` while the file keeps its name. The kernel does not wait for a close: a rename may be running, and the
 * contents may have the new name before the tree.
 */
async function whileNamed(vfs: VfsParts, node: FileNode, call: () => void): Promise<void> {
  for (let isDone = false; !isDone; ) {
    const { parent } = node;
    // A file that was only read needs no update.
    if (parent === undefined || (!node.isDirty && node.entry !== undefined)) return call();
    isDone = await vfs.locks.change([parent], vfs, async () => {
      if (node.parent !== parent) return false;
      call();
      return true;
    });
  }
}

/** The file has no handles any more. */
function settle(vfs: VfsParts, node: FileNode): void {
  const { parent } = node;
  if (parent === undefined) vfs.tree.letGo(node);
  if (parent === undefined) return;
  if (vfs.contents.pending(pathOf(node)) !== undefined) return;
  node.isDirty = false;
  if (node.entry !== undefined) return;
  // It was never created: its data could not be kept.
  distrust(parent);
  noteOwnChange(parent, node.name, undefined);
  vfs.tree.detach(node);
}
