import type { FileEntry, Op } from '../../../core/remote.ts';
import { leafName } from '../../../core/remote-path.ts';
import { listChildren } from '../listing/list-children.ts';
import type { DriveStore } from '../store.ts';
import { leftUnder } from './aside-name.ts';
import { settleLeft } from './settle-left.ts';
import { removeVersions } from './versions.ts';

/**
 * Removes old versions of all files, as rclone does, whatever their age, and puts right what was left of files that
 * took the place of others. What uploads left goes by itself.
 *
 * @param maxAgeMs copies that are younger than this may belong to a run that is still at work
 */
export async function cleanUp(store: DriveStore, maxAgeMs: number, op: Op): Promise<void> {
  const dirs = [''];
  for (let dir = dirs.pop(); dir !== undefined; dir = dirs.pop()) {
    const left: FileEntry[] = [];
    let cursor: string | undefined;
    do {
      const page = await listChildren(store, dir, cursor, op);
      for (const entry of page.entries) {
        if (entry.kind === 'dir') dirs.push(entry.path);
        else if (leftUnder(leafName(store.toService(entry.path))) !== undefined) left.push(entry);
        else if (entry.size >= 0) await removeVersions(store, entry, op);
      }
      cursor = page.cursor;
    } while (cursor !== undefined);
    // Not while the directory is being listed: a name given back would come twice, or not at all.
    for (const file of left) await settleLeft(store, file, maxAgeMs, op);
  }
}
