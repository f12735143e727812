import type { RestoreJob, Restoring } from '../../../core/change-details.ts';
import { hasCode, SyncerError } from '../../../core/errors.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { copyObject } from '../copy-object.ts';
import { findVersion, isOldOf, versioningStatus, versionsOf } from '../listing/history.ts';
import type { S3Store } from '../store.ts';
import { deleteObject } from './delete-files.ts';
import { headObject } from './head-object.ts';
import { versionIn } from './object-entry.ts';

/** See `Capabilities.restoring`: older versions and delete markers of buckets with versioning. */
export function restoringObjects(store: S3Store): Restoring<FileEntry, Op> {
  let known: Promise<string> | undefined;
  // `''` if the key may not ask: copies are then kept beside the versions.
  const versioning = async (op: Op) => {
    const { bucket } = store.locate('');
    if (bucket === '') return '';
    known ??= versioningStatus(store, bucket, op).catch((thrown) => {
      if (!op.signal.aborted && hasCode(thrown, 'access-denied', 'unsupported', 'bucket-not-found'))
        return '';
      known = undefined;
      op.signal.throwIfAborted();
      throw thrown;
    });
    return known;
  };
  return {
    async keeps(op) {
      const isKept = (await versioning(op)) === 'Enabled';
      return { deleted: isKept, replaced: isKept };
    },
    restore: (job, op) => restoreObject(store, job, op),
    async find(file, op) {
      if ((await versioning(op)) === 'Unversioned') return undefined;
      return findVersion(store, file, op);
    },
  };
}

async function restoreObject(
  store: S3Store,
  { path, old, current, kept }: RestoreJob<FileEntry>,
  op: Op,
): Promise<FileEntry> {
  const { bucket, key } = store.locate(path);
  const versions = await versionsOf(store, { bucket, key }, op);
  const [newest, ...older] = versions;
  // Others may have the same content, and another time.
  const above = kept.in === 'versions' && kept.id ? kept.id : undefined;
  const place = versions.findIndex(({ id }) => id === above);
  // A deletion that was repeated has left a marker more.
  const under = versions.slice(place + 1).find(({ kind }) => kind !== 'old-marker');
  const before = [...(place >= 0 && under ? [under] : []), ...older].find((one) =>
    isOldOf(old, one),
  );
  if (before === undefined) {
    const text = `the old version of ${bucket}/${key} is no longer kept`;
    throw new SyncerError('file-not-found', text, { path });
  }
  if (current === undefined) {
    const isMarker = newest?.kind === 'marker' && (above === undefined || newest.id === above);
    // Under the marker there must be the version that was deleted.
    if (isMarker && older[0] === before) {
      await deleteObject(store, { bucket, key, id: newest.id }, op);
      return headObject(store, path, op);
    }
  }
  const file: FileEntry = { kind: 'file', path, size: before.size, etag: before.etag };
  const to = { bucket, key };
  const { placement } = store.headers;
  const job = { from: { ...to, version: before.id }, to, file, placement };
  const { headers } = await copyObject(store, job, path, op);
  const { version: id } = versionIn(headers);
  if (current !== undefined)
    op.change?.onKept?.(path, { in: 'versions', ...(id === undefined ? {} : { id }) });
  return headObject(store, path, op);
}
