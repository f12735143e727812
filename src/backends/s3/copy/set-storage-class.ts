import type { FileEntry, Op } from '../../../core/remote.ts';
import type { S3Store } from '../store.ts';
import { placementHeaders } from '../upload/object-headers.ts';
import { copyObject } from './copy-object.ts';

/**
 * Moves an object to another storage class by letting the store copy it onto itself, with all its metadata. Nothing
 * happens where it is in that class already.
 */
export async function setStorageClass(
  store: S3Store,
  file: FileEntry,
  tier: string,
  op: Op,
): Promise<void> {
  const storageClass = tier.toUpperCase();
  // The store refuses a copy that would change nothing.
  if (file.tier?.toUpperCase() === storageClass) return;
  const at = store.locateFile(file);
  const placement = placementHeaders({ ...store.settings, storageClass });
  await copyObject(store, { from: at, to: at, file, placement }, file.path, op);
}
