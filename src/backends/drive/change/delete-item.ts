import { SyncerError, toSyncerError } from '../../../core/errors.ts';
import { mapAtOnce } from '../../../core/map-at-once.ts';
import type { FileEntry } from '../../../core/remote.ts';
import { deleteOneByOne } from '../../../core/remote-calls.ts';
import { listAll, listPages } from '../client/graph-client.ts';
import {
  badAnswer,
  GraphError,
  type GraphRequest,
  hasStatus,
  saysMissing,
} from '../client/graph-request.ts';
import type { Drive } from '../drive-store.ts';
import { findItem } from '../items/get-item.ts';
import {
  contentOf,
  type GraphItem,
  type ItemAddress,
  type ItemId,
  idOf,
  requestPath,
} from '../items/graph-item.ts';
import { addressOf, onlyIfSame, selfOf } from '../items/tell-entry.ts';

/** How often a directory is looked up again if it changes while it is deleted. */
const TRIES = 3;

/** Deletes a file if it has not changed; of a shortcut only the shortcut. */
export async function deleteFile(drive: Drive, file: FileEntry): Promise<void> {
  drive.op.signal.throwIfAborted();
  await checkHardDelete(drive, file.path);
  const { path, id } = file;
  let itemId: string | undefined;
  if (id === undefined) {
    const item = await drive.look(drive.toService(path));
    if (item === undefined) throw new SyncerError('file-not-found', 'file not found', { path });
    if (contentOf(item).folder !== undefined) {
      throw new SyncerError('not-a-file', `cannot delete ${path}: it is a directory`, { path });
    }
    itemId = item.id;
  }
  const { address, isShortcut } = await selfOf(drive, file);
  const remove = (condition: Readonly<Record<string, string>>) =>
    deleteItem(drive, address, path, condition);
  await (isShortcut ? remove({}) : onlyIfSame(drive, file, remove));
  if (!isShortcut) await noteBinned(drive, path, { ...address, id: itemId ?? address.id });
  drive.directories.forget(drive.toService(path));
  if (id !== undefined) drive.store.downloadUrls.forget(id);
}

/** Says that a deleted file is in the recycle bin: only that of a personal drive can be restored from. */
export async function noteBinned(drive: Drive, path: string, item: ItemId): Promise<void> {
  const { onKept } = drive.op.change ?? {};
  if (onKept === undefined || (await drive.known()).type !== 'personal') return;
  onKept(path, { in: 'bin', id: idOf(item) });
}

/**
 * Deletes an empty directory. Rejects with `not-empty`, `directory-not-found`, `not-a-directory`. If it has changed since
 * it was looked at, it is looked at once more: it may not be empty now, so the deletion alone is never retried.
 */
export async function deleteDir(drive: Drive, dir: string): Promise<void> {
  const { clock } = drive.client.context;
  const told = drive.told(dir);
  await checkHardDelete(drive, dir);
  for (let tries = 1; ; tries++) {
    const item = await folderAt(drive, dir, 'remove');
    // Also by what listings do not show.
    const from = `${requestPath(await drive.locate(drive.toService(dir)), '/children')}?$top=1`;
    let isListed = false;
    for await (const { items } of listPages(drive, from, { doing: 'list', about: told })) {
      isListed = items.length > 0;
      if (isListed) break;
    }
    // It would be deleted with its content: the directory's own child count matters too.
    const count = item.remoteItem === undefined ? item.folder?.childCount : 0;
    if (!isListed && typeof count !== 'number') {
      const asked = { doing: 'remove', about: told };
      throw badAnswer(asked, 'the service does not say how many items the directory has');
    }
    const isSaid = count !== undefined && count > 0;
    if (isListed || (isSaid && tries >= TRIES)) {
      const text = `cannot remove ${told}: it is not empty`;
      throw new SyncerError('not-empty', text, { path: dir });
    }
    if (isSaid) {
      // It may still count what was just deleted.
      await clock.sleep(500, drive.op.signal);
      continue;
    }
    try {
      // It must be the item that was checked.
      return await deleteDirectory(drive, dir, item);
    } catch (thrown) {
      if (!hasStatus(thrown, 412) || tries >= TRIES) throw thrown;
    }
  }
}

