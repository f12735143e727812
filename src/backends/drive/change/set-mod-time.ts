import { hasCode, SyncerError } from '../../../core/errors.ts';
import type { ModTime } from '../../../core/mod-time.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { badAnswer, type GraphRequest } from '../client/graph-request.ts';
import type { DriveStore } from '../drive-store.ts';
import { onlyIfSame } from '../items/compare-content.ts';
import { getItem } from '../items/get-item.ts';
import { contentOf, type GraphItem } from '../items/graph-item.ts';
import { type ItemAddress, requestPath } from '../items/item-address.ts';
import { timesOf } from '../items/item-entry.ts';
import { addressOf, tellFile } from '../items/tell-entry.ts';
import { differs, type WantedItem, wantedAt } from '../items/wanted-item.ts';
import { deleteVersions } from './versions.ts';

/** Sets the modification time of a file if it has not changed. Rejects with `precondition-failed`. */
export async function setModTime(
  store: DriveStore,
  file: FileEntry,
  modTime: ModTime,
  op: Op,
): Promise<FileEntry> {
  const address = await addressOf(store, file, op);
  const item = await onlyIfSame(store, file, op, (condition) =>
    setTime(store, address, { path: file.path, modTime }, op, condition),
  );
  const set = await tellFile(store, item, file.path, op);
  if (store.settings.noVersions) await deleteVersions(store, set, op);
  return set;
}

/** Sets the modification time of a directory. Rejects with `directory-not-found`. */
export async function setDirModTime(
  store: DriveStore,
  dir: string,
  modTime: ModTime,
  op: Op,
): Promise<void> {
  const path = store.toService(dir);
  const known = await store.directories.locate(path, op);
  const item = known.rest === '' ? undefined : await store.directories.look(path, op);
  if (known.rest !== '' && (item === undefined || contentOf(item).folder === undefined)) {
    throw new SyncerError('directory-not-found', 'directory not found', { path: dir });
  }
  try {
    await setTime(store, known, { path: dir, modTime }, op);
  } catch (thrown) {
    if (!hasCode(thrown, 'file-not-found')) throw thrown;
    throw new SyncerError('directory-not-found', 'directory not found', { path: dir });
  }
}

/** Sets the modification time of an item. Resolves to the changed item. */
export async function setTime(
  store: DriveStore,
  address: ItemAddress,
  { path, modTime }: { readonly path: string; readonly modTime?: ModTime },
  op: Op,
  headers: Readonly<Record<string, string>> = {},
): Promise<GraphItem> {
  const request = {
    method: 'PATCH',
    to: requestPath(address),
    headers,
    json: { fileSystemInfo: timesOf(modTime) },
    doing: 'set the time of',
    about: path,
  } as const;
  const wanted = { ...wantedAt(address), ...(modTime === undefined ? {} : { modTime }) };
  return changedItem(store, address, request, wanted, op);
}

/**
 * Changes an item and resolves to it. If the response does not prove the change, the item is read; rejects with
 * `bad-answer` if that does not prove it.
 *
 * @param address of the item after the change
 */
async function changedItem(
  store: DriveStore,
  address: ItemAddress,
  request: GraphRequest,
  wanted: WantedItem,
  op: Op,
): Promise<GraphItem> {
  const { json } = await store.client.call(request, op);
  if (differs(json, wanted) === undefined) return json;
  const item = await getItem(store.client, address, request.about, op);
  const wrong = differs(item, wanted);
  if (wrong === undefined) return item;
  throw badAnswer(request, `the response is inconsistent: ${wrong}`);
}
