import { randomBytes } from 'node:crypto';
import { SyncerError, toSyncerError } from '../../../core/errors.ts';
import type { Op } from '../../../core/remote.ts';
import { hasStatus } from '../client/graph-error.ts';
import type { Address } from '../items/address.ts';
import { contentOf, type GraphItem } from '../items/graph-item.ts';
import type { DriveStore } from '../store.ts';
import { deleteItem } from './remove.ts';
import { renameItem } from './rename-item.ts';

/**
 * Gives something a name by `put`, and where a file has it already, moves that one aside first and deletes it when the
 * new one has its place. Where that fails the old one gets its name back. Rejects with `not-a-file` where a directory
 * has the name.
 */
export async function inPlaceOf(
  store: DriveStore,
  path: string,
  op: Op,
  put: () => Promise<GraphItem>,
): Promise<GraphItem> {
  try {
    return await put();
  } catch (thrown) {
    if (!hasStatus(thrown, 409)) throw thrown;
  }
  const old = await fileInTheWay(store, path, op);
  // It was gone the moment we looked.
  if (old === undefined) return put();
  const times = old.item.fileSystemInfo;
  const keep = times === undefined ? {} : { times };
  await renameItem(store, old.address, { name: asideName(), about: path }, op, keep);
  let item: GraphItem;
  try {
    item = await put();
  } catch (thrown) {
    const back = { name: old.item.name ?? '', about: path };
    // Also where the run is being broken off.
    const signal = AbortSignal.timeout(60_000);
    await renameItem(store, old.address, back, { signal }, keep).catch(() => {});
    throw thrown;
  }
  await deleteItem(store, old.address, path, op).catch((thrown) => {
    op.signal.throwIfAborted();
    if (hasStatus(thrown, 404)) return;
    // What was wanted is done.
    const message = `${path}: what it held before was left beside it: ${toSyncerError(thrown).message}`;
    store.client.context.emit({ type: 'log', level: 'error', message });
  });
  return item;
}

/** A name that nothing else has, for a moment. */
export function asideName(): string {
  return `syncer-${randomBytes(6).toString('hex')}.tmp`;
}

/** Whether `asideName` made a name. */
export function isAsideName(name: string): boolean {
  return /^syncer-[0-9a-f]{12}\.tmp$/.test(name);
}

async function fileInTheWay(
  store: DriveStore,
  path: string,
  op: Op,
): Promise<{ readonly item: GraphItem; readonly address: Address } | undefined> {
  const place = store.toService(path);
  const item = await store.folders.look(place, op);
  if (item === undefined) return undefined;
  if (contentOf(item).folder !== undefined) {
    throw new SyncerError('not-a-file', `cannot write ${path}: a directory is there`, { path });
  }
  const { driveId } = await store.folders.locateSelf(place, op);
  return { item, address: { driveId, id: item.id ?? '', rest: '' } };
}