/** Deletes a directory with all below it. Rejects with `directory-not-found`, `not-a-directory`. */
export async function purgeDir(drive: Drive, dir: string): Promise<void> {
  await checkHardDelete(drive, dir);
  await folderAt(drive, dir, 'remove');
  await deleteDirectory(drive, dir, undefined);
}

/** See `Capabilities.deleteShortcut`. */
export async function deleteShortcut(drive: Drive, dir: string): Promise<void> {
  await checkHardDelete(drive, dir);
  drive.directories.forget(drive.toService(dir));
  const item = await folderAt(drive, dir, 'remove');
  if (item.remoteItem === undefined) {
    const text = `cannot delete the shortcut ${drive.told(dir)}: it is a directory by now`;
    throw new SyncerError('not-empty', text, { path: dir });
  }
  await deleteDirectory(drive, dir, undefined);
}

/** Rejects with `config` if items are to be deleted permanently, and the drive only has a recycle bin. */
async function checkHardDelete(drive: Drive, path: string): Promise<void> {
  if (!drive.settings.hardDelete || (await drive.known()).type !== 'personal') return;
  const why =
    'personal drives do not support hard_delete; without it, it goes into the recycle bin';
  throw new SyncerError('config', `cannot delete ${drive.told(path)}: ${why}`, { path });
}

/** The item of a directory, to remove or move it. Rejects with `directory-not-found`, `not-a-directory`. */
export async function folderAt(drive: Drive, dir: string, doing: string): Promise<GraphItem> {
  const path = drive.toService(dir);
  if (path === '') throw new SyncerError('not-empty', "can't remove the root of the drive");
  const item = await drive.look(path);
  if (item === undefined) {
    throw new SyncerError('directory-not-found', 'directory not found', { path: dir });
  }
  if (contentOf(item).folder !== undefined) return item;
  const text = `cannot ${doing} ${drive.told(dir)}: it is a file`;
  throw new SyncerError('not-a-directory', text, { path: dir });
}

async function deleteDirectory(drive: Drive, dir: string, only: GraphItem | undefined) {
  const path = drive.toService(dir);
  const address = await drive.locateSelf(path);
  const isShortcut = drive.directories.shortcutAt(path) !== undefined;
  const tag = isShortcut ? undefined : (only?.cTag ?? only?.eTag);
  await deleteItem(drive, address, dir, tag === undefined ? {} : { 'if-match': tag });
  drive.directories.forget(path);
}

/** Deletes an item with its content: into the recycle bin, or permanently if the settings say so. */
export async function deleteItem(
  drive: Drive,
  address: ItemAddress,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { hardDelete } = drive.settings;
  const isForGood = hardDelete && (await drive.known()).type !== 'personal';
  const request = {
    method: isForGood ? 'POST' : 'DELETE',
    to: requestPath(address, isForGood ? '/permanentDelete' : ''),
    headers,
    doing: 'delete',
    about: drive.told(path),
  } as const;
  let missing: GraphError | undefined;
  try {
    const answer = await drive.call(request);
    if (answer.status === 204 && answer.headers['request-id'] !== undefined) return;
  } catch (thrown) {
    if (!saysMissing(thrown)) throw thrown;
    missing = thrown;
  }
  // No response of the service itself: the request may not have reached it.
  const there = await findItem(drive, address, request.about);
  if (there !== undefined)
    throw badAnswer(request, 'the response is inconsistent: it is still there');
  // An earlier try may have done it, with its response lost.
  if (missing?.afterUnsure === false) throw missing;
}

/** Requests in one batch. */
const BATCH = 20;

/** Deletes files, twenty per request; what a batch does not delete, and all if there are none, one by one. */
export async function deleteFiles(
  drive: Drive,
  files: readonly FileEntry[],
): Promise<ReadonlyMap<FileEntry, Error>> {
  drive.op.signal.throwIfAborted();
  if (files.length === 1) return deleteOneByOne(files, drive.op, (file) => deleteFile(drive, file));
  const failures = new Map<FileEntry, Error>();
  const groups: FileEntry[][] = [];
  for (let i = 0; i < files.length; i += BATCH) groups.push(files.slice(i, i + BATCH));
  await mapAtOnce(groups, 4, async (group) => {
    const { done, mayBeGone } = await runBatch(drive, group);
    const left = group.filter((file) => !done.has(file));
    await Promise.all(
      left.map(async (file) => {
        try {
          await deleteFile(drive, file);
        } catch (thrown) {
          drive.op.signal.throwIfAborted();
          const error = toSyncerError(thrown);
          if (!(mayBeGone && error.code === 'file-not-found')) failures.set(file, error);
        }
      }),
    );
  });
  return failures;
}

