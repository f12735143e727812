import type { HashName } from '../../../core/hash-names.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { getItem } from '../items/get-item.ts';
import { addressOf } from '../items/item-of.ts';
import { tellFile } from '../items/tell-entry.ts';
import type { DriveStore } from '../store.ts';

/** A hash of a file: as a listing told it, else as the service tells it now; it may have none yet. */
export async function hashOf(
  store: DriveStore,
  file: FileEntry,
  name: HashName,
  op: Op,
): Promise<string | undefined> {
  if (!store.settings.hashes.includes(name)) return undefined;
  // Where one of them is told, all are that there are.
  if (file.hashes !== undefined) return file.hashes[name];
  const item = await getItem(store.client, await addressOf(store, file, op), file.path, op);
  const now = await tellFile(store, item, file.path, op);
  return now.hashes?.[name];
}
