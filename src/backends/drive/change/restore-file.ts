import { SyncerError } from '../../../core/errors.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { leafName, parentPath } from '../../../core/remote-path.ts';
import type { RestoreJob, Restoring } from '../../../core/restoring.ts';
import { hasStatus, saysMissing } from '../client/graph-error.ts';
import { badAnswer } from '../client/graph-request.ts';
import type { DriveStore } from '../drive-store.ts';
import { findItem, getItem } from '../items/get-item.ts';
import { type GraphItem, isSameTime } from '../items/graph-item.ts';
import { type ItemAddress, oneForm, requestPath } from '../items/item-address.ts';
import { timeOf } from '../items/item-entry.ts';

import { addressOf, tellFile } from '../items/tell-entry.ts';
import { differs } from '../items/wanted-item.ts';
import { asideName } from './aside-name.ts';
import { inPlaceOf } from './in-place-of.ts';
import { renameItem } from './rename-item.ts';
import { setTime } from './set-mod-time.ts';
import { allVersions, type Version } from './versions.ts';

/** How many versions of the right size are tried. */
const MOST_TRIED = 3;

/** See `Capabilities.restoring`: the recycle bin of personal drives, and the versions of all. */
export function restoringFiles(store: DriveStore): Restoring<FileEntry, Op> {
  return {
    // Users empty the bin, and administrators limit the versions.
    keeps: async () => ({ deleted: false, replaced: false }),
    restore: (job, op) =>
      job.kept.in === 'bin'
        ? restoreFromBin(store, job, job.kept.id, op)
        : restoreVersion(store, job, job.kept.hash, op),
    isInBin: async (id, op) =>
      (await findItem(store.client, binAddress(id), 'a deleted file', op)) === undefined,
  };
}

/** A hash that proves which version a file was; `undefined` if the listing had none. */
export function versionHash({ hashes = {} }: FileEntry): string | undefined {
  const [first] = Object.entries(hashes);
  return first?.join(':');
}

function binAddress(id: string): ItemAddress {
  const [driveId = '', item = ''] = id.split('#');
  return { driveId: oneForm(driveId), id: oneForm(item), rest: '' };
}

async function restoreFromBin(
  store: DriveStore,
  { path, current }: RestoreJob<FileEntry>,
  id: string,
  op: Op,
): Promise<FileEntry> {
  op.signal.throwIfAborted();
  const target = store.toService(path);
  const folder = await store.directories.ensureWithId(parentPath(target), op);
  const address = binAddress(id);
  const leaf = leafName(target);
  const name = current === undefined ? leaf : asideName(target);
  const wanted = {
    ...{ id: address.id, name },
    ...(folder.hasAliases === true ? {} : { folder: folder.id }),
  };
  const request = {
    method: 'POST',
    to: requestPath(address, '/restore'),
    json: { parentReference: { id: folder.id }, name },
    isNaming: true,
    doing: 'restore',
    about: store.told(path),
  } as const;
  let item: GraphItem | undefined;
  try {
    item = (await store.client.call(request, op)).json;
  } catch (thrown) {
    if (!saysMissing(thrown) && !hasStatus(thrown, 400, 409)) throw thrown;
    // An earlier try may have done it, with its response lost.
    item = await findItem(store.client, address, request.about, op);
    if (item === undefined && !saysMissing(thrown)) throw thrown;
  }
  if (item === undefined) {
    const text = `${path} is no longer in the recycle bin`;
    throw new SyncerError('file-not-found', text, { path });
  }
  if (differs(item, wanted) !== undefined) {
    item = await getItem(store.client, address, request.about, op);
    const wrong = differs(item, wanted);
    if (wrong !== undefined) throw badAnswer(request, `the response is inconsistent: ${wrong}`);
  }
  if (current !== undefined) {
    const times = item.fileSystemInfo;
    const put = (own: Op) =>
      renameItem(store, address, { name: leaf, about: path }, own, times ? { times } : {});
    item = await inPlaceOf(store, path, op, { id: address.id, put });
  }
  store.directories.forget(target);
  return tellFile(store, item, path, op);
}

async function restoreVersion(
  store: DriveStore,
  { path, old, current }: RestoreJob<FileEntry>,
  hash: string | undefined,
  op: Op,
): Promise<FileEntry> {
  const gone = new SyncerError('file-not-found', `the old version of ${path} is no longer kept`, {
    path,
  });
  // The versions of a deleted file went with it.
  if (current === undefined || hash === undefined) throw gone;
  const address = await addressOf(store, current, op);
  const [newest, ...older] = await allVersions(store, current, op);
  const fitting = older.filter(({ size }) => size === undefined || size === old.size);
  let tried = false;
  for (const version of fitting.slice(0, MOST_TRIED)) {
    tried = true;
    const item = await makeCurrent(store, address, version, path, op);
    if (versionHash(await tellFile(store, item, path, op)) !== hash) continue;
    const { modTime } = old;
    const isTimed = modTime === undefined || isSameTime(timeOf(item), modTime);
    const timed = isTimed ? item : await setTime(store, address, { path, modTime }, op);
    const replaced = versionHash(current);
    if (replaced !== undefined) op.change?.onKept?.(path, { in: 'versions', hash: replaced });
    return tellFile(store, timed, path, op);
  }
  if (tried && newest !== undefined) {
    const item = await makeCurrent(store, address, newest, path, op);
    const { modTime } = current;
    if (modTime !== undefined && !isSameTime(timeOf(item), modTime)) {
      await setTime(store, address, { path, modTime }, op);
    }
  }
  throw gone;
}

/** Makes a version the current one; it stays a version too. */
async function makeCurrent(
  store: DriveStore,
  address: ItemAddress,
  { id = '' }: Version,
  path: string,
  op: Op,
): Promise<GraphItem> {
  const request = {
    method: 'POST',
    to: requestPath(address, `/versions/${encodeURIComponent(id)}/restoreVersion`),
    doing: 'restore a version of',
    about: path,
  } as const;
  await store.client.call(request, op);
  if (address.id !== '') store.downloadUrls.forget(`${address.driveId}#${address.id}`);
  return getItem(store.client, address, path, op);
}