/** Sends deletions as one batch. `mayBeGone`: its response was lost, so a missing file may just have been deleted. */
async function runBatch(drive: Drive, group: readonly FileEntry[]) {
  const none = { done: new Set<FileEntry>(), mayBeGone: false };
  if (drive.settings.hardDelete || !drive.store.batches || group.length < 2) return none;
  const requests = await Promise.all(
    group.map(async (file, id) => {
      const { address, isShortcut } = await selfOf(drive, file);
      // Looked up first, by itself.
      if (isShortcut || address.rest !== '' || file.etag === undefined) return undefined;
      const headers = { 'if-match': file.etag };
      return { id: String(id), method: 'DELETE', url: requestPath(address), headers };
    }),
  );
  const request = {
    method: 'POST',
    to: '/$batch',
    json: { requests: requests.filter((each) => each !== undefined) },
    isOnce: true,
    doing: 'delete',
    about: `${group.length} files`,
  } as const;
  try {
    const { json } = await drive.call(request);
    const answers = Array.isArray(json['responses']) ? json['responses'] : [];
    const done = new Set<FileEntry>();
    let refused = 0;
    for (const answer of answers as readonly ({ id?: string; status?: number } | null)[]) {
      const file = group.find((_, id) => String(id) === answer?.id);
      if (typeof answer?.status === 'number' && answer.status >= 400) refused++;
      if (file === undefined || answer?.status !== 204) continue;
      done.add(file);
      const { address } = await selfOf(drive, file);
      await noteBinned(drive, file.path, address);
      drive.directories.forget(drive.toService(file.path));
      if (file.id !== undefined) drive.store.downloadUrls.forget(file.id);
    }
    return { done, mayBeGone: done.size + refused < request.json.requests.length };
  } catch (thrown) {
    drive.op.signal.throwIfAborted();
    if (thrown instanceof SyncerError && thrown.stop) throw thrown;
    const isRefused = thrown instanceof GraphError;
    if (isRefused && [400, 403, 404, 405, 501].includes(thrown.status)) drive.store.batches = false;
    return { ...none, mayBeGone: !isRefused || thrown.code === 'server' };
  }
}

/** An earlier version of a file. */
export interface Version {
  readonly id?: string;
  readonly lastModifiedDateTime?: string;
  /** In bytes. */
  readonly size?: number;
}

/** Deletes all versions of a file but the current one. Personal drives do not support it: nothing happens there. */
export async function deleteVersions(drive: Drive, file: FileEntry): Promise<void> {
  const { type } = await drive.known();
  if (type === 'personal') return;
  const to = requestPath(await addressOf(drive, file), '/versions');
  const about = `versions of ${file.path}`;
  for (const { id, size = 0 } of (await allVersions(drive, file)).slice(1)) {
    if (id === undefined) continue;
    const destroy = () =>
      deletePart(drive, `${to}/${encodeURIComponent(id)}`, { doing: 'remove old', about });
    const { loseVersion } = drive.op.change ?? {};
    await (loseVersion?.({ path: file.path, id, size }, destroy) ?? destroy());
  }
}

/** The versions of a file, newest first; the first is the current one. */
export async function allVersions(drive: Drive, file: FileEntry): Promise<readonly Version[]> {
  const to = requestPath(await addressOf(drive, file), '/versions');
  const asked = { doing: 'list the', about: `versions of ${file.path}` };
  return listAll<Version>(drive, to, asked);
}

/** Deletes a part of an item: a version, a permission. Rejects with `bad-answer` if the service does not confirm it. */
export async function deletePart(
  drive: Drive,
  to: string,
  asked: Pick<GraphRequest, 'doing' | 'about'>,
): Promise<void> {
  const { status } = await drive.call({ method: 'DELETE', to, ...asked });
  if (status !== 204) throw badAnswer(asked, 'the service did not confirm it');
}
