import { SyncerError } from '../../../core/errors.ts';
import type { Op } from '../../../core/remote.ts';
import { childText } from '../../../s3-protocol/read-xml.ts';
import { askDocument } from '../client/ask-document.ts';
import type { S3Request } from '../client/request.ts';
import type { Location } from '../store.ts';
import { prefixOf, type S3Store } from '../store.ts';
import { hasS3Code } from '../store-error.ts';
import { decodeKey } from '../xml/list-page.ts';
import { listBuckets } from './list-buckets.ts';

/** A header `Date` has whole seconds (RFC 9110, 5.6.7); the time of an upload has fractions. */
const DATE_STEP_MS = 1000;

/** Aborts multipart uploads below the root that started more than `maxAgeMs` ago, by the server's clock. */
export async function abortOldUploads(store: S3Store, maxAgeMs: number, op: Op): Promise<void> {
  const root = store.locate('');
  const places =
    root.bucket === ''
      ? (await listBuckets(store, op)).map(({ path }) => store.locate(path))
      : [root];
  for (const place of places) await abortIn(store, place, maxAgeMs, op);
}

async function abortIn(store: S3Store, place: Location, maxAgeMs: number, op: Op): Promise<void> {
  let markers: [string, string][] = [];
  for (;;) {
    const { uploads, next, nowMs } = await listUploads(store, place, markers, op);
    for (const { key, id, begunMs } of uploads) {
      if (begunMs < nowMs - maxAgeMs) await abortUpload(store, place.bucket, key, id, op);
    }
    if (next === undefined) return;
    if (JSON.stringify(next) === JSON.stringify(markers)) {
      throw notListed(place, 'the next page does not follow the last');
    }
    markers = next;
  }
}

/** An upload that no longer exists is aborted, too. A response without that status is repeated once. */
async function abortUpload(store: S3Store, bucket: string, key: string, id: string, op: Op) {
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

async function listUploads(
  store: S3Store,
  place: Location,
  markers: readonly [string, string][],
  op: Op,
) {
  const { bucket } = place;
  const prefix = prefixOf(place);
  const query: [string, string][] = [
    ['uploads', ''],
    ['prefix', prefix],
    ['encoding-type', 'url'],
    ...markers,
  ];
  const request = { method: 'GET', bucket, query, doing: 'list uploads of' } as const;
  const { root, headers } = await askDocument(
    store.client,
    request,
    'ListMultipartUploadsResult',
    op,
  );
  const isEncoded = childText(root, 'EncodingType') === 'url';
  const decode = (text = '') => (isEncoded ? decodeKey(text) : text);
  const uploads = root.children
    .filter(({ name }) => name === 'Upload')
    .map((upload) => ({
      key: decode(childText(upload, 'Key')),
      id: childText(upload, 'UploadId') ?? '',
      begunMs: Date.parse(childText(upload, 'Initiated') ?? ''),
    }));
  for (const { key, id } of uploads) {
    if (id === '' || key === '' || !key.startsWith(prefix)) {
      throw notListed(place, `"${key}" is not one of its uploads`);
    }
  }
  const told = Date.parse(headers['date'] ?? '');
  const nowMs = Number.isNaN(told) ? store.client.context.clock.now() : told + DATE_STEP_MS;
  const truncated = childText(root, 'IsTruncated')?.trim();
  if (truncated === 'false') return { uploads, nowMs };
  if (truncated !== 'true') throw notListed(place, 'it does not say whether it is complete');
  const next: [string, string][] = [
    ['key-marker', decode(childText(root, 'NextKeyMarker'))],
    ['upload-id-marker', childText(root, 'NextUploadIdMarker') ?? ''],
  ];
  return { uploads, nowMs, next };
}

function notListed({ bucket }: Location, why: string): SyncerError {
  const text = `invalid listing of the uploads in bucket ${bucket}: ${why}`;
  return new SyncerError('bad-answer', text);
}
