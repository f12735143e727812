import type { KeptKind } from '../../../core/entry-details.ts';
import { SyncerError } from '../../../core/errors.ts';
import { modTimeFromMs } from '../../../core/mod-time.ts';
import { compareEntries } from '../../../core/name-order.ts';
import { namelessFile } from '../../../core/nameless.ts';
import type { DirEntry, FailedEntry, FileEntry, Op, Page } from '../../../core/remote.ts';
import { joinPath } from '../../../core/remote-path.ts';
import { listBuckets } from '../buckets.ts';
import { heldBack } from '../client/ask.ts';
import { fileEntry } from '../objects/object-entry.ts';
import { type Location, prefixOf, type S3Store } from '../store.ts';
import { missingBucket, refusesForm } from '../store-error.ts';
import { type ListedVersion, listParts, uploadPages, versionPages, versionsOf } from './history.ts';
import { isMarker, pathOf } from './list-entries.ts';

const VERSION_NAME = /^(.*)-v(\d{4})-(\d\d)-(\d\d)-(\d\d)(\d\d)(\d\d)-(\d{3})(\.[^./]*)?$/s;

/** A key with the time of its version before the extension, as rclone names it. */
export function versionKey(key: string, ms: number): string {
  const slash = key.lastIndexOf('/') + 1;
  const dot = key.lastIndexOf('.');
  // Of `dir/.name`, rclone takes all of the name as the extension.
  const end = dot >= slash && dot > 0 ? dot : key.length;
  const [day, time = ''] = new Date(ms).toISOString().slice(0, 23).split('T');
  return `${key.slice(0, end)}-v${day}-${time.replaceAll(':', '').replace('.', '-')}${key.slice(end)}`;
}

/** The key of the object that a name of a version means; `undefined` if it is no such name. */
export function keyOfVersion(name: string): string | undefined {
  const [, base, ...rest] = VERSION_NAME.exec(name) ?? [];
  if (base === undefined) return undefined;
  const [year, month, day, hour, minute, second] = rest;
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(time) ? undefined : `${base}${rest[7] ?? ''}`;
}

/**
 * The versions of one object that are shown: the one of a time, or all of them, the older ones with their time in the
 * name. Of two with the same time the newer one is shown a millisecond later.
 */
export function shownVersions(
  versions: readonly ListedVersion[],
  {
    versionAtMs,
    versionDeleted,
    versionsOldestFirst,
  }: Pick<S3Store['settings'], 'versionAtMs' | 'versionDeleted' | 'versionsOldestFirst'>,
): { readonly version: ListedVersion; readonly key: string }[] {
  const timeOf = ({ modifiedMs = 0 }: ListedVersion) => modifiedMs;
  const inOrder = versionsOldestFirst ? versions : versions.toReversed();
  const oldestFirst = inOrder.toSorted((a, b) => timeOf(a) - timeOf(b));
  const isShown = ({ kind }: ListedVersion) => versionDeleted || !kind.endsWith('marker');
  if (versionAtMs !== undefined) {
    const then = oldestFirst.findLast((version) => timeOf(version) <= versionAtMs);
    return then !== undefined && isShown(then) ? [{ version: then, key: then.key }] : [];
  }
  const shown: ReturnType<typeof shownVersions> = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const version of oldestFirst) {
    const { kind, key } = version;
    if (!isShown(version)) continue;
    if (kind === 'current') shown.push({ version, key });
    else {
      last = Math.max(timeOf(version), last + 1);
      shown.push({ version, key: versionKey(key, last) });
    }
  }
  return shown;
}

/** A version as a file. */
function shownFile(
  store: S3Store,
  dir: string,
  prefix: string,
  bucket: string,
  { version, key }: ReturnType<typeof shownVersions>[number],
) {
  const path = pathOf(dir, store.toStandard(key.slice(prefix.length)));
  const file = fileEntry(path, version, store.etagIsNotMd5(bucket));
  const isPlain = store.locate(path).key === version.key;
  const { kind, id } = version;
  const isDeleted = kind === 'marker' || kind === 'old-marker';
  return {
    ...file,
    version: id,
    ...(isPlain ? {} : { id: `${bucket}/${version.key}` }),
    // A marker has no metadata that could be read.
    ...(isDeleted && { kept: { kind, id }, ...timeOf(file) }),
  };
}

const timeOf = ({ storedTime }: FileEntry) =>
  storedTime === undefined ? {} : { modTime: storedTime };

/** A directory with the versions of its files, as one page. Rejects as `listEntries`. */
export async function listShown(
  store: S3Store,
  location: Location,
  dir: string,
  op: Op,
): Promise<Page> {
  const { bucket } = location;
  const prefix = prefixOf(location);
  const byKey = new Map<string, ListedVersion[]>();
  const dirs: DirEntry[] = [];
  const failed: FailedEntry[] = [];
  try {
    for await (const page of versionPages(store, { bucket, prefix, byDirectory: true }, op)) {
      for (const version of page.versions) {
        if (isMarker(version)) continue;
        const known = byKey.get(version.key);
        if (known === undefined) byKey.set(version.key, [version]);
        else known.push(version);
      }
      for (const below of page.prefixes) {
        const name = store.toStandard(below.slice(prefix.length, -1));
        if (name === '') failed.push(namelessFile(`${dir}//`));
        else dirs.push({ kind: 'dir', path: joinPath(dir, name) });
      }
    }
  } catch (thrown) {
    throw missingBucket(thrown, store.settings.remote, bucket) ?? thrown;
  }
  const files: FileEntry[] = [];
  for (const [key, versions] of byKey) {
    if (key.endsWith('/')) {
      failed.push(namelessFile(pathOf(dir, store.toStandard(key.slice(prefix.length)))));
      continue;
    }
    for (const shown of shownVersions(versions, store.settings)) {
      files.push(shownFile(store, dir, prefix, bucket, shown));
    }
  }
  const entries = [...files, ...dirs].sort(compareEntries);
  return failed.length === 0 ? { entries } : { entries, failed };
}

