import { SyncerError } from '../../../core/errors.ts';
import { modTimeFromMs } from '../../../core/mod-time.ts';
import { compareEntries } from '../../../core/name-order.ts';
import type { DirEntry, Op } from '../../../core/remote.ts';
import { childText, type XmlElement } from '../../s3-protocol/read-xml.ts';
import { askDocument } from '../client/ask-document.ts';
import type { S3Store } from '../store.ts';

/** The buckets of the account, in order, with their creation times. */
export async function listBuckets(store: S3Store, op: Op): Promise<DirEntry[]> {
  const entries: DirEntry[] = [];
  let token: string | undefined;
  const expected = `ListAllMy${store.settings.directoryBucket ? 'Directory' : ''}BucketsResult`;
  do {
    const query = token === undefined ? [] : [['continuation-token', token] as const];
    const request = { method: 'GET', bucket: '', query, doing: 'list' } as const;
    const { root } = await askDocument(store.client, request, expected, op);
    const list = root.children.find(({ name }) => name === 'Buckets');
    const next = childText(root, 'ContinuationToken') || undefined;
    if (list === undefined || (next !== undefined && next === token)) {
      throw new SyncerError('bad-answer', 'the listing of buckets is incomplete');
    }
    const buckets = list.children.filter(({ name }) => name === 'Bucket');
    entries.push(...buckets.map((bucket) => bucketEntry(store, bucket)));
    token = next;
  } while (token !== undefined);
  return entries.sort(compareEntries);
}

function bucketEntry(store: S3Store, bucket: XmlElement): DirEntry {
  const path = store.toStandard(childText(bucket, 'Name') ?? '');
  if (path === '') throw new SyncerError('bad-answer', 'the server lists a bucket without a name');
  const ms = Date.parse(childText(bucket, 'CreationDate') ?? '');
  const modTime = Number.isNaN(ms) ? {} : { modTime: modTimeFromMs(ms) };
  return { kind: 'dir', path, isBucket: true, ...modTime };
}
