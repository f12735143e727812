import { hasCode, SyncerError } from '../../../core/errors.ts';
import type { Op } from '../../../core/remote.ts';
import { customerKeyHeaders } from '../encryption.ts';
import type { S3Store } from '../store.ts';
import { askHead } from './ask-head.ts';
import { refuseRewritten } from './delete-object.ts';

/**
 * Deletes one version of an object, or a delete marker, for good. If the response does not name the version, the
 * version is looked up; rejects with `bad-answer` if it is still there.
 */
export async function deleteVersion(
  store: S3Store,
  bucket: string,
  key: string,
  id: string,
  op: Op,
): Promise<void> {
  refuseRewritten(bucket, key);
  const query = [['versionId', id]] as const;
  const request = { method: 'DELETE', bucket, key, query, doing: 'delete a version of' } as const;
  const { status, headers } = await store.client.call(request, op);
  if (status === 204 && headers['x-amz-version-id'] === id) return;
  try {
    const sent = customerKeyHeaders(store.settings.encryption);
    await askHead(store.client, { bucket, key, query, headers: sent }, op);
  } catch (error) {
    if (hasCode(error, 'file-not-found')) return;
    throw error;
  }
  const text = `cannot delete version ${id} of ${bucket}/${key}: it still exists, although the server returned status ${status}`;
  throw new SyncerError('bad-answer', text);
}
