import { absentIf } from '../../core/errors.ts';
import type { Op } from '../../core/remote.ts';
import { requireWritable } from '../change/check-name.ts';
import { withPresentEntry } from '../change/move-file.ts';
import type { FileHandle } from '../contents/file-contents.ts';
import type { AttributeChange } from '../mount-ops.ts';
import { entryOf, type FileNode, lastOpened, type Node, pathOf } from '../tree/node.ts';
import { distrust } from '../tree/own-change.ts';
import type { VfsParts } from '../vfs-parts.ts';

/**
 * Changes size and time of a file, and the shown time of a directory. Permissions, owners and access times are
 * accepted and ignored, as in rclone.
 *
 * @param handle open for writing on the file, if there is one
 */
export async function setAttributes(
  vfs: VfsParts,
  node: Node,
  change: AttributeChange,
  handle: FileHandle | undefined,
  op: Op,
): Promise<void> {
  requireWritable(vfs, pathOf(node));
  const { size, modTime } = change;
  if (node.kind === 'dir') {
    node.modTime = modTime ?? node.modTime;
    return;
  }
  const { parent } = node;
  const act = async () => {
    if (size !== undefined) {
      const path = pathOf(node);
      if (handle !== undefined) await handle.truncate(size, op);
      else if (node.parent === undefined) await lastOpened(node)?.truncate(size, op);
      else await vfs.contents.truncate(path, entryOf(node, path), size, op);
      node.isDirty = true;
    }
    if (modTime !== undefined && !vfs.options.noModTime)
      await setTime(vfs, node, modTime, handle, op);
  };
  if (parent === undefined) return act();
  try {
    await vfs.locks.change([parent], op, act);
  } catch (thrown) {
    distrust(parent);
    throw thrown;
  }
}

async function setTime(
  vfs: VfsParts,
  node: FileNode,
  modTime: bigint,
  handle: FileHandle | undefined,
  op: Op,
): Promise<void> {
  if (handle !== undefined && node.isDirty) return handle.setModTime(modTime);
  if (node.parent === undefined) return;
  const { remote, contents } = vfs;
  const path = pathOf(node);
  if (await contents.setModTime(path, modTime)) {
    node.isDirty = true;
    return;
  }
  const entry = entryOf(node, path);
  const { setModTime } = remote.can;
  if (entry === undefined || setModTime === undefined) return;
  // As on a remote that keeps no times: `touch` and `cp -p` go on.
  const set = await withPresentEntry(remote, entry, op, (present) =>
    setModTime(present, modTime, op),
  ).catch(absentIf('archived'));
  if (set === undefined) return;
  node.entry = { ...set, modTime: set.modTime ?? modTime };
  contents.changed(path, node.entry);
}
