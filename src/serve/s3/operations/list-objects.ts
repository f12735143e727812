import { encodeUriPath } from '../../../backends/s3-protocol/uri-encoding.ts';
import type { Bucket } from '../store/bucket.ts';
import { findObject, lookUp } from '../store/find-object.ts';
import { type ObjectRecord, type OldVersion, versionIdOf } from '../store/object-record.ts';
import { type KeyOrPrefix, type KeyWalk, SortedKeys, walkKeys } from '../store/sorted-keys.ts';
import type { Answer } from '../wire/answer.ts';
import {
  element,
  escapeXml,
  isoTime,
  OWNER,
  S3Error,
  type WriteName,
  xmlDocument,
} from '../wire/s3-error.ts';
import { bucketOf, type Call, countParameter } from './call.ts';

/** A page of the keys of a bucket, continued by an opaque token. */
export async function listObjectsV2(call: Call): Promise<Answer> {
  const { query } = call;
  const token = query.get('continuation-token');
  const startAfter = query.get('start-after') ?? '';
  const from = !token ? { after: startAfter, afterGroup: false } : positionOf(token);
  if (from === undefined) {
    throw new S3Error('InvalidArgument', 'The continuation token is not valid.');
  }
  const listing = await list(call, from, !token);
  const { page, objects, write } = listing;
  const own =
    element('KeyCount', objects.length + page.prefixes.length) +
    (token === undefined ? '' : element('ContinuationToken', token)) +
    (page.next ? element('NextContinuationToken', tokenOf(page.next)) : '') +
    (query.has('start-after') ? `<StartAfter>${write(startAfter)}</StartAfter>` : '');
  return listingAnswer(call, listing, own, query.get('fetch-owner') === 'true' ? OWNER : '');
}

/** A page of the keys of a bucket, continued by the last key (version 1). */
export async function listObjects(call: Call): Promise<Answer> {
  const { query } = call;
  const after = query.get('marker') ?? '';
  const afterGroup = isGroup(after, query.get('prefix') ?? '', query.get('delimiter') ?? '');
  const listing = await list(call, { after, afterGroup }, after === '');
  const { page, write, delimiter } = listing;
  const next = page.next && delimiter !== '' ? page.next.after : undefined;
  const own =
    `<Marker>${write(after)}</Marker>` +
    (next === undefined ? '' : `<NextMarker>${write(next)}</NextMarker>`);
  return listingAnswer(call, listing, own, OWNER);
}

/** `first`: external changes are looked for. */
async function list(call: Call, position: ListPosition, first: boolean) {
  const bucket = await bucketOf(call);
  const query = listQuery(call, 'max-keys');
  if (first) bucket.revalidate(query.prefix);
  const page = listPage(bucket.index.keys, { ...query, ...position }, query.max);
  const objects: ObjectRecord[] = [];
  // Externally deleted ones are skipped, new ones are hashed.
  for (const key of page.keys) {
    const found = lookUp(bucket, key);
    const object = found && 'unknown' in found ? await findObject(bucket, key) : found;
    if (object !== undefined) objects.push(object);
  }
  return { ...query, page, objects };
}

/** @param own the elements of a version of the listing */
function listingAnswer(
  call: Call,
  listing: Awaited<ReturnType<typeof list>>,
  own: string,
  owner: string,
): Answer {
  const { write, page } = listing;
  let inner =
    element('Name', call.bucketName) +
    listing.prefixElement +
    listing.delimiterElement +
    element('MaxKeys', listing.max) +
    listing.encodingElement +
    element('IsTruncated', page.next !== undefined) +
    own;
  for (const object of listing.objects) {
    inner += `<Contents>${objectElements(object, write, owner)}</Contents>`;
  }
  return { body: xmlDocument('ListBucketResult', inner + groupElements(page.prefixes, write)) };
}

function objectElements(object: ObjectRecord, writeName: WriteName, owner: string): string {
  return (
    `<Key>${writeName(object.key)}</Key>` +
    `<LastModified>${isoTime(object.modified)}</LastModified>` +
    `<ETag>&quot;${object.etag}&quot;</ETag>` +
    `<Size>${object.size}</Size>${owner}` +
    element('StorageClass', object.headers['x-amz-storage-class'] ?? 'STANDARD')
  );
}

