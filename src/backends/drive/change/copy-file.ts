import { withGrace } from '../../../core/context.ts';
import { type Metadata, modTimeIn } from '../../../core/entry-details.ts';
import { hasCode, SyncerError, toSyncerError } from '../../../core/errors.ts';
import type { ModTime } from '../../../core/mod-time.ts';
import type { FileEntry } from '../../../core/remote.ts';
import { leafName, parentPath } from '../../../core/remote-path.ts';
import type { HttpHeaders } from '../../http/answer-parser.ts';
import { CLOCKS_MS, type GraphCalls } from '../client/graph-client.ts';
import {
  badAnswer,
  GraphError,
  hasStatus,
  meaningOf,
  saysMissing,
} from '../client/graph-request.ts';
import type { Drive } from '../drive-store.ts';
import { findItem } from '../items/get-item.ts';
import {
  type GraphItem,
  type ItemAddress,
  type ItemId,
  isSameId,
  requestPath,
} from '../items/graph-item.ts';
import { NO_TIME } from '../items/item-entry.ts';
import { addressOf, compareContent, onlyIfSame, selfOf, tellFile } from '../items/tell-entry.ts';
import { deleteItem, deleteVersions, folderAt } from './delete-item.ts';
import { copyName, giveBack, inPlaceOf, leftUnder, renameItem } from './in-place-of.ts';
import { writePermissions } from './permissions.ts';
import { propertiesOf, setTime } from './set-mod-time.ts';

/** Copies a file server-side, with time or metadata; `undefined` if the service cannot. Rejects with `metadata`. */
export async function copyFile(
  from: Drive,
  to: Drive,
  file: FileEntry,
  path: string,
  metadata?: Metadata,
): Promise<FileEntry | undefined> {
  from.op.signal.throwIfAborted();
  const source = await addressOf(from, file);
  const target = to.toService(path);
  const folder = await to.ensureWithId(parentPath(target));
  const isWithin = isSameId(source.driveId, folder.driveId);
  if (!isWithin) {
    // Between two remotes the engine has permission to ask; a shortcut leads to another drive without one.
    if (!to.settings.copiesAcross && from.settings.name === to.settings.name) return undefined;
    const [one, other] = await Promise.all([from.known(), to.known()]);
    if ((one.type === 'personal') !== (other.type === 'personal')) return undefined;
  }
  await giveBack(to, path);
  const job = { to, source, folder, file, path, metadata };
  try {
    const made = await runCopy(job, leafName(target))
      .then((copy) => finishCopy(to, copy, job))
      .catch((thrown) => {
        const isTaken = hasStatus(thrown, 409) || hasCode(thrown, 'already-exists');
        if (!isTaken) throw thrown;
      });
    const copied = made === undefined ? await replaceByCopy(job) : await tellFile(to, made, path);
    if (to.settings.noVersions) await deleteVersions(to, copied);
    await writePermissions(to, await addressOf(to, copied), metadata, path);
    return { ...copied, ...to.client.toldAt() };
  } catch (thrown) {
    // Copies between two drives that the service refuses: the files are transferred then.
    const { code } = toSyncerError(thrown);
    const isRefusal = ['unsupported', 'access-denied', 'file-not-found'].includes(code);
    if (isWithin || !isRefusal) throw thrown;
    return undefined;
  }
}

/** The service replaces nothing: the copy gets its final name when it is complete. */
async function replaceByCopy(job: CopyJob): Promise<FileEntry> {
  const { to, path } = job;
  // The service continues a copy that is not waited for: its result could not be deleted then.
  const copy = await withGrace(to.op.signal, 5000, (signal) =>
    runCopy({ ...job, to: to.store.for({ signal }) }, copyName()),
  );
  const keep = { modTime: timeOf(job) };
  const place = { name: leafName(to.toService(path)), about: path };
  let address = copy.address;
  let isPlaced = false;
  const put = async (drive: Drive) => {
    const item = await renameItem(drive, address, place, keep);
    isPlaced = true;
    return item;
  };
  try {
    const { id = '' } = await finishCopy(to, copy, job);
    address = { driveId: copy.address.driveId, id, rest: '' };
    const item = await inPlaceOf(to, path, { id, put });
    isPlaced = true;
    return await tellFile(to, item, path);
  } catch (thrown) {
    if (isPlaced) throw thrown;
    const signal = AbortSignal.timeout(30_000);
    await deleteItem(to.store.for({ signal }), address, path).catch(() => {});
    throw thrown;
  }
}

