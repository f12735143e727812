import type { Op } from '../../core/remote.ts';
import { type DirNode, type Node, pathIn } from '../tree/node.ts';
import { readMeanwhile } from '../tree/own-change.ts';
import type { VfsParts } from '../vfs-parts.ts';
import { isShown } from './apply-listing.ts';
import { isKept } from './kept-node.ts';
import { mergeEntry } from './merge-entry.ts';

/** Asks the remote for one name of a directory whose listing is not worth its price. */
export async function lookUpOne(
  vfs: VfsParts,
  dir: DirNode,
  name: string,
  op: Op,
): Promise<Node | undefined> {
  const path = pathIn(dir, name);
  const askedAt = vfs.clock.monotonic();
  return readMeanwhile(dir, async (own) => {
    const entry = await vfs.remote.stat(path, op);
    if (own.has(name)) return own.get(name);
    const old = dir.children?.get(name);
    if (entry === undefined || !isShown(vfs, dir, name, entry)) return absent(vfs, dir, name, old);
    const node = mergeEntry(vfs, dir, name, old, entry);
    if (vfs.contents.pending(path) !== undefined && node.kind === 'file') node.isDirty = true;
    if (node !== old) vfs.tree.attach(dir, name, node);
    dir.checked ??= new Map();
    dir.checked.set(name, askedAt);
    return node;
  });
}

function absent(
  vfs: VfsParts,
  dir: DirNode,
  name: string,
  old: Node | undefined,
): Node | undefined {
  if (old !== undefined && isKept(vfs, old)) {
    if (old.kind === 'file') old.entry = undefined;
    return old;
  }
  if (old !== undefined) vfs.tree.detach(old);
  if (vfs.contents.pending(pathIn(dir, name)) === undefined) return undefined;
  const node = vfs.tree.newFile(dir, name, undefined);
  node.isDirty = true;
  vfs.tree.attach(dir, name, node);
  return node;
}
