import type { PendingFile } from '../contents/file-contents.ts';
import type { Attributes } from '../mount-ops.ts';
import { type FileNode, lastOpened, type Node, pathOf } from '../tree/node.ts';
import type { VfsParts } from '../vfs-parts.ts';

/** The result of stat(2) for a node, as far as it is known: see `knowsTime`. */
export function attributesOf(vfs: VfsParts, node: Node): Attributes {
  const { uid, gid, dirPerms, filePerms } = vfs.options;
  const { inode, kind } = node;
  const isDir = kind === 'dir';
  const { size, modTime } = shapeOf(vfs, node);
  const mode = isDir ? dirPerms : filePerms;
  const links = isDir || node.parent !== undefined ? 1 : 0;
  const [accessTime, changeTime] = [modTime, modTime];
  return { inode, kind, size, modTime, accessTime, changeTime, mode, uid, gid, links };
}

/** Whether the time of a file is known, so that `attributesOf` is right. */
export function knowsTime({ options, remote }: VfsParts, node: Node): boolean {
  if (node.kind === 'dir' || options.noModTime || !remote.traits.slowModTime) return true;
  if (node.isDirty || node.entry === undefined) return true;
  return node.entry.modTime !== undefined || remote.can.details === undefined;
}

function shapeOf(vfs: VfsParts, node: Node): Pick<Attributes, 'size' | 'modTime'> {
  const { options, startedAt } = vfs;
  if (node.kind === 'dir') {
    return { size: 0, modTime: node.modTime ?? node.entry?.modTime ?? startedAt };
  }
  // The newer content is on this side.
  if (node.isDirty) {
    const handle = lastOpened(node);
    if (handle !== undefined) {
      return { size: Math.max(0, handle.size()), modTime: handle.modTime() };
    }
    const pending = node.parent && pendingOf(vfs, node);
    if (pending !== undefined) return pending;
  }
  const { entry } = node;
  const known = options.noModTime ? undefined : entry?.modTime;
  return { size: Math.max(0, entry?.size ?? 0), modTime: known ?? entry?.storedTime ?? startedAt };
}

/** The pending upload of a file, also while the file or a directory above it is renamed. */
function pendingOf(vfs: VfsParts, node: FileNode): PendingFile | undefined {
  const { contents, renaming } = vfs;
  const path = pathOf(node);
  const pending = contents.pending(path);
  if (pending !== undefined || renaming.size === 0) return pending;
  for (let at: Node | undefined = node; at !== undefined; at = at.parent) {
    const to = renaming.get(at);
    if (to !== undefined) return contents.pending(to + path.slice(pathOf(at).length));
  }
  return undefined;
}

/** Runs the part of a rename in which the contents have the new name already and the tree may have the old one. */
export async function whileRenaming<T>(
  { renaming }: VfsParts,
  node: Node,
  to: string,
  call: () => Promise<T>,
): Promise<T> {
  renaming.set(node, to);
  try {
    return await call();
  } finally {
    renaming.delete(node);
  }
}
