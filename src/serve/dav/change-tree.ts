import { randomBytes } from 'node:crypto';
import { withGrace } from '../../core/context.ts';
import { hasCode, SyncerError, toSyncerError } from '../../core/errors.ts';
import type { DirEntry, Entry, FailedEntry, FileEntry, Op } from '../../core/remote.ts';
import { deleteOne, listDir } from '../../core/remote-calls.ts';
import { isWithin, joinPath, leafName, parentPath } from '../../core/remote-path.ts';
import { copyFile } from '../../engine/copy/copy-file.ts';
import { shortName } from '../../names/partial-name.ts';
import { deleteUnchanged } from '../../system/only-over.ts';
import type { FileCall } from '../files/call.ts';
import { storedEntry, storedLinkPath } from '../files/served-links.ts';
import { HttpError } from '../http-error.ts';
import { entriesOf, listingFault } from './dav-call.ts';

/**
 * Copies or moves an entry to a path, server-side if the remote can. What is there, `there`, is replaced: a file by one
 * operation, a directory entry by entry. Nothing of it is deleted before the transfer is complete; then the error with
 * which some of it could not be deleted is returned, and each is logged. A link is moved itself; a copy has the content
 * of its target. A move that fails is undone: if the client repeated it, what was moved before would be what is
 * replaced. What is not known to be back is never deleted as extra.
 */
export async function copyOrMoveTree(
  call: FileCall,
  entry: Entry,
  path: string,
  there: Entry | undefined,
  how: TreeTransfer,
): Promise<SyncerError | undefined> {
  const lists = { moves: [], dirs: [], emptied: [], deleted: [], asides: [], extras: [] };
  const transfer: RunningTransfer = { ...how, ...lists };
  try {
    await transferStored(call, entry, path, there, transfer);
    for (const dir of transfer.emptied) {
      transfer.deleted.push(dir);
      await deleteEmptyDir(call, dir);
      call.tree.made.remove(dir.path);
      keepParent(call, dir.path);
    }
  } catch (thrown) {
    if (entry.kind === 'dir' && !(thrown instanceof HttpError) && !call.op.signal.aborted) {
      const fields = { doing: how.verb, error: toSyncerError(thrown) };
      call.run.log('error', entry.path, 'failed', fields);
    }
    await undoCopyOrMove(call, transfer);
    throw thrown;
  }
  const moved = transfer.moves.flatMap(({ from, to }) => [to, ...sparedIn(call.tree, from)]);
  for (const one of moved) call.tree.spared.delete(one);
  // All that can be, also if the client leaves.
  return withGrace(call.op.signal, GRACE_MS, async (signal) => {
    const own = { ...call, op: { signal } };
    let first: SyncerError | undefined;
    const remove = async (entry: Entry, isWhole?: boolean) => {
      try {
        await deleteTree(own, entry, isWhole).catch(unlessMissing(true));
      } catch (thrown) {
        const error = toSyncerError(thrown);
        call.run.log('error', entry.path, 'failed', { doing: 'delete', error });
        first ??= error;
      }
    };
    for (const aside of transfer.asides) await remove({ ...aside.old, path: aside.path }, true);
    for (const extra of transfer.extras) await remove(extra);
    return first;
  });
}

async function transferStored(
  call: FileCall,
  entry: Entry,
  path: string,
  there: Entry | undefined,
  how: RunningTransfer,
): Promise<void> {
  const source = how.verb === 'move' ? storedEntry(entry) : entry;
  const to = source === entry ? path : storedLinkPath(path);
  const old = there && storedEntry(there);
  if (source === entry && old === there) return transferEntry(call, entry, path, there, how);
  // A link has another name on the remote than a file: neither replaces the other.
  const isInPlace = old === undefined || old.path === to;
  await transferEntry(call, source, to, isInPlace ? old : undefined, how);
  // On a disk both are one entry.
  if (!isInPlace) how.extras.push(old);
}

