import type { PendingFile } from '../contents/file-contents.ts';
import { type FileNode, type Node, pathOf } from '../tree/node.ts';
import type { VfsParts } from '../vfs-parts.ts';

/** What is known of a file that waits to be uploaded, also while it or a directory above it is being renamed. */
export function pendingOf(vfs: VfsParts, node: FileNode): PendingFile | undefined {
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

/** Runs the part of a renaming in which the contents have the new name already and the tree may have the old one. */
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
