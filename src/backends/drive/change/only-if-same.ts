import type { FileEntry, Op } from '../../../core/remote.ts';
import { hasStatus } from '../client/graph-error.ts';
import { getItem } from '../items/get-item.ts';
import { addressOf } from '../items/item-of.ts';
import { tellFile } from '../items/tell-entry.ts';
import type { DriveStore } from '../store.ts';

/**
 * Changes a file on the condition that it is the one that a listing told of (`If-Match`). The service also changes
 * files by itself, without touching their content: where only that happened, it is tried again. Rejects with
 * `precondition-failed` where the content changed.
 */
export async function onlyIfSame<T>(
  store: DriveStore,
  file: FileEntry,
  op: Op,
  change: (condition: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const { etag } = file;
  if (etag === undefined) return change({});
  try {
    return await change({ 'if-match': etag });
  } catch (thrown) {
    if (!hasStatus(thrown, 412)) throw thrown;
    const item = await getItem(store.client, await addressOf(store, file, op), file.path, op);
    const now = await tellFile(store, item, file.path, op);
    if (now.etag === undefined || !hasSameContent(file, now)) throw thrown;
    return change({ 'if-match': now.etag });
  }
}

function hasSameContent(then: FileEntry, now: FileEntry): boolean {
  if (then.size !== now.size) return false;
  const hashes = Object.entries(then.hashes ?? {});
  if (hashes.length === 0) return then.modTime === now.modTime;
  return hashes.every(([name, value]) => now.hashes?.[name as 'quickxor'] === value);
}
