import { SyncerError } from '../../../core/errors.ts';
import type { Op } from '../../../core/remote.ts';
import { listBuckets } from '../buckets.ts';
import type { S3Request } from '../client/request.ts';
import { uploadPages } from '../listing/list-uploads.ts';
import { prefixOf, type S3Store } from '../store.ts';
import { hasS3Code } from '../store-error.ts';

/** Aborts multipart uploads below the root that started more than `maxAgeMs` ago, by the server's clock. */
export async function abortOldUploads(store: S3Store, maxAgeMs: number, op: Op): Promise<void> {
  const root = store.locate('');
  const { emit } = store.client.context;
  const places =
    root.bucket === ''
      ? (await listBuckets(store, op)).map(({ path }) => store.locate(path))
      : [root];
  for (const place of places) {
    for await (const { uploads, nowMs } of uploadPages(store, place, op)) {
      for (const { key, id, begunMs } of uploads) {
        if (!(begunMs < nowMs - maxAgeMs)) continue;
        await abortUpload(store, place.bucket, key, id, op);
        const path = store.toStandard(
          root.bucket === '' ? `${place.bucket}/${key}` : key.slice(prefixOf(root).length),
        );
        emit({ type: 'log', level: 'info', path, code: 'upload-aborted', fields: { begunMs } });
      }
    }
  }
}

/** An upload that no longer exists is aborted, too. A response without that status is repeated once. */
export async function abortUpload(
  store: S3Store,
  bucket: string,
  key: string,
  id: string,
  op: Op,
): Promise<void> {
  const query = [['uploadId', id]] as const;
  const request: S3Request = {
    method: 'DELETE',
    bucket,
    key,
    query,
    doing: 'abort the upload of',
  };
  try {
    for (let tries = 0; tries < 2; tries++) {
      if ((await store.client.call(request, op)).status === 204) return;
    }
  } catch (error) {
    if (hasS3Code(error, 'NoSuchUpload')) return;
    throw error;
  }
  const text = `cannot abort the upload of ${bucket}/${key}: the server did not confirm it`;
  throw new SyncerError('bad-answer', text);
}
