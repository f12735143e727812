import { SyncerError } from '../../core/errors.ts';
import type { Op } from '../../core/remote.ts';
import type { FileTimes } from '../attributes/file-times.ts';
import { addName } from '../change/changed-here.ts';
import { checkNewName, requireWritable } from '../change/check-name.ts';
import type { Listings } from '../listing/listings.ts';
import type { OpenFlags } from '../mount-ops.ts';
import { type DirNode, type FileNode, pathOf } from '../tree/node.ts';
import type { VfsParts } from '../vfs-parts.ts';
import { type FileHandle, openContent } from './file-handle.ts';
import { forgetLeftover } from './leftovers.ts';

/** A file is opened under the name it has; where it is renamed meanwhile, so often anew. */
const TRIES = 5;

/** Opens a file that has a name. */
export async function openFile(
  vfs: VfsParts,
  times: FileTimes,
  node: FileNode,
  flags: OpenFlags,
  op: Op,
): Promise<FileHandle> {
  if (flags.write) requireWritable(vfs, pathOf(node));
  // A file that is written in parts keeps its time until then.
  if (flags.write && !flags.truncate) await times.learn(node, op);
  for (let tries = 1; ; tries++) {
    const { parent } = node;
    if (parent === undefined) throw gone(node.name);
    const path = pathOf(node);
    const open = () => openContent(vfs, node, pathOf(node), flags, op);
    const handle = await (flags.write
      ? vfs.locks.change([parent], op, open)
      : vfs.locks.use([parent], op, open));
    if (flags.write || pathOf(node) === path || tries >= TRIES) return handle;
    node.opened = node.opened?.filter((each) => each !== handle.content);
    await handle.content.release(op);
  }
}

/** Makes a file and opens it, or opens the one that is there. */
export async function createFile(
  vfs: VfsParts,
  listings: Listings,
  dir: DirNode,
  name: string,
  flags: OpenFlags,
  op: Op,
): Promise<FileHandle> {
  return vfs.locks.change([dir], op, async () => {
    const path = checkNewName(vfs, dir, name, 'file');
    const found = await listings.findHeld(dir, name, op);
    if (found !== undefined && flags.exclusive) {
      throw new SyncerError('already-exists', `${path}: exists already`, { path });
    }
    if (found?.kind === 'dir') {
      throw new SyncerError('not-a-file', `${path}: is a directory`, { path });
    }
    if (found !== undefined) return openContent(vfs, found, pathOf(found), flags, op);
    // The kernel makes files also where they are opened to read only.
    const making = { ...flags, write: true, truncate: true };
    const node = vfs.tree.newFile(dir, name, undefined);
    try {
      const handle = await openContent(vfs, node, path, making, op);
      node.entry = forgetLeftover(dir, name);
      addName(vfs, dir, name, node);
      return { ...handle, canWrite: flags.write };
    } catch (thrown) {
      vfs.tree.letGo(node);
      throw thrown;
    }
  });
}

function gone(name: string): SyncerError {
  return new SyncerError('file-not-found', `${name}: the file is gone`, { path: name });
}
