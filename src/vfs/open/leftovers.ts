import type { FileEntry, Op } from '../../core/remote.ts';
import { deleteFile } from '../change/move-file.ts';
import { type DirNode, type FileNode, pathIn } from '../tree/node.ts';
import { distrust, removing } from '../tree/own-change.ts';
import type { VfsParts } from '../vfs-parts.ts';

/** Files that were deleted while they were open, and that the remote has until they are closed. */
export class Leftovers {
  readonly #vfs: VfsParts;
  readonly #places = new Map<FileNode, { dir: DirNode; name: string; entry: FileEntry }>();

  constructor(vfs: VfsParts) {
    this.#vfs = vfs;
  }

  /** Hides the file at a name; it is deleted when it is closed. */
  keep(node: FileNode, dir: DirNode, name: string, entry: FileEntry): void {
    dir.leftovers ??= new Map();
    dir.leftovers.set(name, entry);
    this.#places.set(node, { dir, name, entry });
  }

  /** The file has no handles any more. */
  async closed(node: FileNode, op: Op): Promise<void> {
    const place = this.#places.get(node);
    this.#places.delete(node);
    if (place === undefined) return;
    const { dir, name, entry } = place;
    const { locks, tree, log } = this.#vfs;
    await locks.change([dir], op, async () => {
      if (dir.leftovers?.get(name) !== entry || !tree.has(dir)) return;
      try {
        await deleteLeftover(this.#vfs, dir, name, op);
      } catch (thrown) {
        log('remove-leftover', pathIn(dir, name), thrown);
        distrust(dir);
        forgetLeftover(dir, name);
      }
    });
  }

  /** Deletes all that is left, at the end of the mount. */
  async removeAll(op: Op): Promise<void> {
    for (const node of [...this.#places.keys()]) await this.closed(node, op);
  }
}

/**
 * Deletes what the remote still has at a name, if anything: the file is closed, or a directory takes its name. The
 * caller holds the directory.
 */
export async function deleteLeftover(
  { contents, remote }: VfsParts,
  dir: DirNode,
  name: string,
  op: Op,
): Promise<void> {
  const entry = dir.leftovers?.get(name);
  if (entry === undefined) return;
  const path = pathIn(dir, name);
  const letGo = await contents.hold(path, op);
  try {
    await removing(dir, () => deleteFile(remote, { ...entry, path }, op));
    forgetLeftover(dir, name);
  } finally {
    letGo();
  }
}

/** The name is used again: the remote's file there will be replaced, not deleted. */
export function forgetLeftover(dir: DirNode, name: string): FileEntry | undefined {
  const entry = dir.leftovers?.get(name);
  dir.leftovers?.delete(name);
  if (dir.leftovers?.size === 0) dir.leftovers = undefined;
  return entry;
}
