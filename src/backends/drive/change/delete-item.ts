import { deleteOneByOne } from '../../../core/deleting.ts';
import { SyncerError, toSyncerError } from '../../../core/errors.ts';
import { mapAtOnce } from '../../../core/map-at-once.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { listAll, listPages } from '../client/graph-client.ts';
import { GraphError, hasStatus, saysMissing } from '../client/graph-error.ts';
import { badAnswer, type GraphRequest } from '../client/graph-request.ts';
import type { DriveStore } from '../drive-store.ts';
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

/** How long a directory may still count what was just deleted, in milliseconds. */
const COUNTED_MS = 500;

/** Deletes a file if it has not changed; of a shortcut only the shortcut. */
export async function deleteFile(store: DriveStore, file: FileEntry, op: Op): Promise<void> {
  op.signal.throwIfAborted();
  await checkHardDelete(store, file.path, op);
  const { path, id } = file;
  let itemId: string | undefined;
  if (id === undefined) {
    const item = await store.directories.look(store.toService(path), op);
    if (item === undefined) throw new SyncerError('file-not-found', 'file not found', { path });
    if (contentOf(item).folder !== undefined) {
      throw new SyncerError('not-a-file', `cannot delete ${path}: it is a directory`, { path });
    }
    itemId = item.id;
  }
  const { address, isShortcut } = await selfOf(store, file, op);
  const remove = (condition: Readonly<Record<string, string>>) =>
    deleteItem(store, address, path, op, condition);
  await (isShortcut ? remove({}) : onlyIfSame(store, file, op, remove));
  if (!isShortcut) await noteBinned(store, path, { ...address, id: itemId ?? address.id }, op);
  store.directories.forget(store.toService(path));
  if (id !== undefined) store.downloadUrls.forget(id);
}

/** Says that a deleted file is in the recycle bin: only that of a personal drive can be restored from. */
export async function noteBinned(
  store: DriveStore,
  path: string,
  item: ItemId,
  op: Op,
): Promise<void> {
  const { onKept } = op.change ?? {};
  if (onKept === undefined || (await store.drive(op)).type !== 'personal') return;
  onKept(path, { in: 'bin', id: idOf(item) });
}

/** Deletes an empty directory. Rejects with `not-empty`, `directory-not-found`, `not-a-directory`. */
export async function deleteDir(store: DriveStore, dir: string, op: Op): Promise<void> {
  const { clock } = store.client.context;
  await checkHardDelete(store, dir, op);
  for (let tries = 1; ; tries++) {
    const item = await folderAt(store, dir, op);
    const isListed = await listsAnything(store, dir, op);
    // It would be deleted with its content: the directory's own child count matters too.
    const isSaid = item.remoteItem === undefined && (item.folder?.childCount ?? 0) > 0;
    if (isListed || (isSaid && tries >= TRIES)) {
      throw new SyncerError('not-empty', `cannot remove ${store.told(dir)}: it is not empty`, {
        path: dir,
      });
    }
    if (isSaid) {
      await clock.sleep(COUNTED_MS, op.signal);
      continue;
    }
    try {
      // It must be the item that was checked.
      return await deleteDirectory(store, dir, op, item);
    } catch (thrown) {
      if (!hasStatus(thrown, 412) || tries >= TRIES) throw thrown;
    }
  }
}

/** Deletes a directory with all below it. Rejects with `directory-not-found`, `not-a-directory`. */
export async function purgeDir(store: DriveStore, dir: string, op: Op): Promise<void> {
  await checkHardDelete(store, dir, op);
  await folderAt(store, dir, op);
  await deleteDirectory(store, dir, op, undefined);
}

/** Rejects with `config` if items are to be deleted permanently, and the drive only has a recycle bin. */
async function checkHardDelete(store: DriveStore, path: string, op: Op): Promise<void> {
  if (!store.settings.hardDelete || (await store.drive(op)).type !== 'personal') return;
  const why =
    'personal drives do not support hard_delete; without it, it goes into the recycle bin';
  throw new SyncerError('config', `cannot delete ${store.told(path)}: ${why}`, { path });
}

