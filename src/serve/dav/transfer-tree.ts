import { randomBytes } from 'node:crypto';
import { hasCode } from '../../core/errors.ts';
import type { DirEntry, Entry, FileEntry } from '../../core/remote.ts';
import { joinPath, leafName, parentPath } from '../../core/remote-path.ts';
import { deleteUnchanged } from '../../kit/only-over.ts';
import { copyFile } from '../../sync/copy-file.ts';
import type { FileCall } from '../files/call.ts';
import { storedEntry, storedLinkPath } from '../files/served-links.ts';
import { listingFault } from './dav-call.ts';

/** How a tree goes to its new name. */
export interface TreeTransfer {
  readonly verb: 'copy' | 'move';
  /** With its contents; otherwise the directory alone. */
  readonly isDeep: boolean;
}

/**
 * Copies or moves an entry to a path, server-side if the remote can. What is there, `there`, is replaced: a file by one
 * operation, a directory entry by entry. Nothing of it is deleted before its replacement is complete. A link is moved
 * itself; a copy has the content of its target.
 */
export async function transferTree(
  call: FileCall,
  entry: Entry,
  path: string,
  there: Entry | undefined,
  how: TreeTransfer,
): Promise<void> {
  const source = how.verb === 'move' ? storedEntry(entry) : entry;
  const to = source === entry ? path : storedLinkPath(path);
  const old = there && storedEntry(there);
  if (source === entry && old === there) return transferEntry(call, entry, path, there, how);
  // A link has another name on the remote than a file: neither replaces the other.
  const isInPlace = old === undefined || old.path === to;
  await transferEntry(call, source, to, isInPlace ? old : undefined, how);
  // On a disk both are one entry.
  if (!isInPlace) await deleteTree(call, old).catch(unlessMissing(true));
}

async function transferEntry(
  call: FileCall,
  entry: Entry,
  path: string,
  there: Entry | undefined,
  how: TreeTransfer,
): Promise<void> {
  if (there !== undefined && there.kind !== entry.kind) {
    return replacingOther(call, there, how, () => transferTree(call, entry, path, undefined, how));
  }
  if (entry.kind === 'file')
    return transferFile(call, entry, path, there?.kind === 'file' ? there : undefined, how);
  if (there === undefined && how.verb === 'move' && (await renamedDir(call, entry, path))) return;
  await transferDir(call, entry, path, there, how);
}

/** Deletes a file, or a directory with everything in it. */
export async function deleteTree(call: FileCall, entry: Entry): Promise<void> {
  const { tree, op } = call;
  const { remote, made } = tree;
  if (entry.kind === 'file') {
    await remote.delete(entry, op);
  } else if (tree.options.isShown === undefined && remote.can.purge !== undefined) {
    await remote.can.purge(entry.path, op).catch(unlessMissing(made.has(entry.path)));
  } else {
    for (const one of await entriesOf(call, entry)) await deleteTree(call, one);
    await deleteEmptyDir(call, entry);
  }
  keepParent(call, entry.path);
  made.remove(entry.path);
}

async function transferFile(
  call: FileCall,
  file: FileEntry,
  path: string,
  replaced: FileEntry | undefined,
  { verb }: TreeTransfer,
): Promise<void> {
  const { tree, op, run, options } = call;
  const { remote } = tree;
  if (verb === 'move' && (await remote.can.moveFrom?.(remote, file, path, op)) !== undefined) {
    return keepParent(call, file.path);
  }
  const replaces = replaced === undefined ? {} : { replaces: replaced };
  const job = { source: remote, file, dest: remote, path, ...replaces };
  const { lowLevelRetries } = options;
  const rules = { ignoreSize: false, ignoreChecksum: false, serverSideAcrossConfigs: false };
  await copyFile({ ...run, op }, job, { ...rules, lowLevelRetries });
  if (verb === 'copy') return;
  await deleteUnchanged(remote, file, op);
  keepParent(call, file.path);
}

