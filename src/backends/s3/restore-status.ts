import type { Op } from '../../core/remote.ts';
import { childText } from '../../s3-protocol/read-xml.ts';
import { askDocument } from './client/ask-document.ts';
import {
  type ListedVersion,
  restoreIn,
  versionsBelow,
  versionsByKey,
  WITH_RESTORES,
} from './listing/list-versions.ts';
import { shownVersions } from './listing/shown-versions.ts';
import { type Location, prefixOf, type S3Store } from './store.ts';
import { decodeKey } from './xml/decode-key.ts';
import { buildKey, type ListedKey } from './xml/list-page.ts';

/**
 * What `backend restore-status` prints: the objects that are being restored or have been; with `isAll` all objects. Old
 * versions have the names under which they are shown.
 */
export async function restoreStatus(
  store: S3Store,
  bucket: string,
  isAll: boolean,
  op: Op,
): Promise<readonly unknown[]> {
  const place = store.locate('');
  const prefix = prefixOf(place);
  const found: unknown[] = [];
  for await (const { key, id, storageClass, restore } of restorable(
    store,
    { ...place, bucket },
    op,
  )) {
    if (key.endsWith('/') || (restore === undefined && !isAll)) continue;
    found.push({
      Remote: store.toStandard(key.slice(prefix.length)),
      VersionID: id ?? null,
      RestoreStatus: restore ?? null,
      StorageClass: storageClass ?? '',
    });
  }
  return found;
}

/** An object with its restoration; `id`: of a shown version. */
type Restorable = ListedKey & Partial<Pick<ListedVersion, 'id' | 'restore'>>;

/** All objects of a remote that are shown. */
async function* restorable(store: S3Store, place: Location, op: Op): AsyncGenerator<Restorable> {
  if (store.showsVersions) return yield* restorableVersions(store, place, op);
  const { bucket } = place;
  let token: string | undefined;
  do {
    const query: [string, string][] = [
      ['list-type', '2'],
      ['prefix', prefixOf(place)],
      ['encoding-type', 'url'],
      ...(token === undefined ? [] : [['continuation-token', token] as [string, string]]),
    ];
    const request = {
      method: 'GET',
      bucket,
      query,
      headers: WITH_RESTORES,
      doing: 'list',
    } as const;
    const { root } = await askDocument(store.client, request, 'ListBucketResult', op);
    const isEncoded = childText(root, 'EncodingType') === 'url';
    for (const element of root.children.filter(({ name }) => name === 'Contents')) {
      const text = childText(element, 'Key') ?? '';
      const [size = '', tier = ''] = [
        childText(element, 'Size'),
        childText(element, 'StorageClass'),
      ];
      yield {
        ...buildKey(isEncoded ? decodeKey(text) : text, size, '', '', tier),
        ...restoreIn(element),
      };
    }
    token = childText(root, 'NextContinuationToken') || undefined;
  } while (token !== undefined);
}

/** The newest version of an object first, as servers list them. */
async function* restorableVersions(
  store: S3Store,
  place: Location,
  op: Op,
): AsyncGenerator<Restorable> {
  const query = { ...versionsBelow(place), withRestores: true };
  for await (const ofKey of versionsByKey(store, query, op)) {
    for (const { version, key } of shownVersions(ofKey, store.settings).reverse()) {
      yield { ...version, key };
    }
  }
}
