import type { FileEntry, Op } from '../../core/remote.ts';
import { deleteFile } from '../change/move-file.ts';
import { type DirNode, type FileNode, pathIn } from '../tree/node.ts';
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
    dir.changes.keepLeftover(name, entry);
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
      if (dir.changes.leftover(name) !== entry || !tree.has(dir)) return;
      try {
        await deleteLeftover(this.#vfs, dir, name, op);
      } catch (thrown) {
        log('remove-leftover', pathIn(dir, name), thrown);
        dir.listing.expire();
        dir.changes.forgetLeftover(name);
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
  const entry = dir.changes.leftover(name);
  if (entry === undefined) return;
  const path = pathIn(dir, name);
  const letGo = await contents.hold(path, op);
  try {
    await dir.changes.whileDeleting(() => deleteFile(remote, { ...entry, path }, op));
    dir.changes.forgetLeftover(name);
  } finally {
    letGo();
  }
}