async function folderAt(store: DriveStore, dir: string, op: Op): Promise<GraphItem> {
  const path = store.toService(dir);
  if (path === '') throw new SyncerError('not-empty', "can't remove the root of the drive");
  const item = await store.directories.look(path, op);
  if (item === undefined) {
    throw new SyncerError('directory-not-found', 'directory not found', { path: dir });
  }
  if (contentOf(item).folder !== undefined) return item;
  throw new SyncerError('not-a-directory', `cannot remove ${store.told(dir)}: it is a file`, {
    path: dir,
  });
}

async function deleteDirectory(
  store: DriveStore,
  dir: string,
  op: Op,
  only: GraphItem | undefined,
): Promise<void> {
  const path = store.toService(dir);
  const address = await store.directories.locateSelf(path, op);
  const isShortcut = store.directories.shortcutAt(path) !== undefined;
  const tag = isShortcut ? undefined : (only?.cTag ?? only?.eTag);
  await deleteItem(store, address, dir, op, tag === undefined ? {} : { 'if-match': tag });
  store.directories.forget(path);
}

/** Whether a directory has any content, including what listings do not show. */
async function listsAnything(store: DriveStore, dir: string, op: Op): Promise<boolean> {
  const address = await store.directories.locate(store.toService(dir), op);
  const from = `${requestPath(address, '/children')}?$top=1`;
  const asked = { doing: 'list', about: store.told(dir) };
  for await (const { items } of listPages(store.client, from, asked, op)) {
    if (items.length > 0) return true;
  }
  return false;
}

/** Deletes an item with its content: into the recycle bin, or permanently if the settings say so. */
export async function deleteItem(
  store: DriveStore,
  address: ItemAddress,
  path: string,
  op: Op,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { hardDelete } = store.settings;
  const isForGood = hardDelete && (await store.drive(op)).type !== 'personal';
  const request = {
    method: isForGood ? 'POST' : 'DELETE',
    to: requestPath(address, isForGood ? '/permanentDelete' : ''),
    headers,
    doing: 'delete',
    about: store.told(path),
  } as const;
  let missing: GraphError | undefined;
  try {
    const answer = await store.client.call(request, op);
    if (answer.status === 204 && answer.headers['request-id'] !== undefined) return;
  } catch (thrown) {
    if (!saysMissing(thrown)) throw thrown;
    missing = thrown;
  }
  // No response of the service itself: the request may not have reached it.
  const there = await findItem(store.client, address, request.about, op);
  if (there !== undefined)
    throw badAnswer(request, 'the response is inconsistent: it is still there');
  // An earlier try may have done it, with its response lost.
  if (missing?.afterUnsure === false) throw missing;
}

/** Requests in one batch. */
const BATCH = 20;

/** Batches in parallel. */
const AT_ONCE = 4;

/**
 * Deletes files, several ones twenty per request. What a batch does not delete, and everything if batches are not supported, is
 * deleted one by one.
 */
export async function deleteFiles(
  store: DriveStore,
  files: readonly FileEntry[],
  op: Op,
): Promise<ReadonlyMap<FileEntry, Error>> {
  op.signal.throwIfAborted();
  if (files.length === 1) return deleteOneByOne(files, op, (file) => deleteFile(store, file, op));
  const failures = new Map<FileEntry, Error>();
  const groups: FileEntry[][] = [];
  for (let i = 0; i < files.length; i += BATCH) groups.push(files.slice(i, i + BATCH));
  await mapAtOnce(groups, AT_ONCE, (group) => deleteGroup(store, group, failures, op));
  return failures;
}

async function deleteGroup(
  store: DriveStore,
  group: readonly FileEntry[],
  failures: Map<FileEntry, Error>,
  op: Op,
): Promise<void> {
  const { done, mayBeGone } = await runBatch(store, group, op);
  const left = group.filter((file) => !done.has(file));
  await Promise.all(
    left.map(async (file) => {
      try {
        await deleteFile(store, file, op);
      } catch (thrown) {
        op.signal.throwIfAborted();
        const error = toSyncerError(thrown);
        if (!(mayBeGone && error.code === 'file-not-found')) failures.set(file, error);
      }
    }),
  );
}

