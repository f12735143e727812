import type { KeptAs } from '../../../core/change-details.ts';
import type { KeptKind } from '../../../core/entry-details.ts';
import { hasCode, SyncerError } from '../../../core/errors.ts';
import { compareNames } from '../../../core/name-order.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { retry } from '../../../core/retry.ts';
import type { RecordedPart } from '../../../core/upload-records.ts';
import { bareEtag } from '../../s3-protocol/etag.ts';
import { child, childText, type XmlElement } from '../../s3-protocol/read-xml.ts';
import { listBuckets } from '../buckets.ts';
import {
  askDocument,
  askPages,
  heldBack,
  type ListingPage,
  unprovenPolicy,
} from '../client/ask.ts';
import { whereOf } from '../client/request.ts';
import { type Location, prefixOf, type S3Store } from '../store.ts';
import { hasS3Code, refusesForm } from '../store-error.ts';
import { buildKey, type ListedKey } from '../xml/read-answer.ts';

/** `Enabled`, `Suspended` or `Unversioned`. */
export async function versioningStatus(store: S3Store, bucket: string, op: Op): Promise<string> {
  const query = [['versioning', '']] as const;
  const request = { method: 'GET', bucket, query, doing: 'read the versioning of' } as const;
  const { root } = await askDocument(store.client, request, 'VersioningConfiguration', op);
  return childText(root, 'Status') || 'Unversioned';
}

/** A version of an object, or a delete marker. */
export interface ListedVersion extends ListedKey {
  readonly kind: Exclude<KeptKind, 'upload'>;
  readonly id: string;
  /** Requested by `VersionQuery.withRestores`; absent if the version is not being restored and has not been. */
  readonly restore?: RestoreStatus;
}

/** The restoration of an archived object, as `backend restore-status` prints it. */
export interface RestoreStatus {
  readonly IsRestoreInProgress: boolean;
  readonly RestoreExpiryDate: string | null;
}

/** The header that requests the restorations of the objects of a listing. */
export const WITH_RESTORES = { 'x-amz-optional-object-attributes': 'RestoreStatus' };

/** The restoration of an object of a listing, if it has one. */
export function restoreIn(element: XmlElement): { readonly restore?: RestoreStatus } {
  const status = child(element, 'RestoreStatus');
  if (status === undefined) return {};
  return {
    restore: {
      IsRestoreInProgress: childText(status, 'IsRestoreInProgress') === 'true',
      RestoreExpiryDate: childText(status, 'RestoreExpiryDate') ?? null,
    },
  };
}

/** What to list: all keys with a prefix, or with `byDirectory` whole names up to the next slash after it. */
export interface VersionQuery {
  readonly bucket: string;
  readonly prefix: string;
  readonly byDirectory?: boolean;
  readonly withRestores?: boolean;
}

/** The query for everything below a place. */
export function versionsBelow(place: Location): VersionQuery {
  return { bucket: place.bucket, prefix: prefixOf(place) };
}

/** All versions and delete markers with a prefix. Rejects with `bad-answer`: none may be missing or listed twice. */
export async function* versionPages(
  store: S3Store,
  { bucket, prefix, byDirectory = false, withRestores = false }: VersionQuery,
  op: Op,
): AsyncGenerator<{ versions: readonly ListedVersion[]; prefixes: readonly string[] }> {
  const wrong = (why: string) =>
    new SyncerError('bad-answer', `invalid listing of the versions in bucket ${bucket}: ${why}`);
  let at = { key: '', id: '' };
  /** The versions of the key `at` on pages before. */
  let listed = new Set<string>();
  const query: [string, string][] = [
    ['versions', ''],
    ['prefix', prefix],
    ['encoding-type', 'url'],
    ['max-keys', String(store.settings.listChunk)],
  ];
  if (byDirectory) query.push(['delimiter', '/']);
  const headers = withRestores ? WITH_RESTORES : {};
  const request = { bucket, query, headers, doing: 'list the versions of' };
  let versions: readonly ListedVersion[] = [];
  const nextOf = ({ root, decode }: ListingPage) => ({
    key: decode(childText(root, 'NextKeyMarker')),
    id: childText(root, 'NextVersionIdMarker') ?? '',
  });
  const markersOf = (answer: ListingPage) => {
    const next = nextOf(answer);
    const moves = compareNames(next.key, at.key);
    if (moves < 0 || (moves === 0 && listed.has(next.id)) || next.key === '') {
      throw wrong('the next page does not follow the last');
    }
    if (moves > 0) listed = new Set();
    for (const { key, id } of versions) if (key === next.key) listed.add(id);
    listed.add(next.id);
    at = next;
    const byId: [string, string][] = next.id === '' ? [] : [['version-id-marker', next.id]];
    return [['key-marker', next.key] as const, ...byId];
  };
  const pages = askPages(store.client, request, 'ListVersionsResult', markersOf, wrong, op);
  for await (const answer of pages) {
    const { root, decode } = answer;
    for (const [name, asked] of [
      ['Prefix', prefix],
      ['KeyMarker', at.key],
    ] as const) {
      const told = childText(root, name);
      if (told && decode(told) !== asked && told !== asked)
        throw wrong(`it is of ${name} "${told}"`);
    }
    versions = root.children
      .filter(({ name }) => name === 'Version' || name === 'DeleteMarker')
      .map((element) => versionOf(element, decode, wrong));
    const prefixes = answer.all('CommonPrefixes').map((one) => decode(childText(one, 'Prefix')));
    if (!prefixes.every((name) => byDirectory && name.startsWith(prefix) && name.endsWith('/'))) {
      throw wrong('it has directories that were not requested');
    }
    const next = childText(root, 'IsTruncated')?.trim() === 'true' ? nextOf(answer) : undefined;
    const seen = new Set<string>();
    for (const { key, id, size } of versions) {
      if (key === '' || id === '' || size < 0 || !key.startsWith(prefix)) {
        throw wrong(`"${key}" is not one of its versions`);
      }
      const isBefore = at.key !== '' && compareNames(key, at.key) < 0;
      const isBehind = next !== undefined && compareNames(key, next.key) > 0;
      const name = `${id}\n${key}`;
      if (isBefore || isBehind || seen.has(name) || (key === at.key && listed.has(id))) {
        throw wrong(`"${key}" is on the wrong page or listed twice`);
      }
      seen.add(name);
    }
    yield { versions, prefixes };
  }
}

