import { SyncerError } from '../../../core/errors.ts';
import { type ModTime, parseRfc3339 } from '../../../core/mod-time.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { hasStatus } from '../client/graph-error.ts';
import { badAnswer } from '../client/graph-request.ts';
import type { DriveStore } from '../drive-store.ts';
import { compareContent } from '../items/compare-content.ts';
import { getItem } from '../items/get-item.ts';
import { requestPath } from '../items/item-address.ts';
import { NO_TIME, timeOf } from '../items/item-entry.ts';
import { isSameId, isSameTime } from '../items/same-item.ts';
import { addressOf, tellFile } from '../items/tell-entry.ts';
import { deleteItem } from './delete-item.ts';
import { setTime } from './set-mod-time.ts';
import { deleteVersions, olderVersions } from './versions.ts';

/** A version to restore. */
interface Before {
  readonly id: string;
  readonly modTime: ModTime;
}

/** `Capabilities.takeBack`: restores the version from before `since`, or deletes the file if there is none. */
export async function takeBack(
  store: DriveStore,
  file: FileEntry,
  since: ModTime | undefined,
  op: Op,
): Promise<void> {
  const { path } = file;
  const item = await store.directories.look(store.toService(path), op);
  if (item === undefined) return;
  const there = await tellFile(store, item, path, op);
  if (file.id === undefined || !isSameId(there.id, file.id)) return;
  const isWrong = isStillWrong(there, file);
  if (isWrong === false) return;
  if (isWrong === undefined) {
    const text = `cannot verify ${path} after writing it`;
    throw new SyncerError('precondition-failed', text, { path });
  }
  const before = since === undefined ? undefined : await versionBefore(store, there, since, op);
  if (before === undefined || !(await restore(store, file, there, before, op))) {
    const { etag } = there;
    const address = await addressOf(store, there, op);
    await deleteItem(store, address, path, op, etag === undefined ? {} : { 'if-match': etag });
  }
  if (there.id !== undefined) store.downloadUrls.forget(there.id);
}

/** Whether an item is the written file, although the service may have changed it since; `undefined`: unknown. */
function isStillWrong(there: FileEntry, file: FileEntry): boolean | undefined {
  const isUntouched = file.etag !== undefined && there.etag === file.etag;
  if (isUntouched) return true;
  const content = compareContent(there, file);
  if (content === 'same' && file.etag !== undefined) return true;
  // A restored version may still have the time of the wrong one.
  return content === 'other' && there.modTime !== file.modTime ? false : undefined;
}

/** The newest version older than the write, by the service's clock. */
async function versionBefore(
  store: DriveStore,
  there: FileEntry,
  since: ModTime,
  op: Op,
): Promise<Before | undefined> {
  const versions = await olderVersions(store, there, op).catch((thrown) => {
    if (hasStatus(thrown, 400, 403, 404, 405, 501)) return [];
    throw thrown;
  });
  for (const { id, lastModifiedDateTime } of versions) {
    const modTime = parseRfc3339(lastModifiedDateTime ?? '');
    if (id !== undefined && modTime !== undefined && modTime < since) return { id, modTime };
  }
  return undefined;
}

/** Makes a version the current one; `false` if the service refuses. */
async function restore(
  store: DriveStore,
  file: FileEntry,
  there: FileEntry,
  before: Before,
  op: Op,
): Promise<boolean> {
  const { path } = file;
  const address = await addressOf(store, there, op);
  const request = {
    method: 'POST',
    to: requestPath(address, `/versions/${encodeURIComponent(before.id)}/restoreVersion`),
    doing: 'put back the version before of',
    about: path,
  } as const;
  try {
    await store.client.call(request, op);
  } catch (thrown) {
    if (hasStatus(thrown, 400, 405, 501)) return false;
    throw thrown;
  }
  const item = await getItem(store.client, address, path, op);
  if (item.eTag === there.etag) {
    throw badAnswer(request, 'the response is inconsistent: nothing has changed');
  }
  const isWrongTime = file.modTime !== undefined && isSameTime(before.modTime, file.modTime);
  const modTime = isWrongTime ? NO_TIME : before.modTime;
  if (!isSameTime(timeOf(item), modTime)) await setTime(store, address, { path, modTime }, op);
  if (store.settings.noVersions) await deleteVersions(store, there, op);
  return true;
}
