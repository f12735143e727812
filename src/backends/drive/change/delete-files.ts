import { deleteOneByOne } from '../../../core/deleting.ts';
import { SyncerError, toSyncerError } from '../../../core/errors.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { mapAtOnce } from '../../../kit/map-at-once.ts';
import { GraphError } from '../client/graph-error.ts';
import type { DriveStore } from '../drive-store.ts';
import { requestPath } from '../items/item-address.ts';
import { selfOf } from '../items/tell-entry.ts';
import { deleteFile, noteBinned } from './delete-item.ts';

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
