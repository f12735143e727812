import type { Op } from '../../../core/remote.ts';
import { decodeKey } from '../listing/decode-key.ts';
import type { Location } from '../store.ts';
import { prefixOf, type S3Store } from '../store.ts';
import { hasS3Code } from '../store-error.ts';
import { childText, readXml } from '../xml/read-xml.ts';
import { listBuckets } from './list-buckets.ts';

/** Throws away uploads in parts below the root that were begun more than `maxAgeMs` ago and never completed. */
export async function abortOldUploads(store: S3Store, maxAgeMs: number, op: Op): Promise<void> {
  const root = store.locate('');
  const places =
    root.bucket === ''
      ? (await listBuckets(store, op)).map(({ path }) => store.locate(path))
      : [root];
  const before = store.client.context.clock.now() - maxAgeMs;
  for (const place of places) await abortIn(store, place, before, op);
}

async function abortIn(store: S3Store, place: Location, beforeMs: number, op: Op): Promise<void> {
  let markers: [string, string][] = [];
  for (;;) {
    const { uploads, next } = await listUploads(store, place, markers, op);
    for (const { key, id, begunMs } of uploads) {
      if (!(begunMs < beforeMs)) continue;
      const request = { method: 'DELETE', bucket: place.bucket, key } as const;
      await store.client
        .call({ ...request, query: [['uploadId', id]], doing: 'give up the upload of' }, op)
        .catch((error) => {
          if (!hasS3Code(error, 'NoSuchUpload')) throw error;
        });
    }
    if (next === undefined || JSON.stringify(next) === JSON.stringify(markers)) return;
    markers = next;
  }
}

async function listUploads(
  store: S3Store,
  place: Location,
  markers: readonly [string, string][],
  op: Op,
) {
  const query: [string, string][] = [
    ['uploads', ''],
    ['prefix', prefixOf(place)],
    ['encoding-type', 'url'],
    ...markers,
  ];
  const request = { method: 'GET', bucket: place.bucket, query, doing: 'list uploads of' } as const;
  const answer = await store.client.call(request, op);
  const root = await readXml(answer.body.toString('utf8'));
  const isEncoded = childText(root, 'EncodingType') === 'url';
  const decode = (text = '') => (isEncoded ? decodeKey(text) : text);
  const uploads = root.children
    .filter(({ name }) => name === 'Upload')
    .map((upload) => ({
      key: decode(childText(upload, 'Key')),
      id: childText(upload, 'UploadId') ?? '',
      begunMs: Date.parse(childText(upload, 'Initiated') ?? ''),
    }));
  if (childText(root, 'IsTruncated') !== 'true') return { uploads };
  const next: [string, string][] = [
    ['key-marker', decode(childText(root, 'NextKeyMarker'))],
    ['upload-id-marker', childText(root, 'NextUploadIdMarker') ?? ''],
  ];
  return { uploads, next };
}