interface BatchOutcome {
  readonly done: ReadonlySet<FileEntry>;
  /** The response was lost: a missing file may just have been deleted. */
  readonly mayBeGone: boolean;
}

interface BatchAnswer {
  readonly id?: string;
  readonly status?: number;
}

/** Sends deletions as one batch; resolves to what the service says about each. */
async function runBatch(
  store: DriveStore,
  group: readonly FileEntry[],
  op: Op,
): Promise<BatchOutcome> {
  const none = { done: new Set<FileEntry>(), mayBeGone: false };
  if (store.settings.hardDelete || !store.batches || group.length < 2) return none;
  const requests = await Promise.all(
    group.map((file, id) => deletion(store, file, String(id), op)),
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
    const { json } = await store.client.call(request, op);
    const answers = Array.isArray(json['responses']) ? json['responses'] : [];
    const done = new Set<FileEntry>();
    let refused = 0;
    for (const answer of answers as readonly (BatchAnswer | null)[]) {
      const file = group.find((_, id) => String(id) === answer?.id);
      if (typeof answer?.status === 'number' && answer.status >= 400) refused++;
      if (file === undefined || answer?.status !== 204) continue;
      done.add(file);
      const { address } = await selfOf(store, file, op);
      await noteBinned(store, file.path, address, op);
      store.directories.forget(store.toService(file.path));
      if (file.id !== undefined) store.downloadUrls.forget(file.id);
    }
    return { done, mayBeGone: done.size + refused < request.json.requests.length };
  } catch (thrown) {
    op.signal.throwIfAborted();
    if (thrown instanceof SyncerError && thrown.stop) throw thrown;
    const isRefused = thrown instanceof GraphError;
    if (isRefused && [400, 403, 404, 405, 501].includes(thrown.status)) store.batches = false;
    return { done: new Set(), mayBeGone: !isRefused || thrown.code === 'server' };
  }
}

/** A request of a batch; `undefined` for a file that must be looked up first. */
async function deletion(store: DriveStore, file: FileEntry, id: string, op: Op) {
  const { address, isShortcut } = await selfOf(store, file, op);
  if (isShortcut || address.rest !== '' || file.etag === undefined) return undefined;
  const headers = { 'if-match': file.etag };
  return { id, method: 'DELETE', url: requestPath(address), headers };
}

/** An earlier version of a file. */
export interface Version {
  readonly id?: string;
  readonly lastModifiedDateTime?: string;
  /** In bytes. */
  readonly size?: number;
}

/** Deletes all versions of a file but the current one. Personal drives do not support it: nothing happens there. */
export async function deleteVersions(store: DriveStore, file: FileEntry, op: Op): Promise<void> {
  const { type } = await store.drive(op);
  if (type === 'personal') return;
  const to = requestPath(await addressOf(store, file, op), '/versions');
  const about = `versions of ${file.path}`;
  for (const { id } of (await allVersions(store, file, op)).slice(1)) {
    if (id === undefined) continue;
    await deletePart(store, `${to}/${encodeURIComponent(id)}`, { doing: 'remove old', about }, op);
  }
}

/** The versions of a file, newest first; the first is the current one. */
export async function allVersions(
  store: DriveStore,
  file: FileEntry,
  op: Op,
): Promise<readonly Version[]> {
  const to = requestPath(await addressOf(store, file, op), '/versions');
  const asked = { doing: 'list the', about: `versions of ${file.path}` };
  return listAll<Version>(store.client, to, asked, op);
}

/** Deletes a part of an item: a version, a permission. Rejects with `bad-answer` if the service does not confirm it. */
export async function deletePart(
  store: DriveStore,
  to: string,
  asked: Pick<GraphRequest, 'doing' | 'about'>,
  op: Op,
): Promise<void> {
  const { status } = await store.client.call({ method: 'DELETE', to, ...asked }, op);
  if (status !== 204) throw badAnswer(asked, 'the service did not confirm it');
}
