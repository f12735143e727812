import type { Bucket } from '../store/bucket.ts';
import { findObject, lookUp } from '../store/find-object.ts';
import { type ObjectRecord, versionIdOf } from '../store/object-record.ts';
import { type KeyOrPrefix, type KeyWalk, SortedKeys, walkKeys } from '../store/sorted-keys.ts';
import type { Answer } from '../wire/answer.ts';
import {
  element,
  isoTime,
  nameWriter,
  OWNER,
  S3Error,
  type WriteName,
  xmlDocument,
} from '../wire/s3-error.ts';
import { bucketOf, type Call, countParameter } from './call.ts';

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
interface KeyListing {
  readonly prefix: string;
  readonly delimiter: string;
  readonly max: number;
  readonly write: WriteName;
  /** XML, empty if none was requested. */
  readonly delimiterElement: string;
  readonly encodingElement: string;
}

/** Reads the parameters. Throws `InvalidArgument` if `maxName` is not a whole number, or the encoding unknown. */
export function listQuery(call: Call, maxName: string): KeyListing {
  const { query } = call;
  const delimiter = query.get('delimiter') ?? '';
  const encoding = query.get('encoding-type');
  if (encoding !== undefined && encoding !== 'url')
    throw new S3Error('InvalidArgument', {
      message: 'Invalid Encoding Method specified in Request',
    });
  const write = nameWriter(encoding);
  return {
    delimiter,
    write,
    prefix: query.get('prefix') ?? '',
    max: countParameter(call, maxName, 1000, 1000),
    delimiterElement: delimiter === '' ? '' : `<Delimiter>${write(delimiter)}</Delimiter>`,
    encodingElement: encoding === 'url' ? element('EncodingType', 'url') : '',
  };
}

/** The common prefixes of a page. */
export function groupElements(prefixes: Iterable<string>, write: WriteName): string {
  let xml = '';
  for (const prefix of prefixes) {
    xml += `<CommonPrefixes><Prefix>${write(prefix)}</Prefix></CommonPrefixes>`;
  }
  return xml;
}

/** One page of a listing: keys and common prefixes, each in order. */
interface ListPage {
  readonly keys: readonly string[];
  readonly prefixes: readonly string[];
  /** The start of the next page; absent on the last. */
  readonly next?: ListPosition;
}

/** The last key or common prefix of a page. */
export interface ListPosition {
  readonly after: string;
  readonly afterGroup: boolean;
}

/** Cuts a page of at most `max` keys and prefixes. An empty page is the last. */
export function listPage(keys: SortedKeys, walk: KeyWalk, max: number): ListPage {
  const page = { keys: [] as string[], prefixes: [] as string[] };
  let last: ListPosition = walk;
  if (max === 0) return page;
  for (const each of walkKeys(keys, walk)) {
    if (page.keys.length + page.prefixes.length === max) {
      return { ...page, next: { after: last.after, afterGroup: last.afterGroup } };
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

/**
 * Whether a marker of list version 1 is a common prefix of the listing it comes from: then everything that starts
 * with it was listed.
 */
export function isGroup(marker: string, prefix: string, delimiter: string): boolean {
  if (delimiter === '' || !marker.startsWith(prefix) || !marker.endsWith(delimiter)) return false;
  const first = marker.indexOf(delimiter, prefix.length);
  return first >= 0 && first === marker.length - delimiter.length;
}

/** Items of keys, such as versions: a key can have several, each with an id. */
export interface ItemSource<T> {
  readonly keys: SortedKeys;
  /** In the order of the listing. */
  readonly itemsOf: (key: string) => Promise<readonly T[]>;
  readonly idOf: (item: T) => string;
}

/** One page of them, and of common prefixes. */
interface ItemPage<T> {
  readonly items: readonly (readonly [key: string, item: T])[];
  readonly prefixes: readonly string[];
  /** The last of the page, where the next one begins; absent on the last. */
  readonly next?: { readonly key: string; readonly id: string };
}

/** Cuts a page by key, behind the item of a key and an id. An empty page is the last. */
export async function itemPage<T>(
  { keys, itemsOf, idOf }: ItemSource<T>,
  { prefix, delimiter, max }: Pick<KeyListing, 'prefix' | 'delimiter' | 'max'>,
  keyMarker: string,
  idMarker: string,
): Promise<ItemPage<T>> {
  const page = { items: [] as [string, T][], prefixes: [] as string[] };
  if (max === 0) return page;
  let next = { key: '', id: '' };
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

/** A version or delete marker in a listing. */
interface ListedVersion {
  readonly versionId: string;
  readonly latest: boolean;
  readonly modified: number;
  /** Absent for a delete marker. */
  readonly object?: ObjectRecord;
}

/** A page of all versions and delete markers, by key and then newest first. */
export async function listObjectVersions(call: Call): Promise<Answer> {
  const { query } = call;
  const bucket = await bucketOf(call);
  const asked = listQuery(call, 'max-keys');
  const { prefix, max, write } = asked;
  const keyMarker = query.get('key-marker') ?? '';
  const idMarker = query.get('version-id-marker') ?? '';
  if (keyMarker === '') bucket.revalidate(prefix);
  const versions = {
    keys: allKeys(bucket),
    itemsOf: (key: string) => versionsOf(bucket, key),
    idOf: ({ versionId }: ListedVersion) => versionId,
  };
  const { items, prefixes, next } = await itemPage(versions, asked, keyMarker, idMarker);
  const inner =
    element('Name', call.bucketName) +
    `<Prefix>${write(prefix)}</Prefix>` +
    `<KeyMarker>${write(keyMarker)}</KeyMarker>${element('VersionIdMarker', idMarker)}` +
    (next
      ? `<NextKeyMarker>${write(next.key)}</NextKeyMarker>${element('NextVersionIdMarker', next.id)}`
      : '') +
    asked.delimiterElement +
    element('MaxKeys', max) +
    asked.encodingElement +
    element('IsTruncated', next !== undefined) +
    items.map(([key, version]) => versionElement(key, version, write)).join('') +
    groupElements(prefixes, write);
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

/** All versions of a key, newest first. */
async function versionsOf(bucket: Bucket, key: string): Promise<ListedVersion[]> {
  const versions: ListedVersion[] = [];
  const current = await findObject(bucket, key);
  if (current !== undefined) {
    const { modified } = current;
    versions.push({ versionId: versionIdOf(current), latest: true, modified, object: current });
  }
  for (const old of bucket.history.get(key) ?? []) {
    const latest = versions.length === 0;
    const { versionId } = old;
    if (old.marker) versions.push({ versionId, latest, modified: old.modified });
    else versions.push({ versionId, latest, modified: old.record.modified, object: old.record });
  }
  return versions;
}

function versionElement(key: string, version: ListedVersion, write: WriteName): string {
  const facts = element('VersionId', version.versionId) + element('IsLatest', version.latest);
  if (version.object !== undefined) {
    return `<Version>${facts}${objectElements(version.object, write, OWNER)}</Version>`;
  }
  const modified = element('LastModified', isoTime(version.modified));
  return `<DeleteMarker><Key>${write(key)}</Key>${facts}${modified}${OWNER}</DeleteMarker>`;
}
