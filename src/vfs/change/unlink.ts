import { SyncerError } from '../../core/errors.ts';
import type { Op } from '../../core/remote.ts';
import type { Leftovers } from '../open/leftovers.ts';
import { type DirNode, entryOf, isOpen, pathIn } from '../tree/node.ts';
import { distrust, dropName, removing } from '../tree/own-change.ts';
import type { VfsParts } from '../vfs-parts.ts';
import { requireWritable } from './check-name.ts';
import { deleteFile } from './move-file.ts';

/** Deletes a file. If it is open, its readers keep it, and the remote deletes it when it is closed. */
export async function unlink(
  vfs: VfsParts,
  leftovers: Leftovers,
  dir: DirNode,
  name: string,
  op: Op,
): Promise<void> {
  await vfs.locks.change([dir], op, async () => {
    requireWritable(vfs, pathIn(dir, name));
    const node = await vfs.listings.findHeld(dir, name, op);
    const path = pathIn(dir, node?.name ?? name);
    if (node === undefined) throw new SyncerError('file-not-found', `${path}: not found`, { path });
    if (node.kind === 'dir') {
      throw new SyncerError('not-a-file', `${path}: is a directory`, { path });
    }
    const letGo = await vfs.contents.hold(path, op);
    try {
      const entry = entryOf(node, path);
      const isLeft = isOpen(node);
      if (entry !== undefined && !isLeft) {
        await removing(dir, () => deleteFile(vfs.remote, entry, op));
      }
      await vfs.contents.removed(path);
      if (entry !== undefined && isLeft) leftovers.keep(node, dir, node.name, entry);
      dropName(vfs, dir, node.name);
    } catch (thrown) {
      distrust(dir);
      throw thrown;
    } finally {
      letGo();
    }
  });
}
