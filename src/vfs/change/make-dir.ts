import { SyncerError } from '../../core/errors.ts';
import type { Op } from '../../core/remote.ts';
import type { Listings } from '../listing/listings.ts';
import type { DirNode } from '../tree/node.ts';
import { distrust } from '../tree/own-change.ts';
import type { VfsParts } from '../vfs-parts.ts';
import { addName } from './changed-here.ts';
import { checkNewName } from './check-name.ts';

/**
 * Makes a directory. On a store that keeps no empty ones it lives here until something is in it. What was made where
 * nothing was is known to be empty, and is not listed before it is too old.
 */
export async function makeDir(
  vfs: VfsParts,
  listings: Listings,
  dir: DirNode,
  name: string,
  op: Op,
): Promise<DirNode> {
  return vfs.locks.change([dir], op, async () => {
    const path = checkNewName(vfs, dir, name, 'dir');
    if ((await listings.findHeld(dir, name, op)) !== undefined) {
      throw new SyncerError('already-exists', `${path}: exists already`, { path });
    }
    try {
      await vfs.remote.makeDir(path, op);
    } catch (thrown) {
      distrust(dir);
      throw thrown;
    }
    const node = vfs.tree.newDir(dir, name, undefined);
    node.isVirtual = !vfs.remote.traits.emptyDirs;
    node.children = new Map();
    addName(vfs, dir, name, node);
    node.modTime = dir.modTime;
    listings.knowEmpty(node);
    return node;
  });
}
