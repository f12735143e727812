import { SyncerError } from '../../core/errors.ts';
import type { Op } from '../../core/remote.ts';
import { pathIn } from '../tree/node.ts';
import type { VfsParts } from '../vfs-parts.ts';
import { requireWritable } from './check-name.ts';
import { renameDir } from './rename-dir.ts';
import { type Renaming, renameFile } from './rename-file.ts';

/** Renames a file or a directory. A file may replace a file, a directory an empty directory. */
export async function rename(vfs: VfsParts, renaming: Renaming, op: Op): Promise<void> {
  const { from, to } = renaming;
  const path = pathIn(from.dir, from.name);
  requireWritable(vfs, path);
  // The locks depend on the kind of the node, which may change while waiting for them.
  for (let isDone = false; !isDone; ) {
    const seen = await vfs.listings.find(from.dir, from.name, op);
    if (seen === undefined) throw missing(path);
    const held = async (): Promise<boolean> => {
      const node = await vfs.listings.findHeld(from.dir, from.name, op);
      if (node === undefined) throw missing(path);
      if (node !== seen) return false;
      if (node.kind === 'dir') await renameDir(vfs, node, renaming, op);
      else await renameFile(vfs, node, renaming, op);
      return true;
    };
    const change = () => vfs.locks.change([from.dir, to.dir], op, held);
    isDone = seen.kind === 'dir' ? await vfs.locks.moveOne(op, change) : await change();
  }
}

function missing(path: string): SyncerError {
  return new SyncerError('file-not-found', `${path}: not found`, { path });
}