/** What a copy is to be. */
interface CopyJob {
  readonly to: Drive;
  readonly source: ItemAddress;
  readonly folder: ItemId;
  /** The copied file. */
  readonly file: FileEntry;
  /** The path of the copy. */
  readonly path: string;
  /** Its metadata; `undefined`: only the time of the file. */
  readonly metadata: Metadata | undefined;
}

/** Rejects with `already-exists` if the name is taken. */
async function runCopy(job: CopyJob, name: string): Promise<MadeCopy> {
  const { to, source, folder, file } = job;
  const { path: about } = file;
  const { driveId, id } = folder;
  const address = { ...folder, rest: name };
  const hasOwnName = leftUnder(name)?.kind === 'copy';
  const request = {
    method: 'POST',
    to: requestPath(source, '/copy'),
    headers: { prefer: 'respond-async' },
    json: { name, parentReference: { driveId, id } },
    isNaming: true,
    // A repeated request would create two copies.
    isOnce: true,
    doing: 'copy',
    about,
  } as const;
  let headers: HttpHeaders | undefined;
  try {
    ({ headers } = await to.call(request));
    const monitor = URL.parse(headers['location'] ?? '');
    if (monitor === null) throw badAnswer(request, 'the service reports no progress');
    const toldId = await awaitCopy(to, monitor, about);
    const begunMs = Date.parse(headers['date'] ?? '');
    return { address, hasOwnName, begunMs, toldId };
  } catch (thrown) {
    to.op.signal.throwIfAborted();
    const isUnsure = !(thrown instanceof GraphError) || thrown.code === 'server';
    const mayBeMade = headers === undefined ? isUnsure : !(thrown instanceof CopyFailed);
    // It may have been started although the response was lost, or the service reports no progress; it is recognised only
    // if nothing else can have its name.
    for (const waitMs of mayBeMade && hasOwnName ? [500, 1000, 2000, 4000] : []) {
      await to.client.context.clock.sleep(waitMs, to.op.signal);
      if ((await findItem(to, address, name)) !== undefined) return { address, hasOwnName };
    }
    throw thrown;
  }
}

/** A copy that the service reports as completed. */
interface MadeCopy {
  /** Its name in a folder. */
  readonly address: ItemAddress;
  /** Nothing else can have its name. */
  readonly hasOwnName: boolean;
  /** Its id in the service's response. */
  readonly toldId?: string | undefined;
  /** When it was requested, by the service's clock. */
  readonly begunMs?: number;
}

/** The time that a copy gets. */
function timeOf({ file, metadata }: CopyJob): ModTime | undefined {
  return (metadata && modTimeIn(metadata)) ?? file.modTime;
}

/** Sets time and metadata of a copy and verifies it. Rejects with `source-changed`, or `bad-answer` if it is none. */
async function finishCopy(drive: Drive, copy: MadeCopy, job: CopyJob): Promise<GraphItem> {
  const { address, hasOwnName, toldId, begunMs } = copy;
  const { file, path, metadata } = job;
  const asked = { doing: 'copy', about: file.path };
  const modTime = timeOf(job);
  const timed = { path: file.path, modTime };
  const properties = metadata && (await propertiesOf(drive, { ...timed, metadata }));
  const wanted = { ...timed, properties };
  const item = await setTime(drive, address, wanted).catch((thrown) => {
    if (!saysMissing(thrown)) throw thrown;
    throw badAnswer(asked, 'the service reports success, but there is no copy');
  });
  const there = await tellFile(drive, item, path);
  const content = compareContent(there, file, drive.store.mayDiffer);
  const isTold = hasOwnName || (toldId !== undefined && isSameId(item.id, toldId));
  if (content === 'same' || (content === 'unknown' && isTold)) return item;
  const self = { driveId: address.driveId, id: item.id ?? '', rest: '' };
  const isNew =
    hasOwnName ||
    (begunMs !== undefined && Date.parse(item.createdDateTime ?? '') >= begunMs - CLOCKS_MS);
  if (content === 'other' && isTold && isNew) {
    throw new SyncerError('source-changed', `${file.path} changed while it was copied`, {
      path,
      wrong: hasOwnName ? undefined : { ...there, ...drive.client.toldAt() },
    });
  }
  const why = 'the service reports success, but another file is there';
  const { code, message } = badAnswer(asked, why);
  const isTimed = await setTime(drive, self, { path, modTime: NO_TIME }).catch(() => undefined);
  // Without an etag it does not count as a file written here.
  const { etag: _etag, ...foreign } = there;
  throw new SyncerError(code, message, { path, wrong: isTimed ? undefined : foreign });
}

