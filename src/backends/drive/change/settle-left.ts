import type { FileEntry, Op } from '../../../core/remote.ts';
import { joinPath, leafName, parentPath } from '../../../core/remote-path.ts';
import { hasStatus } from '../client/graph-error.ts';
import { contentOf } from '../items/graph-item.ts';
import { selfOf } from '../items/item-of.ts';
import type { DriveStore } from '../store.ts';
import { leftUnder } from './aside-name.ts';
import { removeFile } from './remove.ts';
import { renameItem } from './rename-item.ts';

/**
 * Puts right what a run that was broken off left of a file: one that had made room for another gets its name back, or
 * is deleted where the other has that name by now; a copy that never got its name is deleted when it is old enough.
 *
 * @param file one whose name `leftUnder` knows
 * @param maxAgeMs of copies; younger ones may belong to a run that is still at work
 */
export async function settleLeft(
  store: DriveStore,
  file: FileEntry,
  maxAgeMs: number,
  op: Op,
): Promise<void> {
  const path = store.toService(file.path);
  const left = leftUnder(leafName(path));
  if (left?.kind === 'copy') return removeCopy(store, file, maxAgeMs, op);
  if (left?.name === undefined) {
    return tell(store, 'left-unnamed', file);
  }
  await restore(store, file, joinPath(parentPath(path), left.name), op);
}

/** @param place where the file was, below the drive's root as the service knows it */
async function restore(store: DriveStore, file: FileEntry, place: string, op: Op): Promise<void> {
  const { address } = await selfOf(store, file, op);
  // Looked at anew: a run at work may have moved the file aside after the name was listed.
  const there = await store.folders.look(place, op);
  if (there?.id === address.id) return;
  const name = leafName(place);
  if (there !== undefined) {
    if (contentOf(there).folder !== undefined) {
      return tell(store, 'left-kept', file, name);
    }
    await unlessGone(removeFile(store, file, op));
    return tell(store, 'left-deleted', file, name);
  }
  const { modTime } = file;
  const keep = modTime === undefined ? {} : { modTime };
  await unlessGone(renameItem(store, address, { name, about: file.path }, op, keep));
  tell(store, 'left-renamed', file, name);
}

async function removeCopy(
  store: DriveStore,
  file: FileEntry,
  maxAgeMs: number,
  op: Op,
): Promise<void> {
  const item = await store.folders.look(store.toService(file.path), op);
  const madeMs = Date.parse(item?.createdDateTime ?? '');
  // A time that is not told is no reason to delete anything.
  if (!(madeMs <= store.client.context.clock.now() - maxAgeMs)) return;
  await unlessGone(removeFile(store, file, op));
  tell(store, 'left-copy-deleted', file);
}

/** The run that left it may be at work still. */
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
