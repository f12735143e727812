import { toSyncerError } from '../../../core/errors.ts';
import { readPages } from '../../../core/list-dir.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { joinPath, leafName, parentPath } from '../../../core/remote-path.ts';
import { hasStatus } from '../client/graph-error.ts';
import type { DriveStore } from '../drive-store.ts';
import { contentOf } from '../items/graph-item.ts';
import { selfOf } from '../items/tell-entry.ts';
import { listChildren } from '../listing/list-children.ts';
import { leftUnder } from './aside-name.ts';
import { deleteFile, deleteVersions } from './delete-item.ts';
import { renameItem } from './in-place-of.ts';

/**
 * Deletes old versions of all files, as rclone does, and restores or deletes what interrupted runs left of replaced
 * files. With `onNotDeleted`, it goes on after a file that fails.
 *
 * @param maxAgeMs younger copies may belong to a run in progress
 */
export async function cleanUp(store: DriveStore, maxAgeMs: number, op: Op): Promise<void> {
  const settled = (path: string, work: Promise<void>) =>
    work.catch((thrown) => {
      op.signal.throwIfAborted();
      const error = toSyncerError(thrown);
      if (error.stop || op.change?.onNotDeleted === undefined) throw error;
      op.change.onNotDeleted(path, error);
    });
  const dirs = [''];
  for (let dir = dirs.pop(); dir !== undefined; dir = dirs.pop()) {
    const left: FileEntry[] = [];
    const readPage = (cursor?: string) => listChildren(store, dir, cursor, op);
    for await (const entries of readPages(readPage, () => {})) {
      for (const entry of entries) {
        if (entry.kind === 'dir') dirs.push(entry.path);
        else if (leftUnder(leafName(store.toService(entry.path))) !== undefined) left.push(entry);
        // A notebook is no file and has no versions.
        else if (entry.mimeType !== undefined)
          await settled(entry.path, deleteVersions(store, entry, op));
      }
    }
    // Not during the listing of the directory: a restored name would be listed twice, or not at all.
    for (const file of left) await settled(file.path, settleLeft(store, file, maxAgeMs, op));
  }
}

/**
 * Handles a leftover: a file moved aside gets its name back, or is deleted if the new file has it; an old copy is
 * deleted.
 *
 * @param file one whose name `leftUnder` recognises
 * @param maxAgeMs of copies; younger ones may belong to a run in progress
 */
async function settleLeft(
  store: DriveStore,
  file: FileEntry,
  maxAgeMs: number,
  op: Op,
): Promise<void> {
  const path = store.toService(file.path);
  const left = leftUnder(leafName(path));
  if (left?.kind === 'copy') return deleteCopy(store, file, maxAgeMs, op);
  if (left?.name === undefined) {
    return tell(store, 'left-unnamed', file);
  }
  await restore(store, file, joinPath(parentPath(path), left.name), op);
}

/** @param place the file's original place, below the drive's root as the service spells it */
async function restore(store: DriveStore, file: FileEntry, place: string, op: Op): Promise<void> {
  const { address } = await selfOf(store, file, op);
  // Looked up again: a run in progress may have moved the file aside after the name was listed.
  const there = await store.directories.look(place, op);
  if (there?.id === address.id) return;
  const name = leafName(place);
  if (there !== undefined) {
    if (contentOf(there).folder !== undefined) {
      return tell(store, 'left-kept', file, name);
    }
    await unlessGone(deleteFile(store, file, op));
    return tell(store, 'left-deleted', file, name);
  }
  const { path: about, modTime } = file;
  await unlessGone(renameItem(store, address, { name, about }, op, { modTime }));
  tell(store, 'left-renamed', file, name);
}

async function deleteCopy(
  store: DriveStore,
  file: FileEntry,
  maxAgeMs: number,
  op: Op,
): Promise<void> {
  const item = await store.directories.look(store.toService(file.path), op);
  const madeMs = Date.parse(item?.createdDateTime ?? '');
  // A missing time is no reason to delete anything.
  if (!(madeMs <= store.client.context.clock.now() - maxAgeMs)) return;
  await unlessGone(deleteFile(store, file, op));
  tell(store, 'left-copy-deleted', file);
}

/** The run that left it may still be working. */
async function unlessGone(change: Promise<unknown>): Promise<void> {
  await change.catch((thrown) => {
    if (!hasStatus(thrown, 404, 409)) throw thrown;
  });
}

function tell(
  store: DriveStore,
  code: 'left-unnamed' | 'left-kept' | 'left-deleted' | 'left-renamed' | 'left-copy-deleted',
  { path }: FileEntry,
  name = '',
): void {
  const fields = { path, name: store.toStandard(name) };
  store.client.context.emit({ type: 'log', level: 'notice', code, fields });
}
