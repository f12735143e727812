import type { KeptKind } from '../../../core/entry-details.ts';
import { SyncerError } from '../../../core/errors.ts';
import { modTimeFromMs } from '../../../core/mod-time.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { joinPath } from '../../../core/remote-path.ts';
import { abortUpload } from '../buckets/abort-uploads.ts';
import { listBuckets } from '../buckets/list-buckets.ts';
import { deleteVersion } from '../objects/delete-object.ts';
import { fileEntry } from '../objects/object-entry.ts';
import { type Location, prefixOf, type S3Store } from '../store.ts';
import { missingBucket, StoreError } from '../store-error.ts';
import { isMarker, pathOf } from './list-entries.ts';
import { listParts } from './list-parts.ts';
import { uploadPages } from './list-uploads.ts';
import { versionPages, versionsBelow } from './list-versions.ts';

/** Parallel requests for the parts of uploads. */
const UPLOADS_AT_ONCE = 8;

/** Between the two names in `Kept.id` if the path does not show the key. */
const SEPARATOR = '\n';

/** `Capabilities.listKept`: versions, delete markers and uploads below a directory. */
export async function* listKept(
  store: S3Store,
  dir: string,
  op: Op,
): AsyncGenerator<readonly FileEntry[]> {
  const location = store.locate(dir);
  if (location.bucket !== '') return yield* inBucket(store, location, dir, op);
  for (const { path } of await listBuckets(store, op)) {
    yield* inBucket(store, store.locate(path), joinPath(dir, path), op);
  }
}

async function* inBucket(
  store: S3Store,
  place: Location,
  dir: string,
  op: Op,
): AsyncGenerator<readonly FileEntry[]> {
  const { encryption, remote } = store.settings;
  const prefix = prefixOf(place);
  const kept = (key: string, kind: KeptKind, id: string) => {
    const path = pathOf(dir, store.toStandard(key.slice(prefix.length)));
    const isPlain = store.locate(path).key === key;
    return { path, kept: { kind, id: isPlain ? id : `${id}${SEPARATOR}${key}` } };
  };
  try {
    for await (const { versions } of versionPages(store, versionsBelow(place), op)) {
      yield versions
        .filter((version) => !isMarker(version))
        .map((version): FileEntry => {
          const { path, kept: how } = kept(version.key, version.kind, version.id);
          const file = fileEntry(path, version, encryption.etagIsNotMd5);
          const { storedTime } = file;
          // The time of a version: its metadata would cost a request each.
          return { ...file, ...(storedTime && { modTime: storedTime }), kept: how };
        });
    }
    for await (const { uploads } of uploadPages(store, place, op)) {
      for (let from = 0; from < uploads.length; from += UPLOADS_AT_ONCE) {
        const some = uploads.slice(from, from + UPLOADS_AT_ONCE);
        const found = some.map(async (upload): Promise<FileEntry[]> => {
          const { key, id, begunMs, storageClass } = upload;
          const stored = await listParts(store, { ...place, key }, id, op);
          if (stored === undefined) return [];
          const size = stored.reduce((sum, part) => sum + part.size, 0);
          const time = Number.isNaN(begunMs) ? {} : { modTime: modTimeFromMs(begunMs) };
          const tier = storageClass === '' ? {} : { tier: storageClass };
          return [{ kind: 'file', size, ...time, ...tier, ...kept(key, 'upload', id) }];
        });
        yield (await Promise.all(found)).flat();
      }
    }
  } catch (thrown) {
    throw notKept(thrown, place.bucket) ?? missingBucket(thrown, remote, place.bucket) ?? thrown;
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

/** `Capabilities.deleteKept`. */
export async function deleteKept(store: S3Store, { path, kept }: FileEntry, op: Op): Promise<void> {
  if (kept === undefined) throw new SyncerError('other', 'no version is named', { path });
  const [id = '', other] = kept.id.split(SEPARATOR, 2);
  const { bucket, key: own } = store.locate(path);
  const key = other ?? own;
  if (kept.kind === 'upload') await abortUpload(store, bucket, key, id, op);
  else await deleteVersion(store, bucket, key, id, op);
}
