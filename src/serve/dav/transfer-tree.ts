import { randomBytes } from 'node:crypto';
import { hasCode, SyncerError, toSyncerError } from '../../core/errors.ts';
import type { DirEntry, Entry, FileEntry, Op } from '../../core/remote.ts';
import { isWithin, joinPath, leafName, parentPath } from '../../core/remote-path.ts';
import { withGrace } from '../../kit/abort.ts';
import { deleteUnchanged } from '../../kit/only-over.ts';
import { copyFile } from '../../sync/copy-file.ts';
import type { FileCall } from '../files/call.ts';
import { storedEntry, storedLinkPath } from '../files/served-links.ts';
import { HttpError } from '../http-error.ts';
import { listingFault } from './dav-call.ts';

/** How a tree goes to its new name. */
export interface TreeTransfer {
  readonly verb: 'copy' | 'move';
  /** With its contents; otherwise the directory alone. */
  readonly isDeep: boolean;
}

/** How, and what was done so far. */
interface Transfer extends TreeTransfer {
  /** Moves of files and whole directories, as they begin. */
  readonly moves: Move[];
  /** Directories that were created. */
  readonly dirs: string[];
  /** Give entries of the other kind their names again, which were put aside. */
  readonly asides: ((call: FileCall) => Promise<void>)[];
  /** What is deleted when everything is at its new name. */
  readonly ends: (() => Promise<void>)[];
}

type Move = Pick<Entry, 'kind'> & { readonly from: string; readonly to: string };

/** Time limit for what must not end half done when the client has left, in milliseconds. */
const GRACE_MS = 60_000;

/**
 * Copies or moves an entry to a path, server-side if the remote can. What is there, `there`, is replaced: a file by one
 * operation, a directory entry by entry. Nothing of it is deleted before its replacement is complete. A link is moved
 * itself; a copy has the content of its target. A move that fails is taken back: if the client repeated it, what was
 * moved before would be what is replaced. What is not known to be back is never deleted as extra.
 */
export async function transferTree(
  call: FileCall,
  entry: Entry,
  path: string,
  there: Entry | undefined,
  how: TreeTransfer,
): Promise<void> {
  const transfer: Transfer = { ...how, moves: [], dirs: [], asides: [], ends: [] };
  let isComplete = false;
  try {
    await transferStored(call, entry, path, there, transfer);
    isComplete = true;
    for (const end of transfer.ends) await end();
    const moved = transfer.moves.flatMap(({ from, to }) => [to, ...sparedIn(call.tree, from)]);
    for (const one of moved) call.tree.spared.delete(one);
  } catch (thrown) {
    if (entry.kind === 'dir' && !(thrown instanceof HttpError) && !call.op.signal.aborted) {
      const fields = { doing: how.verb, error: toSyncerError(thrown) };
      call.run.log('error', entry.path, 'failed', fields);
    }
    // A complete copy stays beside what could not be deleted.
    if (how.verb === 'move' || !isComplete) await takeBack(call, transfer);
    throw thrown;
  }
}

async function transferStored(
  call: FileCall,
  entry: Entry,
  path: string,
  there: Entry | undefined,
  how: Transfer,
): Promise<void> {
  const source = how.verb === 'move' ? storedEntry(entry) : entry;
  const to = source === entry ? path : storedLinkPath(path);
  const old = there && storedEntry(there);
  if (source === entry && old === there) return transferEntry(call, entry, path, there, how);
  // A link has another name on the remote than a file: neither replaces the other.
  const isInPlace = old === undefined || old.path === to;
  await transferEntry(call, source, to, isInPlace ? old : undefined, how);
  // On a disk both are one entry.
  if (!isInPlace) how.ends.push(() => deleteTree(call, old).catch(unlessMissing(true)));
}

async function transferEntry(
  call: FileCall,
  entry: Entry,
  path: string,
  there: Entry | undefined,
  how: Transfer,
): Promise<void> {
  if (there !== undefined && there.kind !== entry.kind) {
    const work = () => transferStored(call, entry, path, undefined, how);
    return replacingOther(call, there, how, work);
  }
  if (entry.kind === 'file')
    return transferFile(call, entry, path, there?.kind === 'file' ? there : undefined, how);
  if (there === undefined && how.verb === 'move') {
    how.moves.push({ kind: 'dir', from: entry.path, to: path });
    if (await renamedDir(call, entry, path)) return;
    how.moves.pop();
  }
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
  for (const one of sparedIn(tree, entry.path)) tree.spared.delete(one);
}

function sparedIn({ spared }: FileCall['tree'], path: string): readonly string[] {
  return [...spared].filter((one) => isWithin(path, one));
}