async function transferEntry(
  call: FileCall,
  entry: Entry,
  path: string,
  there: Entry | undefined,
  how: RunningTransfer,
): Promise<void> {
  if (there !== undefined && there.kind !== entry.kind) {
    // In a bucket both can exist at the same time.
    const { bucketBased } = call.tree.remote.traits;
    if (!bucketBased) await putAside(call, there, how);
    await transferStored(call, entry, path, undefined, how);
    if (bucketBased) how.extras.push(there);
    return;
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

async function transferDir(
  call: FileCall,
  dir: DirEntry,
  path: string,
  there: Entry | undefined,
  how: RunningTransfer,
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
  for (const extra of oldByName.values()) {
    if (sparedIn(tree, extra.path).length === 0) how.extras.push(extra);
  }
  if (how.verb === 'move') how.emptied.push(dir);
}

/**
 * Makes room for an entry of the other kind. If the transfer fails, `old` is back, unless what was moved there could not
 * be moved back: it stays, and `old` is beside it.
 */
async function putAside(call: FileCall, old: Entry, how: RunningTransfer): Promise<void> {
  if (old.kind === 'dir') await refuseHidden(call, old);
  const name = `${shortName(leafName(old.path))}.syncer-${randomBytes(6).toString('hex')}`;
  const path = joinPath(parentPath(old.path), name);
  if (await renameEntry(call, old, old.path, path)) how.asides.push({ old, path });
  else await deleteTree(call, old, true);
}

/**
 * Undoes what a copy or move that failed has done: gives files and directories their old names, as far as possible, and
 * deletes directories that a move created. Logs what could not be undone.
 */
async function undoCopyOrMove(call: FileCall, how: RunningTransfer): Promise<void> {
  const { verb, moves, dirs, deleted, asides } = how;
  await withGrace(call.op.signal, GRACE_MS, async (signal) => {
    const own = { ...call, op: { signal } };
    const failed = (from: string, at: string) => (thrown: unknown) => {
      const why = toSyncerError(thrown);
      call.run.log('error', from, 'not-taken-back', { at, why });
    };
    for (const move of moves.toReversed()) {
      call.tree.spared.add(move.to);
      await undoMove(own, move).catch(failed(move.from, move.to));
    }
    for (const { path } of deleted.toReversed()) {
      try {
        const isGone = (await call.tree.remote.stat(path, own.op)) === undefined;
        if (isGone) await call.tree.makeDir(path, own.op);
      } catch (thrown) {
        const fields = { doing: 'make-directory', error: toSyncerError(thrown) } as const;
        call.run.log('error', path, 'failed', fields);
      }
    }
    for (const dir of verb === 'move' ? dirs.toReversed() : []) {
      await deleteEmptyDir(own, { kind: 'dir', path: dir }).catch(() => undefined);
      call.tree.made.remove(dir);
    }
    for (const { old, path } of asides.toReversed()) {
      const restore = async () => {
        const partial = await call.tree.find(old.path, own.op);
        if (partial !== undefined && verb === 'move') {
          throw new SyncerError('already-exists', 'something else has its name', {
            path: old.path,
          });
        }
        // A part of a copy, which its source still has.
        if (partial !== undefined) await deleteTree(own, partial);
        await renameEntry(own, old, path, old.path);
      };
      await restore().catch(failed(old.path, path));
    }
  });
}

/** A copy stays beside a source that is there: its deletion may have been sent. */
async function undoMove(call: FileCall, { kind, from, to }: Move): Promise<void> {
  const { tree, op } = call;
  const { remote } = tree;
  if ((await remote.stat(from, op)) !== undefined) return;
  const now = await remote.stat(to, op);
  if (now?.kind !== kind) return;
  if (now.kind === 'file') {
    const how = { moves: [], mayOverwrite: false };
    await transferFile(call, now, from, undefined, { verb: 'move', ...how });
  } else if (!(await renamedDir(call, now, from))) {
    throw new SyncerError('other', 'the directory cannot be renamed', { path: from });
  }
  tree.spared.delete(to);
}

/** How a tree goes to its new name. */
interface TreeTransfer {
  readonly verb: 'copy' | 'move';
  /** With its contents; otherwise the directory alone. */
  readonly isDeep: boolean;
  /** Otherwise a file that appears at its new name is an error, `precondition-failed`, as far as the remote can tell. */
  readonly mayOverwrite: boolean;
}

/** A copy or move of a tree, and what of it was done so far. */
interface RunningTransfer extends TreeTransfer {
  /** Moves of files and whole directories, as they begin. */
  readonly moves: Move[];
  /** Directories that were created. */
  readonly dirs: string[];
  /** Directories of the source that are empty when everything was moved, inner ones first. */
  readonly emptied: DirEntry[];
  /** Those of `emptied` whose deletion has begun. */
  readonly deleted: DirEntry[];
  /** Entries of the other kind that were put aside, at these paths. */
  readonly asides: { readonly old: Entry; readonly path: string }[];
  /** What else is deleted when the transfer is complete. */
  readonly extras: Entry[];
}

/** A move of a file or of a whole directory. */
type Move = Pick<Entry, 'kind'> & { readonly from: string; readonly to: string };

/** Time limit for what must not end half done when the client has left, in milliseconds. */
const GRACE_MS = 60_000;

/** Copies or moves a file, server-side if the remote can. A move is noted in `moves`, unless nothing was moved. */
async function transferFile(
  call: FileCall,
  file: FileEntry,
  path: string,
  replaced: FileEntry | undefined,
  { verb, moves, mayOverwrite }: Pick<RunningTransfer, 'verb' | 'moves' | 'mayOverwrite'>,
): Promise<void> {
  const { tree, op, run, options } = call;
  const { remote } = tree;
  // A request that is given up may be carried out later.
  const whole = <T>(work: (op: Op) => Promise<T>) =>
    withGrace(op.signal, GRACE_MS, (signal) => work({ ...op, signal }));
  const only = mayOverwrite ? {} : { change: { replacesOnly: { file: 'nothing' } } as const };
  const refused = (thrown: unknown) => {
    // Nothing was moved.
    if (hasCode(thrown, 'precondition-failed')) moves.pop();
    throw thrown;
  };
  if (verb === 'move') {
    op.signal.throwIfAborted();
    moves.push({ kind: 'file', from: file.path, to: path });
    const move = async (own: Op) => remote.can.moveFrom?.(remote, file, path, { ...own, ...only });
    const moved = await whole(move).catch(refused);
    if (moved !== undefined) return keepParent(call, file.path);
  }
  const replaces = replaced === undefined ? {} : { replaces: replaced };
  const job = { source: remote, file, dest: remote, path, ...replaces, ...only };
  const { lowLevelRetries } = options;
  const rules = { ignoreSize: false, ignoreChecksum: false, serverSideAcrossConfigs: false };
  const copying = copyFile({ ...run, op }, job, { ...rules, lowLevelRetries });
  const { source } = await copying.catch(refused);
  if (verb === 'copy') return;
  await whole((own) => deleteUnchanged(remote, source, own));
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

/** Whether the remote can rename the entry, which is at `from` now. */
async function renameEntry({ tree, op }: FileCall, entry: Entry, from: string, to: string) {
  const { remote } = tree;
  const renamed =
    entry.kind === 'dir'
      ? await remote.can.moveDirFrom?.(remote, from, to, op)
      : await remote.can.moveFrom?.(remote, { ...entry, path: from }, to, op);
  return Boolean(renamed);
}

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
async function refuseHidden(call: FileCall, dir: DirEntry): Promise<void> {
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
function sparedIn({ spared }: FileCall['tree'], path: string): readonly string[] {
  return [...spared].filter((one) => isWithin(path, one));
}

/** Deletes a directory that has no entries any more; rejects with `not-empty` if it has. */
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

/** Throws an error unless it is that the entry is missing, which it may be. */
function unlessMissing(mayBeMissing: boolean) {
  return (thrown: unknown): void => {
    if (!mayBeMissing || !hasCode(thrown, 'directory-not-found', 'file-not-found')) throw thrown;
  };
}
