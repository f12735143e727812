import { deleteOne } from '../../core/deleting.ts';
import { hasCode } from '../../core/errors.ts';
import { listDir } from '../../core/list-dir.ts';
import type { DirEntry, Entry, FailedEntry } from '../../core/remote.ts';
import { isWithin, parentPath } from '../../core/remote-path.ts';
import type { FileCall } from '../files/call.ts';
import { HttpError } from '../http-error.ts';
import { entriesOf, listingFault } from './dav-call.ts';

/** Deletes a file, or a directory with everything in it; `isWhole`: filters hide nothing of it. */
export async function deleteTree(
  call: FileCall,
  entry: Entry,
  isWhole = call.tree.options.isShown === undefined,
): Promise<void> {
  const { tree, op } = call;
  const { remote, made } = tree;
  if (entry.kind === 'file') {
    await deleteOne(remote, entry, op);
  } else if (isWhole && remote.can.purge !== undefined) {
    await remote.can.purge(entry.path, op).catch(unlessMissing(made.has(entry.path)));
  } else {
    for (const one of await entriesOf(call, entry)) await deleteTree(call, one);
    await deleteEmptyDir(call, entry);
  }
  keepParent(call, entry.path);
  // A file can have been replaced by a directory that only the server knows.
  if (entry.kind === 'dir') made.remove(entry.path);
  for (const one of sparedIn(tree, entry.path)) tree.spared.delete(one);
}

/** Rejects with `HttpError` 409 if filters hide something in a directory: it cannot be replaced. */
export async function refuseHidden(call: FileCall, dir: DirEntry): Promise<void> {
  const { tree, op } = call;
  if (tree.options.isShown === undefined) return;
  const onFailed = ({ path, error }: FailedEntry) => {
    throw listingFault(path, error);
  };
  for await (const page of listDir(tree.remote, dir.path, op, onFailed)) {
    for (const entry of page) {
      if (!tree.isShown(entry)) throw new HttpError(409, 'Conflict: filters hide files in it');
      if (entry.kind === 'dir') await refuseHidden(call, entry);
    }
  }
}

/** What is spared (`ServedTree.spared`) at a path and below it. */
export function sparedIn({ spared }: FileCall['tree'], path: string): readonly string[] {
  return [...spared].filter((one) => isWithin(path, one));
}

/** Deletes a directory that has no entries any more; rejects with `not-empty` if it has. */
export async function deleteEmptyDir({ tree, op }: FileCall, dir: DirEntry): Promise<void> {
  const { remote } = tree;
  // Without empty directories, it ended with its last file.
  if (!remote.traits.emptyDirs && !remote.traits.bucketBased) return;
  await remote.deleteDir(dir.path, op).catch(unlessMissing(!remote.traits.emptyDirs));
}

/** A directory whose last entry was deleted stays, as on a disk. */
export function keepParent({ tree }: FileCall, path: string): void {
  const parent = parentPath(path);
  if (!tree.remote.traits.emptyDirs && parent !== '') tree.made.add(parent);
}

/** Throws an error unless it is that the entry is missing, which it may be. */
export function unlessMissing(mayBeMissing: boolean) {
  return (thrown: unknown): void => {
    if (!mayBeMissing || !hasCode(thrown, 'directory-not-found', 'file-not-found')) throw thrown;
  };
}
