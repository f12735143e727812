import { SyncerError, toSyncerError } from '../../../core/errors.ts';
import { modTimeFromMs } from '../../../core/mod-time.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import type { DriveStore } from '../drive-store.ts';
import { patience, UploadSession } from './upload-session.ts';

/** `Capabilities.listUploads`: the service lists no sessions, so these are the recorded ones of this user. */
export async function* listOwnUploads(
  store: DriveStore,
  path: string,
): AsyncGenerator<readonly FileEntry[]> {
  if (store.uploads === undefined) return;
  const [root, asked] = [store.toService(''), store.toService(path)];
  const isBelow = (place: string, dir: string) => dir === '' || place.startsWith(`${dir}/`);
  const records = await (await store.uploads.open()).list(store.id);
  yield records
    .filter(({ head }) => head.path === asked || isBelow(head.path, asked))
    .map(({ head, parts, touchedMs }) => ({
      kind: 'file',
      path: store.toStandard(root === '' ? head.path : head.path.slice(root.length + 1)),
      size: parts.reduce((sum, { size }) => sum + size, 0),
      modTime: modTimeFromMs(Math.trunc(touchedMs)),
      kept: { kind: 'upload', id: '', parts: parts.length },
    }));
}

/** `Capabilities.deleteKept` of these. */
export async function cancelOwnUploads(
  store: DriveStore,
  files: readonly FileEntry[],
  op: Op,
): Promise<ReadonlyMap<FileEntry, Error>> {
  const failures = new Map<FileEntry, Error>();
  for (const file of files) {
    await cancelOwnUpload(store, file, op).catch((error) => {
      op.signal.throwIfAborted();
      failures.set(file, toSyncerError(error));
    });
  }
  return failures;
}

async function cancelOwnUpload(store: DriveStore, { path }: FileEntry, op: Op): Promise<void> {
  op.signal.throwIfAborted();
  const all = await store.uploads?.open();
  const records = (await all?.take(store.id, store.toService(path))) ?? [];
  if (records.length === 0) {
    throw new SyncerError('locked', `a running process uploads ${path}`, { path });
  }
  for (const record of records) {
    const url = new URL(record.head.id);
    await new UploadSession(store.client, url, path, record.head.size, patience()).cancel();
    await record.delete();
  }
}