/** The version at a path, by its name or at the time of the remote; `undefined` if there is none. */
export async function findShown(
  store: S3Store,
  path: string,
  { bucket, key: named }: Location,
  op: Op,
): Promise<FileEntry | undefined> {
  const key = store.settings.versions ? keyOfVersion(named) : named;
  if (key === undefined) return undefined;
  const found = await versionsOf(store, { bucket, key }, op);
  const shown = shownVersions(found, store.settings).find((one) => one.key === named);
  if (shown === undefined) return undefined;
  const parent = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  const prefix = named.slice(0, named.lastIndexOf('/') + 1);
  return shownFile(store, parent, prefix, bucket, shown);
}

/** Throws `unsupported` for an old version, which can be read and deleted only. */
export function refuseOldVersion(store: S3Store, file: FileEntry): void {
  if (!store.isOldVersion(file)) return;
  const text = 'an old version of an object cannot be changed; copy it to another name first';
  throw new SyncerError('unsupported', text, { path: file.path });
}

/** Parallel requests for the parts of uploads. */
const UPLOADS_AT_ONCE = 8;

/** Between the two names in `Kept.id` if the path does not show the key. */
const SEPARATOR = '\n';

/**
 * `Capabilities.listKept` below a directory; or `only` the versions or uploads of the file or directory at a path. What
 * was listed may be deleted before the next page.
 */
export async function* listKept(
  store: S3Store,
  path: string,
  op: Op,
  only?: 'versions' | 'uploads',
): AsyncGenerator<readonly FileEntry[]> {
  const location = store.locate(path);
  const { bucket, key } = location;
  if (bucket === '') {
    for (const found of await listBuckets(store, op)) {
      yield* listKept(store, joinPath(path, found.path), op, only);
    }
    return;
  }
  const below = prefixOf(location);
  const prefix = only === undefined ? below : key;
  const isAsked = (one: { readonly key: string }) => one.key === key || one.key.startsWith(below);
  // The path and name of what is kept under a key in the directory, or under the key that this would have.
  const named = (of: string, kind: KeptKind, id: string) => {
    const at = of === key ? path : pathOf(path, store.toStandard(of.slice(below.length)));
    const isPlain = store.locate(at).key === of;
    return { path: at, kept: { kind, id: isPlain ? id : `${id}${SEPARATOR}${of}` } };
  };
  try {
    if (only !== 'uploads') {
      for await (const { versions } of heldBack(versionPages(store, { bucket, prefix }, op))) {
        const etagIsNotMd5 = store.etagIsNotMd5(bucket);
        const files = versions.filter((version) => isAsked(version) && !isMarker(version));
        yield files.map((version): FileEntry => {
          const { path, kept } = named(version.key, version.kind, version.id);
          const file = fileEntry(path, version, etagIsNotMd5);
          // Their time is that of the listing: their metadata costs a request each.
          return { ...file, ...timeOf(file), kept };
        });
      }
    }
    if (only === 'versions') return;
    const uploadsThere = uploadPages(store, location, op, prefix);
    for await (const { uploads: listed } of heldBack(uploadsThere)) {
      const uploads = listed.filter(isAsked);
      for (let from = 0; from < uploads.length; from += UPLOADS_AT_ONCE) {
        const some = uploads.slice(from, from + UPLOADS_AT_ONCE);
        const found = some.map(async ({ key, id, begunMs, storageClass }): Promise<FileEntry[]> => {
          const stored = await listParts(store, { bucket, key }, id, op);
          if (stored === undefined) return [];
          const size = stored.reduce((sum, part) => sum + part.size, 0);
          const time = Number.isNaN(begunMs) ? {} : { modTime: modTimeFromMs(begunMs) };
          const tier = storageClass === '' ? {} : { tier: storageClass };
          const { path, kept } = named(key, 'upload', id);
          const parts = stored.length;
          return [{ kind: 'file', path, size, ...time, ...tier, kept: { ...kept, parts } }];
        });
        yield (await Promise.all(found)).flat();
      }
    }
  } catch (thrown) {
    const hasNone = refusesForm(thrown) && thrown.code !== 'access-denied';
    if (!hasNone) throw missingBucket(thrown, store.settings.remote, bucket) ?? thrown;
    const why = thrown.s3Code || String(thrown.status);
    const text = `the server does not list old versions and uploads of bucket ${bucket} (${why})`;
    throw new SyncerError('unsupported', text, { cause: thrown });
  }
}

/** The bucket, the key and the name of something that was listed here. */
export function keptAt(store: S3Store, { path, kept }: FileEntry) {
  if (kept === undefined) throw new SyncerError('other', 'no version is named', { path });
  const [id = '', other] = kept.id.split(SEPARATOR, 2);
  const { bucket, key } = store.locate(path);
  return { bucket, key: other ?? key, id };
}