async function transferFile(
  call: FileCall,
  file: FileEntry,
  path: string,
  replaced: FileEntry | undefined,
  { verb, moves }: Pick<Transfer, 'verb' | 'moves'>,
): Promise<void> {
  const { tree, op, run, options } = call;
  const { remote } = tree;
  // A request that is given up may be carried out later.
  const whole = <T>(work: (op: Op) => Promise<T>) =>
    withGrace(op.signal, GRACE_MS, (signal) => work({ ...op, signal }));
  if (verb === 'move') {
    op.signal.throwIfAborted();
    moves.push({ kind: 'file', from: file.path, to: path });
    const moved = await whole(async (own) => remote.can.moveFrom?.(remote, file, path, own));
    if (moved !== undefined) return keepParent(call, file.path);
  }
  const replaces = replaced === undefined ? {} : { replaces: replaced };
  const job = { source: remote, file, dest: remote, path, ...replaces };
  const { lowLevelRetries } = options;
  const rules = { ignoreSize: false, ignoreChecksum: false, serverSideAcrossConfigs: false };
  await copyFile({ ...run, op }, job, { ...rules, lowLevelRetries });
  if (verb === 'copy') return;
  await whole((own) => deleteUnchanged(remote, file, own));
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
  how: Transfer,
): Promise<void> {
  const { tree, op } = call;
  const source = how.isDeep ? await entriesOf(call, dir) : [];
  const old = there?.kind === 'dir' ? await entriesOf(call, there) : [];
  const oldByName = new Map(old.map((entry) => [leafName(entry.path), entry]));
  await tree.makeDir(path, op);
  if (there === undefined) how.dirs.push(path);
  for (const entry of source) {
    const name = leafName(entry.path);
    await transferStored(call, entry, joinPath(path, name), oldByName.get(name), how);
    oldByName.delete(name);
  }
  for (const surplus of oldByName.values()) {
    if (sparedIn(tree, surplus.path).length === 0) how.ends.push(() => deleteTree(call, surplus));
  }
  if (how.verb === 'copy') return;
  how.ends.push(async () => {
    await deleteEmptyDir(call, dir);
    tree.made.remove(dir.path);
    keepParent(call, dir.path);
  });
}

/** Gives files and directories their old names again, as far as possible, and deletes directories that were created. */
async function takeBack(call: FileCall, { verb, moves, dirs, asides }: Transfer): Promise<void> {
  await withGrace(call.op.signal, GRACE_MS, async (signal) => {
    const back = { ...call, op: { signal } };
    for (const move of moves.toReversed()) {
      call.tree.spared.add(move.to);
      await takeBackOne(back, move).catch((thrown: unknown) => {
        const why = toSyncerError(thrown);
        call.run.log('error', move.from, 'not-taken-back', { at: move.to, why });
      });
    }
    for (const dir of verb === 'move' ? dirs.toReversed() : []) {
      await deleteEmptyDir(back, { kind: 'dir', path: dir }).catch(() => undefined);
      call.tree.made.remove(dir);
    }
    for (const putBack of asides.toReversed()) await putBack(back).catch(() => undefined);
  });
}

/** A copy stays beside a source that is there: its deletion may have been sent. */
async function takeBackOne(call: FileCall, { kind, from, to }: Move): Promise<void> {
  const { tree, op } = call;
  const { remote } = tree;
  if ((await remote.stat(from, op)) !== undefined) return;
  const now = await remote.stat(to, op);
  if (now?.kind !== kind) return;
  if (now.kind === 'file') {
    await transferFile(call, now, from, undefined, { verb: 'move', moves: [] });
  } else if (!(await renamedDir(call, now, from))) {
    throw new SyncerError('other', 'the directory cannot be renamed', { path: from });
  }
  tree.spared.delete(to);
}

/**
 * Does `work`, which creates an entry of the other kind at the path of `old`. If it fails, `old` is back, unless what
 * was moved there could not be taken back: it stays, and `old` is beside it.
 */
async function replacingOther(
  call: FileCall,
  old: Entry,
  how: Transfer,
  work: () => Promise<void>,
): Promise<void> {
  const { remote } = call.tree;
  if (remote.traits.bucketBased) {
    // Both can exist at the same time.
    await work();
    how.ends.push(() => deleteTree(call, old));
    return;
  }
  const aside = `${old.path}.syncer-${randomBytes(6).toString('hex')}`;
  const rename = ({ op }: FileCall, from: string, to: string) =>
    old.kind === 'dir'
      ? remote.can.moveDirFrom?.(remote, from, to, op)
      : remote.can.moveFrom?.(remote, { ...old, path: from }, to, op);
  const isAside = Boolean(await rename(call, old.path, aside));
  if (!isAside) await deleteTree(call, old);
  else {
    how.asides.push(async (back) => {
      if (await isFree(back, old.path, how.verb)) await rename(back, aside, old.path);
    });
  }
  await work();
  if (isAside) how.ends.push(() => deleteTree(call, { ...old, path: aside }));
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
