import type { Op } from '../../../core/remote.ts';
import { listChildren } from '../listing/list-children.ts';
import type { DriveStore } from '../store.ts';
import { removeVersions } from './versions.ts';

/** Removes old versions of all files, as rclone does, whatever their age. What uploads left goes by itself. */
export async function cleanUp(store: DriveStore, op: Op): Promise<void> {
  const dirs = [''];
  for (let dir = dirs.pop(); dir !== undefined; dir = dirs.pop()) {
    let cursor: string | undefined;
    do {
      const page = await listChildren(store, dir, cursor, op);
      for (const entry of page.entries) {
        if (entry.kind === 'dir') dirs.push(entry.path);
        else if (entry.size >= 0) await removeVersions(store, entry, op);
      }
      cursor = page.cursor;
    } while (cursor !== undefined);
  }
}
