import { modTimeFromMs } from '../../../core/mod-time.ts';
import { compareEntries } from '../../../core/name-order.ts';
import type { DirEntry, Op } from '../../../core/remote.ts';
import type { S3Store } from '../store.ts';
import { childText, readXml, type XmlElement } from '../xml/read-xml.ts';

/** The buckets of the account, in order, with the times when they were made. */
export async function listBuckets(store: S3Store, op: Op): Promise<DirEntry[]> {
  const request = { method: 'GET', bucket: '', doing: 'list' } as const;
  const answer = await store.client.call(request, op);
  const root = await readXml(answer.body.toString('utf8'));
  const buckets = root.children.find(({ name }) => name === 'Buckets')?.children ?? [];
  return buckets
    .filter(({ name }) => name === 'Bucket')
    .map((bucket) => bucketEntry(store, bucket))
    .sort(compareEntries);
}

function bucketEntry(store: S3Store, bucket: XmlElement): DirEntry {
  const path = store.toStandard(childText(bucket, 'Name') ?? '');
  const ms = Date.parse(childText(bucket, 'CreationDate') ?? '');
  const modTime = Number.isNaN(ms) ? {} : { modTime: modTimeFromMs(ms) };
  return { kind: 'dir', path, isBucket: true, ...modTime };
}
