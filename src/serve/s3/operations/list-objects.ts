import type { Bucket } from '../store/bucket.ts';
import { findObject, lookUp } from '../store/find-object.ts';
import type { ObjectRecord } from '../store/object-record.ts';
import type { Answer } from '../wire/answer.ts';
import { S3Error } from '../wire/s3-error.ts';
import { element, isoTime, OWNER, type WriteName, xmlDocument } from '../wire/xml-text.ts';
import { bucketOf, type Call } from './call.ts';
import {
  groupElements,
  isGroup,
  type KeyListing,
  type ListPage,
  type ListPosition,
  listPage,
  listQuery,
  positionOf,
  tokenOf,
} from './list-page.ts';

/** The parameters of both versions of the listing. */
interface Listing extends KeyListing {
  readonly page: ListPage;
  readonly objects: readonly ObjectRecord[];
}

/** A page of the keys of a bucket, continued by an opaque token. */
export async function listObjectsV2(call: Call): Promise<Answer> {
  const { query } = call;
  const token = query.get('continuation-token');
  const startAfter = query.get('start-after') ?? '';
  const from = !token ? { after: startAfter, afterGroup: false } : positionOf(token);
  if (from === undefined) {
    throw new S3Error('InvalidArgument', { message: 'The continuation token is not valid.' });
  }
  const listing = await list(call, from, !token);
  const { page, objects, write } = listing;
  const owner = query.get('fetch-owner') === 'true' ? OWNER : '';
  const inner =
    commonElements(call, listing) +
    element('KeyCount', objects.length + page.prefixes.length) +
    (token === undefined ? '' : element('ContinuationToken', token)) +
    (page.next ? element('NextContinuationToken', tokenOf(page.next)) : '') +
    (query.has('start-after') ? `<StartAfter>${write(startAfter)}</StartAfter>` : '') +
    contents(listing, owner);
  return { body: xmlDocument('ListBucketResult', inner) };
}

/** A page of the keys of a bucket, continued by the last key (version 1). */
export async function listObjects(call: Call): Promise<Answer> {
  const { query } = call;
  const after = query.get('marker') ?? '';
  const afterGroup = isGroup(after, query.get('prefix') ?? '', query.get('delimiter') ?? '');
  const listing = await list(call, { after, afterGroup }, after === '');
  const { page, write, delimiter } = listing;
  const next = page.next && delimiter !== '' ? page.next.after : undefined;
  const inner =
    commonElements(call, listing) +
    `<Marker>${write(after)}</Marker>` +
    (next === undefined ? '' : `<NextMarker>${write(next)}</NextMarker>`) +
    contents(listing, OWNER);
  return { body: xmlDocument('ListBucketResult', inner) };
}

/** @param first this is the first page: external changes are looked for */
async function list(call: Call, position: ListPosition, first: boolean): Promise<Listing> {
  const bucket = await bucketOf(call);
  const query = listQuery(call, 'max-keys');
  if (first) bucket.revalidate(query.prefix);
  const page = listPage(bucket.index.keys, { ...query, ...position }, query.max);
  return { ...query, page, objects: await objectsOf(bucket, page.keys) };
}

/** The objects of a page; externally deleted ones are skipped, new ones are hashed. */
async function objectsOf(bucket: Bucket, keys: readonly string[]): Promise<ObjectRecord[]> {
  const objects: ObjectRecord[] = [];
  for (const key of keys) {
    const found = lookUp(bucket, key);
    const object = found && 'unknown' in found ? await findObject(bucket, key) : found;
    if (object !== undefined) objects.push(object);
  }
  return objects;
}

function commonElements({ bucketName }: Call, listing: Listing): string {
  const { write, prefix, max, page } = listing;
  return (
    element('Name', bucketName) +
    `<Prefix>${write(prefix)}</Prefix>` +
    listing.delimiterElement +
    element('MaxKeys', max) +
    listing.encodingElement +
    element('IsTruncated', page.next !== undefined)
  );
}

function contents({ objects, page, write }: Listing, owner: string): string {
  let xml = '';
  for (const object of objects)
    xml += `<Contents>${objectElements(object, write, owner)}</Contents>`;
  return xml + groupElements(page.prefixes, write);
}

/** The elements of an object in listings, without its key. */
export function objectElements(object: ObjectRecord, writeName: WriteName, owner: string): string {
  return (
    `<Key>${writeName(object.key)}</Key>` +
    `<LastModified>${isoTime(object.modified)}</LastModified>` +
    `<ETag>&quot;${object.etag}&quot;</ETag>` +
    `<Size>${object.size}</Size>${owner}` +
    element('StorageClass', object.headers['x-amz-storage-class'] ?? 'STANDARD')
  );
}