/** The common parameters of all listings of keys, and the elements that repeat them. */
type KeyListing = ReturnType<typeof listQuery>;

/** Reads the parameters. Throws `InvalidArgument` if `maxName` is not a whole number, or the encoding unknown. */
export function listQuery(call: Call, maxName: string) {
  const { query } = call;
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') ?? '';
  const encoding = query.get('encoding-type');
  if (encoding !== undefined && encoding !== 'url')
    throw new S3Error('InvalidArgument', 'Invalid Encoding Method specified in Request');
  const write: WriteName = encoding === 'url' ? encodeUriPath : escapeXml;
  return {
    prefix,
    delimiter,
    write,
    max: countParameter(call, maxName, 1000, 1000),
    prefixElement: `<Prefix>${write(prefix)}</Prefix>`,
    delimiterElement: delimiter === '' ? '' : `<Delimiter>${write(delimiter)}</Delimiter>`,
    encodingElement: encoding === 'url' ? element('EncodingType', 'url') : '',
  };
}

function groupElements(prefixes: readonly string[], write: WriteName): string {
  let xml = '';
  for (const prefix of prefixes) {
    xml += `<CommonPrefixes><Prefix>${write(prefix)}</Prefix></CommonPrefixes>`;
  }
  return xml;
}

/** The last key or common prefix of a page. */
export type ListPosition = Pick<KeyWalk, 'after' | 'afterGroup'>;

/** Cuts a page of at most `max` keys and prefixes; `next` is the start of the next page. An empty page is the last. */
export function listPage(keys: SortedKeys, walk: KeyWalk, max: number) {
  let next: ListPosition | undefined;
  const page = { keys: [] as string[], prefixes: [] as string[], next };
  let last: ListPosition = walk;
  if (max === 0) return page;
  for (const each of walkKeys(keys, walk)) {
    if (page.keys.length + page.prefixes.length === max) {
      next = { after: last.after, afterGroup: last.afterGroup };
      return { ...page, next };
    }
    if ('key' in each) {
      page.keys.push(each.key);
      last = { after: each.key, afterGroup: false };
    } else {
      page.prefixes.push(each.prefix);
      last = { after: each.prefix, afterGroup: true };
    }
  }
  return page;
}

/** A position as the opaque token of list version 2. */
export function tokenOf(position: ListPosition): string {
  const kind = position.afterGroup ? 'p' : 'k';
  return Buffer.from(kind + JSON.stringify(position.after)).toString('base64url');
}

/** Undoes `tokenOf`; `undefined` for an invalid token. */
export function positionOf(token: string): ListPosition | undefined {
  const text = Buffer.from(token, 'base64url').toString('utf8');
  try {
    const after: unknown = JSON.parse(text.slice(1));
    if (typeof after !== 'string' || !/^[kp]/.test(text)) return undefined;
    return { after, afterGroup: text.startsWith('p') };
  } catch {
    return undefined;
  }
}

/** Whether a marker of list version 1 is a common prefix: then everything that starts with it was listed. */
export function isGroup(marker: string, prefix: string, delimiter: string): boolean {
  if (delimiter === '' || !marker.startsWith(prefix) || !marker.endsWith(delimiter)) return false;
  const first = marker.indexOf(delimiter, prefix.length);
  return first >= 0 && first === marker.length - delimiter.length;
}

/** Items of keys, such as versions: a key can have several, each with an id. */
interface ItemSource<T> {
  readonly keys: SortedKeys;
  /** In the order of the listing. */
  readonly itemsOf: (key: string) => Promise<readonly T[]>;
  readonly idOf: (item: T) => string;
}