/** The service reports that it could not make the copy. */
class CopyFailed extends SyncerError {}

/** Waits for the copy, at a secret URL; resolves to its ID if that is reported. Rejects with `CopyFailed`, `already-exists` if taken. */
async function awaitCopy(calls: GraphCalls, monitor: URL, about: string) {
  const { clock } = calls.client.context;
  const request = {
    method: 'GET',
    to: monitor,
    isOpen: true,
    takesRedirect: true,
    doing: 'copy',
    about,
  } as const;
  let progress: unknown;
  let waitMs = 100;
  // A copy without progress for a quarter of an hour has failed.
  for (let stuckMs = 0; stuckMs < 15 * 60_000; stuckMs += waitMs) {
    await clock.sleep(waitMs, calls.op.signal);
    waitMs = Math.min(2000, waitMs * 2);
    const { status, json } = await calls.call(request);
    const { resourceId, percentageComplete } = json;
    if (json['status'] === 'failed') {
      const { code } = (json['error'] ?? {}) as { readonly code?: unknown };
      const codes = [json['errorCode'], code].filter((each) => typeof each === 'string');
      const known = meaningOf(400, codes);
      const named = codes.find((each) => /^\w{1,60}$/.test(each)) ?? 'failed';
      throw new CopyFailed(known.code, `cannot copy ${about}: ${known.text} (${named})`);
    }
    if (json['status'] === 'completed' || status >= 300) {
      return typeof resourceId === 'string' ? resourceId : undefined;
    }
    if (typeof json['id'] === 'string' && json['status'] === undefined) return json['id'];
    if (status !== 202 && typeof json['status'] !== 'string') {
      throw badAnswer(request, 'the service reports no progress');
    }
    if (percentageComplete !== progress) stuckMs = 0;
    progress = percentageComplete;
  }
  throw new SyncerError('timed-out', `cannot copy ${about}: the copy makes no progress`);
}

/** Moves a file within its drive; `undefined` if the target is on another one. */
export async function moveFile(from: Drive, to: Drive, file: FileEntry, path: string) {
  from.op.signal.throwIfAborted();
  const target = to.toService(path);
  const { address, isShortcut } = await selfOf(from, file);
  const folder = await to.ensureWithId(parentPath(target));
  if (!isSameId(address.driveId, folder.driveId)) return undefined;
  const place = { folder, name: leafName(target), about: file.path };
  const { modTime } = file;
  const put = (drive: Drive) => {
    const rename = (headers: Readonly<Record<string, string>>) =>
      renameItem(drive, address, place, { headers, modTime });
    return isShortcut ? rename({}) : onlyIfSame(from.store.for(drive.op), file, rename);
  };
  await giveBack(to, path);
  const item = await inPlaceOf(to, path, { id: address.id, put });
  from.directories.forget(from.toService(file.path));
  if (item.remoteItem !== undefined) to.directories.learn(target, item, address.driveId);
  return tellFile(to, item, path);
}

/**
 * Renames a directory within its drive; `false` if the target is on another one. Rejects with `already-exists`,
 * `directory-not-found`, `not-a-directory`.
 */
export async function moveDir(from: Drive, to: Drive, dir: string, path: string): Promise<boolean> {
  const [source, target] = [from.toService(dir), to.toService(path)];
  if (source === '' || target === '') return false;
  const item = await folderAt(from, dir, 'move');
  // By its id: if a response is lost, the path no longer exists on the retry. Of a known shortcut the item is its target.
  const { driveId } = await from.locateSelf(source);
  const shortcut = from.directories.shortcutAt(source);
  const self = { ...(shortcut ?? { driveId, id: item.id ?? '' }), rest: '' };
  const folder = await to.ensureWithId(parentPath(target));
  if (!isSameId(self.driveId, folder.driveId)) return false;
  const place = { folder, name: leafName(target), about: from.told(dir) };
  const times = shortcut === undefined ? item.fileSystemInfo : undefined;
  // Whatever the outcome, what was known of these paths is no longer reliable.
  from.directories.forget(source);
  to.directories.forget(target);
  const moved = await renameItem(to, self, place, { times });
  to.directories.learn(target, moved, self.driveId);
  return true;
}
