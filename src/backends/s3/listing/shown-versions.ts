import { SyncerError } from '../../../core/errors.ts';
import { compareEntries } from '../../../core/name-order.ts';
import type { DirEntry, FailedEntry, FileEntry, Op, Page } from '../../../core/remote.ts';
import { joinPath } from '../../../core/remote-path.ts';
import { namelessFile } from '../../../kit/nameless.ts';
import { fileEntry } from '../objects/object-entry.ts';
import { type Location, prefixOf, type S3Store } from '../store.ts';
import { missingBucket } from '../store-error.ts';
import { isMarker, pathOf } from './list-entries.ts';
import { type ListedVersion, versionPages, versionsBelow, versionsOf } from './list-versions.ts';

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

/** A version under the key that names it. */
interface Shown {
  readonly version: ListedVersion;
  readonly key: string;
}

/** How versions are shown. */
type Choice = Pick<
  S3Store['settings'],
  'versions' | 'versionAtMs' | 'versionDeleted' | 'versionsOldestFirst'
>;

/**
 * The versions of one object that are shown: the one of a time, or all of them, the older ones with their time in the
 * name. Of two with the same time the newer one is shown a millisecond later.
 */
export function shownVersions(versions: readonly ListedVersion[], choice: Choice): Shown[] {
  const { versionAtMs, versionDeleted, versionsOldestFirst } = choice;
  const timeOf = ({ modifiedMs = 0 }: ListedVersion) => modifiedMs;
  const inOrder = versionsOldestFirst ? versions : versions.toReversed();
  const oldestFirst = inOrder.toSorted((a, b) => timeOf(a) - timeOf(b));
  const isShown = ({ kind }: ListedVersion) => versionDeleted || !kind.endsWith('marker');
  if (versionAtMs !== undefined) {
    const then = oldestFirst.findLast((version) => timeOf(version) <= versionAtMs);
    return then !== undefined && isShown(then) ? [{ version: then, key: then.key }] : [];
  }
  const shown: Shown[] = [];
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
function shownFile(store: S3Store, dir: string, prefix: string, bucket: string, at: Shown) {
  const { version, key } = at;
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

/** Whether anything is or was below a prefix. */
export async function hasVersions(store: S3Store, place: Location, op: Op): Promise<boolean> {
  const pages = versionPages(store, versionsBelow(place), op);
  for await (const { versions } of pages) return versions.length > 0;
  return false;
}

/** Throws `unsupported` for an old version, which can be read and deleted only. */
export function refuseOldVersion(store: S3Store, file: FileEntry): void {
  if (!store.isOldVersion(file)) return;
  const text = 'an old version of an object cannot be changed; copy it to another name first';
  throw new SyncerError('unsupported', text, { path: file.path });
}
