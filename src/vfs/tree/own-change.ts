import { modTimeFromMs } from '../../core/mod-time.ts';
import type { VfsParts } from '../vfs-parts.ts';
import type { DirNode, Node, OwnChanges } from './node.ts';

/** Runs a read of a directory. It gets the local changes made at the same time, which are newer than its result. */
export async function readMeanwhile<T>(
  dir: DirNode,
  read: (own: OwnChanges) => Promise<T>,
): Promise<T> {
  const own: OwnChanges = new Map();
  dir.reads ??= new Set();
  dir.reads.add(own);
  try {
    return await read(own);
  } finally {
    dir.reads.delete(own);
    if (dir.reads.size === 0) dir.reads = undefined;
  }
}

/** Reports the current node of a name to the running reads of its directory. */
export function noteOwnChange(dir: DirNode, name: string, node: Node | undefined): void {
  for (const own of dir.reads ?? []) own.set(name, node);
}

/** The known state of a directory may be wrong: a call that changes it has failed, with an unknown outcome. */
export function distrust(dir: DirNode): void {
  dir.listedAt = Number.NEGATIVE_INFINITY;
  dir.checked = undefined;
  if (dir.loading !== undefined) dir.loading.isTrusted = false;
}

/** Runs a call that deletes something from a directory of the remote. */
export async function removing<T>(dir: DirNode, call: () => Promise<T>): Promise<T> {
  dir.removals++;
  dir.removing++;
  try {
    return await call();
  } finally {
    dir.removing--;
  }
}

/** Puts `node` under a name in a directory after a local change: no listing is needed. */
export function addName(vfs: VfsParts, dir: DirNode, name: string, node: Node): void {
  vfs.tree.move(node, dir, name);
  noteOwnChange(dir, name, node);
  dir.checked ??= new Map();
  dir.checked.set(name, vfs.clock.monotonic());
  dir.modTime = modTimeFromMs(vfs.clock.now());
}

/**
 * Drops a name from a directory after a local change, with the node that has it: a listing that started before may
 * have added another one.
 */
export function dropName(vfs: VfsParts, dir: DirNode, name: string): void {
  const node = dir.children?.get(name);
  if (node !== undefined) vfs.tree.detach(node);
  noteOwnChange(dir, name, undefined);
  dir.modTime = modTimeFromMs(vfs.clock.now());
  if (vfs.remote.traits.emptyDirs) return;
  // The remote drops a directory with its last file; here it stays until it is deleted.
  for (let at: DirNode = dir; at.parent !== undefined; at = at.parent) at.isVirtual = true;
}
