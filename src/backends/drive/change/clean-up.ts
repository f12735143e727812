import { toSyncerError } from '../../../core/errors.ts';
import type { FileEntry } from '../../../core/remote.ts';
import { readPages } from '../../../core/remote-calls.ts';
import { joinPath, leafName, parentPath } from '../../../core/remote-path.ts';
import { hasStatus } from '../client/graph-request.ts';
import type { Drive } from '../drive-store.ts';
import { contentOf } from '../items/graph-item.ts';
import { selfOf } from '../items/tell-entry.ts';
import { listChildren } from '../listing/list-children.ts';
import { deleteFile, deleteVersions } from './delete-item.ts';
import { leftUnder, renameItem } from './in-place-of.ts';

/** Deletes old versions of all files, as rclone does, and settles leftovers; copies younger than `maxAgeMs` stay. */
export async function cleanUp(drive: Drive, maxAgeMs: number): Promise<void> {
  const settled = (path: string, work: Promise<void>) =>
    work.catch((thrown) => {
      drive.op.signal.throwIfAborted();
      const error = toSyncerError(thrown);
      if (error.stop || drive.op.change?.onNotDeleted === undefined) throw error;
      drive.op.change.onNotDeleted(path, error);
    });
  const dirs = [''];
  for (let dir = dirs.pop(); dir !== undefined; dir = dirs.pop()) {
    const left: FileEntry[] = [];
    const readPage = (cursor?: string) => listChildren(drive, dir, cursor);
    for await (const entries of readPages(readPage, () => {})) {
      for (const entry of entries) {
        if (entry.kind === 'dir') dirs.push(entry.path);
        else if (leftUnder(leafName(drive.toService(entry.path))) !== undefined) left.push(entry);
        // A notebook is no file and has no versions.
        else if (entry.mimeType !== undefined)
          await settled(entry.path, deleteVersions(drive, entry));
      }
    }
    // Not during the listing of the directory: a restored name would be listed twice, or not at all.
    for (const file of left) await settled(file.path, settleLeft(drive, file, maxAgeMs));
  }
}

/** Handles a leftover: a file moved aside gets its name back, or is deleted if that is taken, as is an old copy. */
async function settleLeft(drive: Drive, file: FileEntry, maxAgeMs: number): Promise<void> {
  const path = drive.toService(file.path);
  const left = leftUnder(leafName(path));
  if (left?.kind === 'copy') {
    const item = await drive.look(path);
    const madeMs = Date.parse(item?.createdDateTime ?? '');
    // A missing time is no reason to delete anything.
    if (!(madeMs <= drive.client.context.clock.now() - maxAgeMs)) return;
    await unlessGone(deleteFile(drive, file));
    return tell(drive, 'left-copy-deleted', file);
  }
  if (left?.name === undefined) return tell(drive, 'left-unnamed', file);
  const { name } = left;
  const { address } = await selfOf(drive, file);
  // Looked up again: a run in progress may have moved the file aside after the name was listed.
  const there = await drive.look(joinPath(parentPath(path), name));
  if (there?.id === address.id) return;
  if (there === undefined) {
    const { path: about, modTime } = file;
    await unlessGone(renameItem(drive, address, { name, about }, { modTime }));
    return tell(drive, 'left-renamed', file, name);
  }
  if (contentOf(there).folder !== undefined) return tell(drive, 'left-kept', file, name);
  await unlessGone(deleteFile(drive, file));
  tell(drive, 'left-deleted', file, name);
}

/** The run that left it may still be working. */
async function unlessGone(change: Promise<unknown>): Promise<void> {
  await change.catch((thrown) => {
    if (!hasStatus(thrown, 404, 409)) throw thrown;
  });
}

function tell(
  drive: Drive,
  code: 'left-unnamed' | 'left-kept' | 'left-deleted' | 'left-renamed' | 'left-copy-deleted',
  { path }: FileEntry,
  name = '',
): void {
  const fields = { path, name: drive.toStandard(name) };
  drive.client.context.emit({ type: 'log', level: 'notice', code, fields });
}