/** A page of items as XML, behind the markers in the call: the elements of the markers, and those after them. */
export async function itemListing<T>(
  { query }: Call,
  asked: KeyListing,
  source: ItemSource<T>,
  kind: 'version' | 'upload',
  itemElement: (item: T, key: string) => string,
): Promise<{ markers: string; rest: string }> {
  const { write } = asked;
  const keyMarker = query.get('key-marker') ?? '';
  const idMarker = query.get(`${kind}-id-marker`) ?? '';
  const { items, prefixes, next } = await itemPage(source, asked, keyMarker, idMarker);
  const [id, max] =
    kind === 'version' ? ['VersionIdMarker', 'MaxKeys'] : ['UploadIdMarker', 'MaxUploads'];
  const behind = next
    ? `<NextKeyMarker>${write(next.key)}</NextKeyMarker>${element(`Next${id}`, next.id)}`
    : '';
  return {
    markers: `<KeyMarker>${write(keyMarker)}</KeyMarker>${element(id, idMarker)}${behind}`,
    rest:
      asked.delimiterElement +
      element(max, asked.max) +
      asked.encodingElement +
      element('IsTruncated', next !== undefined) +
      items.map(([key, item]) => itemElement(item, key)).join('') +
      groupElements(prefixes, write),
  };
}

/** Cuts a page of items and prefixes behind the item of a key and an id; `next` is the last one, unless the page is. */
async function itemPage<T>(
  { keys, itemsOf, idOf }: ItemSource<T>,
  { prefix, delimiter, max }: KeyListing,
  keyMarker: string,
  idMarker: string,
) {
  let next: { key: string; id: string } | undefined;
  const page = { items: [] as [string, T][], prefixes: [] as string[], next };
  if (max === 0) return page;
  const isFull = () => page.items.length + page.prefixes.length === max;
  const addAll = (key: string, items: readonly T[]) => {
    for (const item of items) {
      if (isFull()) return false;
      page.items.push([key, item]);
      next = { key, id: idOf(item) };
    }
    return true;
  };
  if (idMarker !== '' && keyMarker.startsWith(prefix)) {
    const items = await itemsOf(keyMarker);
    const at = items.findIndex((item) => idOf(item) === idMarker);
    if (at >= 0 && !addAll(keyMarker, items.slice(at + 1))) return { ...page, next };
  }
  const afterGroup = isGroup(keyMarker, prefix, delimiter);
  const found: KeyOrPrefix[] = [];
  for (const each of walkKeys(keys, { prefix, delimiter, after: keyMarker, afterGroup })) {
    if (found.push(each) > max) break;
  }
  for (const each of found) {
    if ('key' in each) {
      if (!addAll(each.key, await itemsOf(each.key))) return { ...page, next };
    } else if (isFull()) {
      return { ...page, next };
    } else {
      page.prefixes.push(each.prefix);
      next = { key: each.prefix, id: '' };
    }
  }
  return page;
}

/** A page of all versions and delete markers, by key and then newest first. */
export async function listObjectVersions(call: Call): Promise<Answer> {
  const bucket = await bucketOf(call);
  const asked = listQuery(call, 'max-keys');
  const { write } = asked;
  if (!call.query.get('key-marker')) bucket.revalidate(asked.prefix);
  const versions = {
    keys: allKeys(bucket),
    // The newest first.
    itemsOf: async (key: string) => {
      const record = await findObject(bucket, key);
      const all: OldVersion[] = [...(bucket.history.get(key) ?? [])];
      if (record !== undefined) all.unshift({ versionId: versionIdOf(record), record });
      return all.map((version, index) => ({ version, latest: index === 0 }));
    },
    idOf: ({ version }: { readonly version: OldVersion }) => version.versionId,
  };
  const listed = await itemListing(call, asked, versions, 'version', ({ version, latest }, key) => {
    const facts = element('VersionId', version.versionId) + element('IsLatest', latest);
    if (!version.marker) {
      return `<Version>${facts}${objectElements(version.record, write, OWNER)}</Version>`;
    }
    const modified = element('LastModified', isoTime(version.modified));
    return `<DeleteMarker><Key>${write(key)}</Key>${facts}${modified}${OWNER}</DeleteMarker>`;
  });
  const inner =
    element('Name', call.bucketName) + asked.prefixElement + listed.markers + listed.rest;
  return { body: xmlDocument('ListVersionsResult', inner) };
}

/** Keys that have a current object or old versions. */
function allKeys(bucket: Bucket): SortedKeys {
  if (bucket.history.size === 0) return bucket.index.keys;
  const keys = new SortedKeys();
  for (const key of bucket.index.keys.from('')) keys.add(key);
  for (const key of bucket.history.keys()) keys.add(key);
  return keys;
}
