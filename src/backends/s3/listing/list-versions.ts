import type { KeptKind } from '../../../core/entry-details.ts';
import { SyncerError } from '../../../core/errors.ts';
import { compareNames } from '../../../core/name-order.ts';
import type { Op } from '../../../core/remote.ts';
import { childText, type XmlElement } from '../../s3-protocol/read-xml.ts';
import { type Location, prefixOf, type S3Store } from '../store.ts';
import { buildKey, type ListedKey } from '../xml/list-page.ts';
import { askListing } from './ask-listing.ts';

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
export function restoreIn({ children }: XmlElement): { readonly restore?: RestoreStatus } {
  const status = children.find(({ name }) => name === 'RestoreStatus');
  if (status === undefined) return {};
  return {
    restore: {
      IsRestoreInProgress: childText(status, 'IsRestoreInProgress') === 'true',
      RestoreExpiryDate: childText(status, 'RestoreExpiryDate') ?? null,
    },
  };
}

/** A page of versions, and the directories instead of what is below them, if that was asked. */
export interface VersionPage {
  readonly versions: readonly ListedVersion[];
  readonly prefixes: readonly string[];
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

/**
 * All versions and delete markers with a prefix. Rejects with `bad-answer` if the listing is invalid: no version may
 * be missing or listed twice.
 */
export async function* versionPages(
  store: S3Store,
  place: VersionQuery,
  op: Op,
): AsyncGenerator<VersionPage> {
  const { prefix } = place;
  const wrong = (why: string) =>
    new SyncerError(
      'bad-answer',
      `invalid listing of the versions in bucket ${place.bucket}: ${why}`,
    );
  let at = { key: '', id: '' };
  /** The versions of the key `at` on pages before. */
  let listed = new Set<string>();
  for (;;) {
    const { versions, prefixes, next } = await readPage(store, place, at, wrong, op);
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
    if (next === undefined) return;
    const moves = compareNames(next.key, at.key);
    if (moves < 0 || (moves === 0 && listed.has(next.id)) || next.key === '') {
      throw wrong('the next page does not follow the last');
    }
    if (moves > 0) listed = new Set();
    for (const { key, id } of versions) if (key === next.key) listed.add(id);
    listed.add(next.id);
    at = next;
  }
}

/** As `versionPages`, the versions of one key at a time. */
export async function* versionsByKey(
  store: S3Store,
  query: VersionQuery,
  op: Op,
): AsyncGenerator<readonly ListedVersion[]> {
  let ofKey: ListedVersion[] = [];
  for await (const { versions } of versionPages(store, query, op)) {
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
export async function versionsOf(
  store: S3Store,
  { bucket, key }: Location,
  op: Op,
): Promise<readonly ListedVersion[]> {
  const found: ListedVersion[] = [];
  for await (const { versions } of versionPages(store, { bucket, prefix: key }, op)) {
    const own = versions.filter((version) => version.key === key);
    found.push(...own);
    // Keys come in order: longer ones follow.
    if (versions.length > 0 && own.length < versions.length) break;
  }
  return found;
}

async function readPage(
  store: S3Store,
  place: VersionQuery,
  at: { readonly key: string; readonly id: string },
  wrong: (why: string) => SyncerError,
  op: Op,
) {
  const { bucket, prefix, byDirectory = false, withRestores = false } = place;
  const query: [string, string][] = [
    ['versions', ''],
    ['prefix', prefix],
    ['encoding-type', 'url'],
    ['max-keys', String(store.settings.listChunk)],
  ];
  if (byDirectory) query.push(['delimiter', '/']);
  if (at.key !== '') query.push(['key-marker', at.key]);
  if (at.id !== '') query.push(['version-id-marker', at.id]);
  const headers = withRestores ? WITH_RESTORES : {};
  const request = { bucket, query, headers, doing: 'list the versions of' };
  const page = await askListing(store, request, 'ListVersionsResult', op);
  const { root, decode } = page;
  for (const [name, asked] of [
    ['Prefix', prefix],
    ['KeyMarker', at.key],
  ] as const) {
    const told = childText(root, name);
    if (told && decode(told) !== asked && told !== asked) throw wrong(`it is of ${name} "${told}"`);
  }
  const versions = root.children
    .filter(({ name }) => name === 'Version' || name === 'DeleteMarker')
    .map((element) => versionOf(element, decode, wrong));
  const prefixes = page.all('CommonPrefixes').map((one) => decode(childText(one, 'Prefix')));
  if (!prefixes.every((name) => byDirectory && name.startsWith(prefix) && name.endsWith('/'))) {
    throw wrong('it has directories that were not requested');
  }
  if (!page.hasMore(wrong)) return { versions, prefixes, next: undefined };
  const key = decode(childText(root, 'NextKeyMarker'));
  return { versions, prefixes, next: { key, id: childText(root, 'NextVersionIdMarker') ?? '' } };
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
