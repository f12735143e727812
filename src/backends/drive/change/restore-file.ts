import type { FailedWrite, RestoreJob, Restoring } from '../../../core/change-details.ts';
import { SyncerError } from '../../../core/errors.ts';
import { type ModTime, parseRfc3339 } from '../../../core/mod-time.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { leafName, parentPath } from '../../../core/remote-path.ts';
import { badAnswer, hasStatus, saysMissing } from '../client/graph-request.ts';
import type { Drive, DriveStore } from '../drive-store.ts';
import { findItem, getItem, provenItem } from '../items/get-item.ts';
import {
  type GraphItem,
  type ItemAddress,
  isSameId,
  isSameTime,
  oneForm,
  requestPath,
} from '../items/graph-item.ts';
import { NO_TIME, timeOf } from '../items/item-entry.ts';
import { addressOf, compareContent, tellFile } from '../items/tell-entry.ts';
import { allVersions, deleteItem, deleteVersions, type Version } from './delete-item.ts';
import { asideName, inPlaceOf, renameItem } from './in-place-of.ts';
import { setTime } from './set-mod-time.ts';

/** See `Capabilities.restoring`: the recycle bin of personal drives, and the versions of all. */
export function restoringFiles(store: DriveStore): Restoring<FileEntry, Op> {
  return {
    // Users empty the bin, and administrators limit the versions.
    keeps: async () => ({ deleted: false, replaced: false }),
    restore: (job, op) =>
      job.kept.in === 'bin'
        ? restoreFromBin(store.for(op), job, job.kept.id)
        : restoreVersion(store.for(op), job, job.kept.hash),
    isInBin: async (id, op) =>
      (await findItem(store.for(op), binAddress(id), 'a deleted file')) === undefined,
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

async function restoreFromBin(drive: Drive, { path, current }: RestoreJob<FileEntry>, id: string) {
  drive.op.signal.throwIfAborted();
  const target = drive.toService(path);
  const folder = await drive.ensureWithId(parentPath(target));
  const address = binAddress(id);
  const leaf = leafName(target);
  const name = current === undefined ? leaf : asideName(target);
  const wanted = { id: address.id, name, folder: folder.hasAliases ? undefined : folder.id };
  const request = {
    method: 'POST',
    to: requestPath(address, '/restore'),
    json: { parentReference: { id: folder.id }, name },
    isNaming: true,
    doing: 'restore',
    about: drive.told(path),
  } as const;
  let item: GraphItem | undefined;
  try {
    item = (await drive.call(request)).json;
  } catch (thrown) {
    if (!saysMissing(thrown) && !hasStatus(thrown, 400, 409)) throw thrown;
    // An earlier try may have done it, with its response lost.
    item = await findItem(drive, address, request.about);
    if (item === undefined && !saysMissing(thrown)) throw thrown;
  }
  if (item === undefined) {
    const text = `${path} is no longer in the recycle bin`;
    throw new SyncerError('file-not-found', text, { path });
  }
  item = await provenItem(drive, item, request, address, wanted);
  if (current !== undefined) {
    const times = item.fileSystemInfo;
    const put = (own: Drive) => renameItem(own, address, { name: leaf, about: path }, { times });
    item = await inPlaceOf(drive, path, { id: address.id, put });
  }
  drive.directories.forget(target);
  return tellFile(drive, item, path);
}

async function restoreVersion(
  drive: Drive,
  { path, old, current }: RestoreJob<FileEntry>,
  hash: string | undefined,
): Promise<FileEntry> {
  const text = `the old version of ${path} is no longer kept`;
  const gone = new SyncerError('file-not-found', text, { path });
  // The versions of a deleted file went with it.
  if (current === undefined || hash === undefined) throw gone;
  const address = await addressOf(drive, current);
  const [newest, ...older] = await allVersions(drive, current);
  const fitting = older.filter(({ size }) => size === undefined || size === old.size);
  for (const version of fitting.slice(0, 3)) {
    const item = await makeCurrent(drive, address, version, path);
    if (versionHash(await tellFile(drive, item, path)) !== hash) continue;
    const { modTime } = old;
    const isTimed = modTime === undefined || isSameTime(timeOf(item), modTime);
    const timed = isTimed ? item : await setTime(drive, address, { path, modTime });
    const replaced = versionHash(current);
    if (replaced !== undefined) drive.op.change?.onKept?.(path, { in: 'versions', hash: replaced });
    return tellFile(drive, timed, path);
  }
  if (fitting.length > 0 && newest !== undefined) {
    const item = await makeCurrent(drive, address, newest, path);
    const { modTime } = current;
    if (modTime !== undefined && !isSameTime(timeOf(item), modTime)) {
      await setTime(drive, address, { path, modTime });
    }
  }
  throw gone;
}

/** Makes a version the current one; it stays a version too. */
async function makeCurrent(drive: Drive, address: ItemAddress, { id = '' }: Version, path: string) {
  const to = requestPath(address, `/versions/${encodeURIComponent(id)}/restoreVersion`);
  const doing = 'restore a version of';
  await drive.call({ method: 'POST', to, doing, about: path });
  if (address.id !== '') drive.store.downloadUrls.forget(`${address.driveId}#${address.id}`);
  return getItem(drive, address, path);
}

/** `version` of a wrong file that has replaced another content, as the service says. */
export const REPLACING = 'replacing';

/** A version to restore. */
interface Before {
  readonly id: string;
  readonly modTime: ModTime;
  /** Otherwise the write may have created the file: it is neither restored nor deleted. */
  readonly isSure: boolean;
}

/**
 * `Capabilities.takeBack`: restores the version from before the write. A file that the write created is deleted. Rejects
 * with `unsupported` if neither is possible: what is there then stays, with a time that no other file has.
 */
export async function takeBack(drive: Drive, file: FileEntry, failed: FailedWrite): Promise<void> {
  const { path } = file;
  const since = failed.firstSince ?? failed.since;
  const item = await drive.look(drive.toService(path));
  if (item === undefined) return;
  const there = await tellFile(drive, item, path);
  if (file.id === undefined || !isSameId(there.id, file.id)) return;
  // Last written by the service before the write that is undone: that has not reached it.
  const written = parseRfc3339(item.lastModifiedDateTime ?? '');
  if (since !== undefined && written !== undefined && written < since) return;
  // The service may have changed the written file since.
  const content = compareContent(there, file);
  const isWrong = isUntouched(there, file) || (content === 'same' && file.etag !== undefined);
  // A restored version may still have the time of the wrong one.
  if (!isWrong && content === 'other' && there.modTime !== file.modTime) return;
  if (!isWrong) {
    const text = `cannot verify ${path} after writing it`;
    throw new SyncerError('precondition-failed', text, { path });
  }
  const before = versionBefore(await versionsBelow(drive, there), file, there, failed);
  // Nothing had the name before, if the service has created the item by the write, by its own clock.
  const created = parseRfc3339(item.createdDateTime ?? '');
  const start = since ?? written;
  const isCreated =
    created !== undefined &&
    start !== undefined &&
    (created >= start || (since === undefined && isSameTime(created, start)));
  if (before === undefined && file.version !== REPLACING && isCreated) {
    const { etag } = there;
    const address = await addressOf(drive, there);
    await deleteItem(drive, address, path, etag === undefined ? {} : { 'if-match': etag });
  } else if (before?.isSure !== true || !(await restore(drive, file, there, before))) {
    const address = await addressOf(drive, there);
    // It must not be taken for the file that was sent.
    await setTime(drive, address, { path, modTime: NO_TIME }).catch(() => undefined);
    const text = 'it stays, as the service does not restore the version before it';
    const advice = 'if the service changes such files, use --ignore-size --ignore-checksum';
    throw new SyncerError('unsupported', text, { path, advice });
  }
  if (there.id !== undefined) drive.store.downloadUrls.forget(there.id);
}

function isUntouched(there: FileEntry, { etag }: FileEntry): boolean {
  return etag !== undefined && there.etag === etag;
}

/** The older versions that may be right, if they are listed. The current one counts as wrong from now on. */
async function versionsBelow(drive: Drive, there: FileEntry): Promise<readonly Version[]> {
  const all = await allVersions(drive, there).catch((thrown) => {
    if (hasStatus(thrown, 400, 403, 404, 405, 501)) return [];
    throw thrown;
  });
  const nameOf = ({ id }: Version) => `${there.id} ${id}`;
  const [current, ...older] = all;
  if (current !== undefined) drive.store.wrongVersions.add(nameOf(current));
  return older.filter((version) => !drive.store.wrongVersions.has(nameOf(version)));
}

/**
 * The version that the write has replaced. It is the one below the current one, if no other write failed before and
 * nothing has changed since. Otherwise those below may be wrong ones: then it is one that the service's clock shows to
 * be older, or whose size shows other content. A clock in seconds does not tell what was written just before.
 */
function versionBefore(
  versions: readonly Version[],
  file: FileEntry,
  there: FileEntry,
  { since, firstSince }: FailedWrite,
): Before | undefined {
  const isReplacing = file.version === REPLACING;
  const isOnly = firstSince === undefined;
  const start = firstSince ?? since;
  const isNext = isOnly && isReplacing && isUntouched(there, file);
  let other: Before | undefined;
  for (const { id, lastModifiedDateTime, size } of versions) {
    const modTime = parseRfc3339(lastModifiedDateTime ?? '');
    if (id === undefined || modTime === undefined) continue;
    const isOlder = start !== undefined && modTime < start;
    if (isNext || isOlder) return { id, modTime, isSure: true };
    if (size !== there.size) other ??= { id, modTime, isSure: isReplacing };
    if (isOnly && other !== undefined) break;
  }
  return other;
}

/** Makes a version the current one; `false` if the service refuses. */
async function restore(drive: Drive, file: FileEntry, there: FileEntry, before: Before) {
  const { path } = file;
  const address = await addressOf(drive, there);
  const item = await makeCurrent(drive, address, before, path).catch((thrown) => {
    if (!hasStatus(thrown, 400, 405, 501)) throw thrown;
  });
  if (item === undefined) return false;
  if (item.eTag === there.etag) {
    const asked = { doing: 'restore a version of', about: path };
    throw badAnswer(asked, 'the response is inconsistent: nothing has changed');
  }
  const isWrongTime = file.modTime !== undefined && isSameTime(before.modTime, file.modTime);
  const modTime = isWrongTime ? NO_TIME : before.modTime;
  if (!isSameTime(timeOf(item), modTime)) await setTime(drive, address, { path, modTime });
  if (drive.settings.noVersions) await deleteVersions(drive, there);
  return true;
}
