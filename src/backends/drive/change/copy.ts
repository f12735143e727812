import { SyncerError } from '../../../core/errors.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { leafName, parentPath } from '../../../core/remote-path.ts';
import { withGrace } from '../../../core/with-grace.ts';
import type { HttpHeaders } from '../../../http/answer-head.ts';
import { GraphError, hasStatus } from '../client/graph-error.ts';
import { type Address, requestPath } from '../items/address.ts';
import { asItem, type ItemId } from '../items/graph-item.ts';
import { addressOf } from '../items/item-of.ts';
import { tellFile } from '../items/tell-entry.ts';
import type { DriveStore } from '../store.ts';
import { copyName, leftUnder } from './aside-name.ts';
import { awaitCopy } from './await-copy.ts';
import { deleteItem } from './remove.ts';
import { isSameDrive, renameItem } from './rename-item.ts';
import { giveBack, inPlaceOf } from './replace.ts';
import { setTime } from './set-mod-time.ts';

/** How long a copy is looked for whose answer was lost, in milliseconds. */
const FIND_WAITS_MS = [500, 1000, 2000, 4000] as const;

/** A copy that has begun when the run is broken off is waited for so long, in milliseconds. */
const GRACE_MS = 5000;
/** Removing a copy that is not wanted takes so long at most, in milliseconds. */
const REMOVE_MS = 30_000;

/** Lets the service copy a file; `undefined` where it cannot. The copy gets the time of the file. */
export async function copyFile(
  from: DriveStore,
  to: DriveStore,
  file: FileEntry,
  path: string,
  op: Op,
): Promise<FileEntry | undefined> {
  op.signal.throwIfAborted();
  const source = await addressOf(from, file, op);
  const target = to.toService(path);
  const folder = await to.folders.ensureWithId(parentPath(target), op);
  if (!(await mayCopy(from, to, source, folder, op))) return undefined;
  await giveBack(to, path, op);
  const job = { to, source, folder, about: file.path };
  try {
    const copy = await runCopy(job, leafName(target), op);
    return await finish(to, copy, file, path, op);
  } catch (thrown) {
    if (!isTaken(thrown)) throw thrown;
  }
  return replaceByCopy(job, file, path, op);
}

/** The service replaces nothing: the copy gets the name when it is there and complete. */
async function replaceByCopy(
  job: CopyJob,
  file: FileEntry,
  path: string,
  op: Op,
): Promise<FileEntry> {
  const { to } = job;
  // The service goes on with a copy that nobody waits for: what it makes could not be removed then.
  const copy = await withGrace(op.signal, GRACE_MS, (signal) =>
    runCopy(job, copyName(), { signal }),
  );
  const address = { ...copy, rest: '' };
  const { modTime } = file;
  const keep = modTime === undefined ? {} : { modTime };
  const place = { name: leafName(to.toService(path)), about: path };
  let isPlaced = false;
  const put = async (inner: Op) => {
    const item = await renameItem(to, address, place, inner, keep);
    isPlaced = true;
    return item;
  };
  try {
    await finish(to, copy, file, path, op);
    const item = await inPlaceOf(to, path, op, { id: copy.id, put });
    isPlaced = true;
    return await tellFile(to, item, path, op);
  } catch (thrown) {
    if (isPlaced) throw thrown;
    const signal = AbortSignal.timeout(REMOVE_MS);
    await deleteItem(to, address, path, { signal }).catch(() => {});
    throw thrown;
  }
}

interface CopyJob {
  readonly to: DriveStore;
  readonly source: Address;
  readonly folder: ItemId;
  readonly about: string;
}

async function mayCopy(
  from: DriveStore,
  to: DriveStore,
  source: ItemId,
  target: ItemId,
  op: Op,
): Promise<boolean> {
  if (isSameDrive(source.driveId, target.driveId)) return true;
  if (!to.settings.copiesAcross) return false;
  const types = [(await from.drive(op)).type, (await to.drive(op)).type];
  return types.every((type) => type === 'personal');
}

/** Rejects with `already-exists` where the name is taken. */
async function runCopy(job: CopyJob, name: string, op: Op): Promise<ItemId> {
  const { to, source, folder, about } = job;
  const { driveId, id } = folder;
  const request = {
    method: 'POST',
    to: requestPath(source, '/copy'),
    headers: { prefer: 'respond-async' },
    json: { name, parentReference: { driveId, id } },
    isNaming: true,
    // Made twice, there would be two of them.
    isOnce: true,
    doing: 'copy',
    about,
  } as const;
  let headers: HttpHeaders;
  try {
    ({ headers } = await to.client.call(request, op));
  } catch (thrown) {
    op.signal.throwIfAborted();
    const isUnsure = !(thrown instanceof GraphError) || thrown.code === 'server';
    const made =
      isUnsure && leftUnder(name)?.kind === 'copy' ? await findCopy(job, name, op) : undefined;
    if (made === undefined) throw thrown;
    return made;
  }
  const monitor = URL.parse(headers['location'] ?? '');
  if (monitor === null) {
    throw new SyncerError(
      'bad-answer',
      `cannot copy ${about}: the service does not say how it goes`,
    );
  }
  return { driveId, id: await awaitCopy(to.client, monitor, about, op) };
}

/** A copy that may have been begun, as the answer was lost; only one whose name nothing else can have is known again. */
async function findCopy(
  { to, folder }: CopyJob,
  name: string,
  op: Op,
): Promise<ItemId | undefined> {
  for (const waitMs of FIND_WAITS_MS) {
    await to.client.context.clock.sleep(waitMs, op.signal);
    const address = { ...folder, rest: name };
    const request = {
      method: 'GET',
      to: requestPath(address),
      doing: 'look for',
      about: name,
    } as const;
    try {
      const { json } = await to.client.call(request, op);
      return { driveId: folder.driveId, id: asItem(json, name).id ?? '' };
    } catch (thrown) {
      if (!hasStatus(thrown, 404)) throw thrown;
    }
  }
  return undefined;
}

/** The copy has the time of its making until it is told another. What is not the same is removed. */
async function finish(
  store: DriveStore,
  copy: ItemId,
  file: FileEntry,
  path: string,
  op: Op,
): Promise<FileEntry> {
  const item = await setTime(store, { ...copy, rest: '' }, file, op);
  const there = await tellFile(store, item, path, op);
  const differs =
    there.isRewritten !== true &&
    (there.size !== file.size ||
      Object.entries(there.hashes ?? {}).some(([name, value]) => {
        const known = file.hashes?.[name as 'quickxor'];
        return known !== undefined && known !== value;
      }));
  if (!differs) return there;
  await deleteItem(store, { ...copy, rest: '' }, path, op);
  throw new SyncerError('source-changed', `${file.path} changed while it was copied`, { path });
}

function isTaken(thrown: unknown): boolean {
  return (
    hasStatus(thrown, 409) || (thrown instanceof SyncerError && thrown.code === 'already-exists')
  );
}
