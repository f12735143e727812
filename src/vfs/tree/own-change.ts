import type { DirNode, Node, OwnChanges } from './node.ts';

/** Runs a read of a directory. It gets the changes made here at the same time, which are newer than what it finds. */
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

/** Reports to the reads of a directory that are under way what a name in it stands for now. */
export function noteOwnChange(dir: DirNode, name: string, node: Node | undefined): void {
  for (const own of dir.reads ?? []) own.set(name, node);
}

/** What is known of a directory may be wrong: a call that changes it has failed, with an unknown outcome. */
export function distrust(dir: DirNode): void {
  dir.listedAt = Number.NEGATIVE_INFINITY;
  dir.checked = undefined;
  if (dir.loading !== undefined) dir.loading.isTrusted = false;
}

/** Runs a call that removes something from a directory of the remote. */
export async function removing<T>(dir: DirNode, call: () => Promise<T>): Promise<T> {
  dir.removals++;
  dir.removing++;
  try {
    return await call();
  } finally {
    dir.removing--;
  }
}
