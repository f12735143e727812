import type { Kept, KeptKind } from '../../../core/entry-details.ts';
import { SyncerError } from '../../../core/errors.ts';
import { modTimeFromMs } from '../../../core/mod-time.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { joinPath } from '../../../core/remote-path.ts';
import { listBuckets } from '../buckets/list-buckets.ts';
import { fileEntry } from '../objects/object-entry.ts';
import { type Location, prefixOf, type S3Store } from '../store.ts';
import { missingBucket, StoreError } from '../store-error.ts';
import { isMarker, pathOf } from './list-entries.ts';
import { listParts } from './list-parts.ts';
import { type ListedUpload, uploadPages } from './list-uploads.ts';
import { type ListedVersion, versionPages, versionsBelow } from './list-versions.ts';

/** Parallel requests for the parts of uploads. */
const UPLOADS_AT_ONCE = 8;

/** Between the two names in `Kept.id` if the path does not show the key. */
const SEPARATOR = '\n';

/** `Capabilities.listKept`: versions, delete markers and uploads below a directory. */
export function listKept(
  store: S3Store,
  dir: string,
  op: Op,
): AsyncGenerator<readonly FileEntry[]> {
  return atPath(store, dir, op, async function* (location, _, kept) {
    for await (const { versions } of versionPages(store, versionsBelow(location), op)) {
      yield versionEntries(store, location.bucket, versions, kept);
    }
    for await (const { uploads } of uploadPages(store, location, op)) {
      yield* uploadEntries(store, location, uploads, kept, op);
    }
  });
}

/** Versions without the markers of directories. Their time is that of the listing: their metadata costs a request each. */
function versionEntries(
  store: S3Store,
  bucket: string,
  versions: readonly ListedVersion[],
  kept: KeptIn,
): readonly FileEntry[] {
  const etagIsNotMd5 = store.etagIsNotMd5(bucket);
  return versions
    .filter((version) => !isMarker(version))
    .map((version): FileEntry => {
      const { path, kept: how } = kept(version.key, version.kind, version.id);
      const file = fileEntry(path, version, etagIsNotMd5);
      const { storedTime } = file;
      return { ...file, ...(storedTime && { modTime: storedTime }), kept: how };
    });
}

/** `Capabilities.listVersions`. */
export function listVersions(
  store: S3Store,
  path: string,
  op: Op,
): AsyncGenerator<readonly FileEntry[]> {
  return atPath(store, path, op, async function* ({ bucket, key }, isAsked, kept) {
    for await (const { versions } of versionPages(store, { bucket, prefix: key }, op)) {
      yield versionEntries(store, bucket, versions.filter(isAsked), kept);
    }
  });
}

/** `Capabilities.listUploads`. */
export function listUploads(
  store: S3Store,
  path: string,
  op: Op,
): AsyncGenerator<readonly FileEntry[]> {
  return atPath(store, path, op, async function* (location, isAsked, kept) {
    for await (const { uploads } of uploadPages(store, location, op, location.key)) {
      yield* uploadEntries(store, location, uploads.filter(isAsked), kept, op);
    }
  });
}

/** What is kept of the file at a path, or of the directory. */
async function* atPath(
  store: S3Store,
  path: string,
  op: Op,
  list: (
    location: Location,
    isAsked: (one: { readonly key: string }) => boolean,
    kept: KeptIn,
  ) => AsyncIterable<readonly FileEntry[]>,
): AsyncGenerator<readonly FileEntry[]> {
  const location = store.locate(path);
  if (location.bucket === '') {
    for (const bucket of await listBuckets(store, op)) {
      yield* atPath(store, joinPath(path, bucket.path), op, list);
    }
    return;
  }
  const prefix = prefixOf(location);
  const isAsked = ({ key }: { readonly key: string }) =>
    key === location.key || key.startsWith(prefix);
  try {
    yield* list(location, isAsked, keptIn(store, location, path));
  } catch (thrown) {
    const { bucket } = location;
    throw notKept(thrown, bucket) ?? missingBucket(thrown, store.settings.remote, bucket) ?? thrown;
  }
}

type KeptIn = (
  key: string,
  kind: KeptKind,
  id: string,
) => { readonly path: string; readonly kept: Kept };

/** The path and name of what is kept under a key in a directory, or under the key that the directory would have. */
function keptIn(store: S3Store, place: Location, dir: string): KeptIn {
  const prefix = prefixOf(place);
  return (key, kind, id) => {
    const path = key === place.key ? dir : pathOf(dir, store.toStandard(key.slice(prefix.length)));
    const isPlain = store.locate(path).key === key;
    return { path, kept: { kind, id: isPlain ? id : `${id}${SEPARATOR}${key}` } };
  };
}

async function* uploadEntries(
  store: S3Store,
  place: Location,
  uploads: readonly ListedUpload[],
  kept: KeptIn,
  op: Op,
): AsyncGenerator<readonly FileEntry[]> {
  for (let from = 0; from < uploads.length; from += UPLOADS_AT_ONCE) {
    const some = uploads.slice(from, from + UPLOADS_AT_ONCE);
    const found = some.map(async (upload): Promise<FileEntry[]> => {
      const { key, id, begunMs, storageClass } = upload;
      const stored = await listParts(store, { ...place, key }, id, op);
      if (stored === undefined) return [];
      const size = stored.reduce((sum, part) => sum + part.size, 0);
      const time = Number.isNaN(begunMs) ? {} : { modTime: modTimeFromMs(begunMs) };
      const tier = storageClass === '' ? {} : { tier: storageClass };
      const { path, kept: how } = kept(key, 'upload', id);
      const parts = stored.length;
      return [{ kind: 'file', path, size, ...time, ...tier, kept: { ...how, parts } }];
    });
    yield (await Promise.all(found)).flat();
  }
}

/** The server has no such listing. */
function notKept(thrown: unknown, bucket: string): SyncerError | undefined {
  if (!(thrown instanceof StoreError)) return undefined;
  if (![405, 501].includes(thrown.status) && thrown.code !== 'unsupported') return undefined;
  const why = thrown.s3Code || String(thrown.status);
  const text = `the server does not list old versions and uploads of bucket ${bucket} (${why})`;
  return new SyncerError('unsupported', text, { cause: thrown });
}

/** The bucket, the key and the name of something that was listed here. */
export function keptAt(
  store: S3Store,
  { path, kept }: FileEntry,
): Location & { readonly id: string } {
  if (kept === undefined) throw new SyncerError('other', 'no version is named', { path });
  const [id = '', other] = kept.id.split(SEPARATOR, 2);
  const { bucket, key } = store.locate(path);
  return { bucket, key: other ?? key, id };
}
