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