/** Renames a whole directory, if the remote can and filters hide nothing in it. */
async function renamedDir(call: FileCall, dir: DirEntry, path: string): Promise<boolean> {
  const { tree, op } = call;
  if (tree.options.isShown !== undefined) return false;
  const { remote, made } = tree;
  if ((await remote.can.moveDirFrom?.(remote, dir.path, path, op)) !== true) return false;
  made.copy(dir.path, path);
  made.remove(dir.path);
  keepParent(call, dir.path);
  return true;
}

async function transferDir(
  call: FileCall,
  dir: DirEntry,
  path: string,
  there: Entry | undefined,
  how: TreeTransfer,
): Promise<void> {
  const { tree, op } = call;
  const source = how.isDeep ? await entriesOf(call, dir) : [];
  const old = there?.kind === 'dir' ? await entriesOf(call, there) : [];
  const oldByName = new Map(old.map((entry) => [leafName(entry.path), entry]));
  await tree.makeDir(path, op);
  for (const entry of source) {
    const name = leafName(entry.path);
    await transferTree(call, entry, joinPath(path, name), oldByName.get(name), how);
    oldByName.delete(name);
  }
  for (const surplus of oldByName.values()) await deleteTree(call, surplus);
  if (how.verb === 'copy') return;
  await deleteEmptyDir(call, dir);
  tree.made.remove(dir.path);
  keepParent(call, dir.path);
}

/**
 * Does `work`, which creates an entry of the other kind at the path of `old`. If it fails, `old` is back, unless some
 * files of a directory were moved there: these stay, and `old` is beside them.
 */
async function replacingOther(
  call: FileCall,
  old: Entry,
  { verb }: TreeTransfer,
  work: () => Promise<void>,
): Promise<void> {
  const { tree, op } = call;
  const { remote } = tree;
  if (remote.traits.bucketBased) {
    // Both can exist at the same time.
    await work();
    return deleteTree(call, old);
  }
  const aside = `${old.path}.syncer-${randomBytes(6).toString('hex')}`;
  const rename = (from: string, to: string) =>
    old.kind === 'dir'
      ? remote.can.moveDirFrom?.(remote, from, to, op)
      : remote.can.moveFrom?.(remote, { ...old, path: from }, to, op);
  const isAside = Boolean(await rename(old.path, aside));
  if (!isAside) await deleteTree(call, old);
  try {
    await work();
  } catch (thrown) {
    if (isAside && (await isFree(call, old.path, verb))) await rename(aside, old.path);
    throw thrown;
  }
  if (isAside) await deleteTree(call, { ...old, path: aside });
}

/** Deletes a part of a copy, which its source still has. `false` if something must stay. */
async function isFree(call: FileCall, path: string, verb: TreeTransfer['verb']): Promise<boolean> {
  const partial = await call.tree.find(path, call.op);
  if (partial === undefined) return true;
  if (verb === 'move') return false;
  await deleteTree(call, partial);
  return true;
}

async function entriesOf({ tree, op }: FileCall, dir: DirEntry): Promise<readonly Entry[]> {
  const { entries, failed } = await tree.list(dir.path, op);
  if (failed[0] !== undefined) throw listingFault(failed[0].path, failed[0].error);
  return entries;
}

async function deleteEmptyDir({ tree, op }: FileCall, dir: DirEntry): Promise<void> {
  const { remote } = tree;
  // Without empty directories, it ended with its last file.
  if (!remote.traits.emptyDirs && !remote.traits.bucketBased) return;
  await remote.deleteDir(dir.path, op).catch(unlessMissing(!remote.traits.emptyDirs));
}

/** A directory whose last entry was deleted stays, as on a disk. */
function keepParent({ tree }: FileCall, path: string): void {
  const parent = parentPath(path);
  if (!tree.remote.traits.emptyDirs && parent !== '') tree.made.add(parent);
}

function unlessMissing(mayBeMissing: boolean) {
  return (thrown: unknown): void => {
    if (!mayBeMissing || !hasCode(thrown, 'directory-not-found', 'file-not-found')) throw thrown;
  };
}
