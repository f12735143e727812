import { hasCode, SyncerError } from '../../../core/errors.ts';
import type { ModTime } from '../../../core/mod-time.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import type { S3Store } from '../store.ts';
import { StoreError } from '../store-error.ts';
import { removeObject } from './remove-object.ts';
import { headObject } from './stat-path.ts';

/** The clocks of a store's machines differ by less, in nanoseconds. */
const SLACK_NS = 60_000_000_000n;

/** Date and LastModified count seconds: what was written so much after the least `since` was written after the greatest. */
const SURELY_LATER_NS = 2_000_000_000n;

/**
 * Removes what a write left that went wrong, as `Capabilities.takeBack` has it. Where the bucket keeps versions, only
 * that version goes, and the one before is there again.
 */
export async function takeBack(
  store: S3Store,
  file: FileEntry,
  since: ModTime | undefined,
  op: Op,
): Promise<void> {
  const { bucket, key } = store.locateFile(file);
  if (file.version !== undefined) {
    return removeObject(store, bucket, key, op, { query: [['versionId', file.version]] });
  }
  const there = await headObject(store, file.path, op, file).catch((error) => {
    if (hasCode(error, 'file-not-found')) return undefined;
    throw error;
  });
  if (there === undefined || there.etag !== file.etag) return;
  if (file.etag === undefined && there.size !== file.size) return;
  const isOurs = isWritten(there, file, since);
  if (isOurs === false) return;
  if (isOurs === undefined) {
    const text = `cannot verify ${bucket}/${key} after writing it`;
    throw new SyncerError('precondition-failed', text, { path: file.path });
  }
  await removeIfSame(store, file, bucket, key, op);
}

/**
 * Whether an object of the same ETag is what was written: it has the time that was sent with it, and the store wrote it
 * since the write began; without a time to compare surely after that. `undefined` where that cannot be told.
 */
function isWritten(
  { storedTime, modTime }: FileEntry,
  file: FileEntry,
  since: ModTime | undefined,
): boolean | undefined {
  if (file.modTime !== undefined && file.modTime !== modTime) return false;
  if (since === undefined || storedTime === undefined) return undefined;
  if (storedTime < since - SLACK_NS) return false;
  const earliest = file.modTime === undefined ? since + SURELY_LATER_NS : since;
  return storedTime >= earliest ? true : undefined;
}

async function removeIfSame(
  store: S3Store,
  { etag }: FileEntry,
  bucket: string,
  key: string,
  op: Op,
): Promise<void> {
  const headers = etag === undefined ? {} : { 'if-match': `"${etag}"` };
  try {
    await removeObject(store, bucket, key, op, { headers });
  } catch (error) {
    if (hasCode(error, 'precondition-failed', 'file-not-found')) return;
    // Not every store knows conditions on DELETE.
    if (!(error instanceof StoreError) || ![400, 501].includes(error.status)) throw error;
    await removeObject(store, bucket, key, op);
  }
}