/** As `versionPages`, the versions of one key at a time; they may be deleted before the next ones are listed. */
export async function* versionsByKey(
  store: S3Store,
  query: VersionQuery,
  op: Op,
): AsyncGenerator<readonly ListedVersion[]> {
  let ofKey: ListedVersion[] = [];
  for await (const { versions } of heldBack(versionPages(store, query, op))) {
    for (const version of versions) {
      if (ofKey.length > 0 && ofKey[0]?.key !== version.key) {
        yield ofKey;
        ofKey = [];
      }
      ofKey.push(version);
    }
  }
  if (ofKey.length > 0) yield ofKey;
}

/** The versions and delete markers of one key, newest first. */
export async function versionsOf(store: S3Store, { bucket, key }: Location, op: Op) {
  const found: ListedVersion[] = [];
  for await (const { versions } of versionPages(store, { bucket, prefix: key }, op)) {
    const own = versions.filter((version) => version.key === key);
    for (const version of own) found.push(version);
    // Keys come in order: longer ones follow.
    if (versions.length > 0 && own.length < versions.length) break;
  }
  return found;
}

function versionOf(
  element: XmlElement,
  decode: (text?: string) => string,
  wrong: (why: string) => SyncerError,
): ListedVersion {
  const text = (name: string) => childText(element, name) ?? '';
  const key = decode(text('Key'));
  const isMarker = element.name === 'DeleteMarker';
  const size = isMarker ? '0' : text('Size');
  const latest = text('IsLatest').trim();
  if (latest !== 'true' && latest !== 'false') {
    throw wrong(`it does not say whether a version of "${key}" is the latest`);
  }
  const kinds = isMarker ? (['marker', 'old-marker'] as const) : (['current', 'old'] as const);
  return {
    ...buildKey(key, size, text('ETag'), text('LastModified'), text('StorageClass')),
    kind: kinds[latest === 'true' ? 0 : 1],
    id: text('VersionId'),
    ...restoreIn(element),
  };
}

/** The version that a file has become, by the version or delete marker directly above it. */
export async function findVersion(
  store: S3Store,
  file: FileEntry,
  op: Op,
): Promise<KeptAs | undefined> {
  const { bucket, key } = store.locate(file.path);
  if (file.etag === undefined) return undefined;
  const versions = await versionsOf(store, { bucket, key }, op).catch((thrown) => {
    op.signal.throwIfAborted();
    if (refusesForm(thrown) || hasCode(thrown, 'bucket-not-found', 'file-not-found')) return [];
    throw thrown;
  });
  const at = versions.findIndex((version) => isOldOf(file, version));
  const above = versions[at - 1];
  return above && { in: 'versions', id: above.id };
}

/** Whether a version may be what a file was: it has its size and ETag, and is not current. */
export function isOldOf(file: FileEntry, { kind, size, etag }: ListedVersion): boolean {
  return kind === 'old' && size === file.size && (file.etag === undefined || etag === file.etag);
}

