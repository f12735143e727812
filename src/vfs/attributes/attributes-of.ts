import type { ModTime } from '../../core/mod-time.ts';
import type { PendingFile } from '../contents/file-contents.ts';
import type { Attributes } from '../mount-ops.ts';
import { type DirNode, type FileNode, lastOpened, type Node, pathOf } from '../tree/node.ts';
import type { VfsParts } from '../vfs-parts.ts';

interface Shape {
  readonly size: number;
  readonly modTime: ModTime;
}

/** The result of stat(2) for a node, as far as it is known: see `knowsTime`. */
export function attributesOf(vfs: VfsParts, node: Node): Attributes {
  const { uid, gid, dirPerms, filePerms } = vfs.options;
  const { inode, kind } = node;
  const isDir = kind === 'dir';
  const { size, modTime } = isDir ? shapeOfDir(vfs, node) : shapeOfFile(vfs, node);
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

function shapeOfDir({ startedAt }: VfsParts, node: DirNode): Shape {
  return { size: 0, modTime: node.modTime ?? node.entry?.modTime ?? startedAt };
}

function shapeOfFile(vfs: VfsParts, node: FileNode): Shape {
  return (node.isDirty ? shapeHere(vfs, node) : undefined) ?? shapeThere(vfs, node);
}

/** Of a file with newer content on this side. */
function shapeHere(vfs: VfsParts, node: FileNode): Shape | undefined {
  const handle = lastOpened(node);
  if (handle !== undefined) {
    return { size: Math.max(0, handle.size()), modTime: handle.modTime() };
  }
  return node.parent === undefined ? undefined : pendingOf(vfs, node);
}

function shapeThere({ options, startedAt }: VfsParts, { entry }: FileNode): Shape {
  const size = Math.max(0, entry?.size ?? 0);
  if (options.noModTime) return { size, modTime: entry?.storedTime ?? startedAt };
  return { size, modTime: entry?.modTime ?? entry?.storedTime ?? startedAt };
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