/** Unfinished uploads below a directory, or with a prefix, and the server's time. Rejects with `bad-answer`. */
export async function* uploadPages(
  store: S3Store,
  { bucket, key: dir }: Location,
  op: Op,
  prefix = prefixOf({ bucket, key: dir }),
) {
  const { client, settings } = store;
  const wrong = (why: string) =>
    new SyncerError('bad-answer', `invalid listing of the uploads in bucket ${bucket}: ${why}`);
  // Directory buckets list only prefixes that end with a slash.
  const asked = settings.directoryBucket ? prefix.slice(0, prefix.lastIndexOf('/') + 1) : prefix;
  const query = [['uploads', ''] as const, ['prefix', asked], ['encoding-type', 'url']] as const;
  const request = { bucket, query, doing: 'list uploads of' };
  const markersOf = ({ root, decode }: ListingPage) =>
    [
      ['key-marker', decode(childText(root, 'NextKeyMarker'))],
      ['upload-id-marker', childText(root, 'NextUploadIdMarker') ?? ''],
    ] as const;
  const seen = new Set<string>();
  const pages = askPages(client, request, 'ListMultipartUploadsResult', markersOf, wrong, op);
  for await (const { headers, all, decode } of pages) {
    const uploads = [];
    for (const upload of all('Upload')) {
      const key = decode(childText(upload, 'Key'));
      const id = childText(upload, 'UploadId') ?? '';
      if (id === '' || key === '' || !key.startsWith(asked)) {
        throw wrong(`"${key}" is not one of its uploads`);
      }
      if (!key.startsWith(prefix)) continue;
      const name = JSON.stringify([key, id]);
      if (seen.has(name)) throw wrong(`"${key}" is listed twice`);
      seen.add(name);
      uploads.push({
        key,
        id,
        // `NaN` if the server does not say it.
        begunMs: Date.parse(childText(upload, 'Initiated') ?? ''),
        storageClass: childText(upload, 'StorageClass') ?? '',
        initiator: userOf(upload, 'Initiator'),
        owner: userOf(upload, 'Owner'),
      });
    }
    // It has whole seconds (RFC 9110, 5.6.7); the time of an upload has fractions.
    const told = Date.parse(headers['date'] ?? '') + 1000;
    yield { uploads, nowMs: Number.isNaN(told) ? client.context.clock.now() : told };
  }
}

/** Who started an upload, or will own its object. */
function userOf(upload: XmlElement, name: string) {
  const user = child(upload, name);
  const text = (field: string) => (user && childText(user, field)) ?? null;
  return { DisplayName: text('DisplayName'), ID: text('ID') };
}

/** A part of an unfinished upload, as the server has it; its ETag is `''` if the server does not say it. */
type StoredPart = Pick<RecordedPart, 'number' | 'size' | 'etag'>;

/** All parts of an upload, by number; `undefined` if it no longer exists. Rejects with `bad-answer` if invalid. */
export async function listParts(
  store: S3Store,
  { bucket, key }: Location,
  id: string,
  op: Op,
): Promise<StoredPart[] | undefined> {
  const wrong = (why: string) =>
    new SyncerError('bad-answer', `invalid listing of the parts of ${bucket}/${key}: ${why}`);
  const parts: StoredPart[] = [];
  const last = () => parts.at(-1)?.number ?? 0;
  const request = { bucket, key, query: [['uploadId', id]] as const, doing: 'list the parts of' };
  const markersOf = () => [['part-number-marker', String(last())]] as const;
  try {
    const pages = askPages(store.client, request, 'ListPartsResult', markersOf, wrong, op);
    for await (const { root, all } of pages) {
      if (childText(root, 'UploadId') !== id) throw wrong('it is of another upload');
      for (const part of all('Part')) {
        const [number, size] = ['PartNumber', 'Size'].map((name) => {
          const text = childText(part, name)?.trim() ?? '';
          return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
        });
        if (number === undefined || size === undefined || number <= last()) {
          throw wrong(`part ${childText(part, 'PartNumber')}`);
        }
        parts.push({ number, size, etag: bareEtag(childText(part, 'ETag') ?? '') });
      }
    }
    return parts;
  } catch (error) {
    if (hasS3Code(error, 'NoSuchUpload')) return undefined;
    throw error;
  }
}

/** The root of a remote, or all buckets of the account. */
export async function placesIn(store: S3Store, op: Op): Promise<readonly Location[]> {
  const root = store.locate('');
  if (root.bucket !== '') return [root];
  return (await listBuckets(store, op)).map(({ path }) => store.locate(path));
}

/** Aborts multipart uploads below the root that started more than `maxAgeMs` ago, by the server's clock. */
export async function abortOldUploads(store: S3Store, maxAgeMs: number, op: Op): Promise<void> {
  const root = store.locate('');
  const { emit } = store.client.context;
  for (const place of await placesIn(store, op)) {
    for await (const { uploads, nowMs } of heldBack(uploadPages(store, place, op))) {
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
export async function abortUpload(store: S3Store, bucket: string, key: string, id: string, op: Op) {
  const query = [['uploadId', id]] as const;
  const request = { method: 'DELETE', bucket, key, query, doing: 'abort the upload of' } as const;
  const where = whereOf(request);
  const text = `cannot ${request.doing} ${where}: the server did not confirm it`;
  const unconfirmed = new SyncerError('bad-answer', text);
  const abort = async () => {
    if ((await store.client.call(request, op)).status !== 204) throw unconfirmed;
  };
  try {
    await retry(abort, {
      tries: 2,
      what: `${request.doing} ${where}`,
      signal: op.signal,
      context: store.client.context,
      policy: unprovenPolicy,
      giveUp: (error) => error !== unconfirmed,
    });
  } catch (error) {
    if (hasS3Code(error, 'NoSuchUpload')) return;
    throw error;
  }
}
