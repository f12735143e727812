import { type Metadata, modTimeIn } from '../../../core/entry-details.ts';
import { hasCode, SyncerError } from '../../../core/errors.ts';
import type { ModTime } from '../../../core/mod-time.ts';
import type { Entry, FileEntry, Op, WriteSource } from '../../../core/remote.ts';
import type { DriveStore } from '../drive-store.ts';
import { getItem, provenItem, wantedAt } from '../items/get-item.ts';
import { contentOf, type GraphItem, type ItemAddress, requestPath } from '../items/graph-item.ts';
import { metadataOf, type SetProperties, settable, timesOf } from '../items/item-entry.ts';
import { addressOf, onlyIfSame, tellFile } from '../items/tell-entry.ts';
import { deleteVersions } from './delete-item.ts';
import { readPermissions, writePermissions } from './permissions.ts';

/** Sets the modification time of a file if it has not changed. Rejects with `precondition-failed`. */
export async function setModTime(
  store: DriveStore,
  file: FileEntry,
  modTime: ModTime,
  op: Op,
): Promise<FileEntry> {
  const address = await addressOf(store, file, op);
  const item = await onlyIfSame(store, file, op, (condition) =>
    setTime(store, address, { path: file.path, modTime }, op, condition),
  );
  const set = await tellFile(store, item, file.path, op);
  if (store.settings.noVersions) await deleteVersions(store, set, op);
  return set;
}

/** Sets the modification time of a directory. Rejects with `directory-not-found`. */
export async function setDirModTime(
  store: DriveStore,
  dir: string,
  modTime: ModTime,
  op: Op,
): Promise<void> {
  await setDir(store, dir, { path: dir, modTime }, op);
}

/** Sets the metadata and the modification time of a directory. Rejects with `directory-not-found` and `metadata`. */
export async function setDirMetadata(
  store: DriveStore,
  dir: string,
  metadata: Metadata,
  modTime: ModTime,
  op: Op,
): Promise<void> {
  const properties = await propertiesOf(store, { path: dir, metadata, modTime }, op);
  const address = await setDir(store, dir, { path: dir, modTime, properties }, op);
  await writePermissions(store, address, metadata, dir, op);
}

async function setDir(
  store: DriveStore,
  dir: string,
  wanted: TimedPath,
  op: Op,
): Promise<ItemAddress> {
  const path = store.toService(dir);
  const known = await store.directories.locate(path, op);
  const item = known.rest === '' ? undefined : await store.directories.look(path, op);
  if (known.rest !== '' && (item === undefined || contentOf(item).folder === undefined)) {
    throw new SyncerError('directory-not-found', 'directory not found', { path: dir });
  }
  try {
    await setTime(store, known, wanted, op);
    return known;
  } catch (thrown) {
    if (!hasCode(thrown, 'file-not-found')) throw thrown;
    throw new SyncerError('directory-not-found', 'directory not found', { path: dir });
  }
}

/** An item by its path, and what to set. */
interface TimedPath {
  readonly path: string;
  readonly modTime?: ModTime | undefined;
  /** Other properties, and the time among them. */
  readonly properties?: SetProperties | undefined;
}

/** Sets the modification time of an item. Resolves to the changed item. Rejects as `provenItem`. */
export async function setTime(
  store: DriveStore,
  address: ItemAddress,
  { path, modTime, properties }: TimedPath,
  op: Op,
  headers: Readonly<Record<string, string>> = {},
): Promise<GraphItem> {
  const request = {
    method: 'PATCH',
    to: requestPath(address),
    headers,
    json: properties ?? { fileSystemInfo: timesOf(modTime) },
    doing: 'set the time of',
    about: path,
  } as const;
  const wanted = { ...wantedAt(address), modTime };
  const { json } = await store.client.call(request, op);
  return provenItem(store.client, json, request, address, wanted, op);
}

/** What `write` and `setMetadata` set of metadata; values that cannot be read are logged. */
export async function propertiesOf(
  store: DriveStore,
  { path, metadata, modTime }: Pick<TimedPath, 'path' | 'modTime'> & Pick<WriteSource, 'metadata'>,
  op: Op,
): Promise<SetProperties> {
  const { type } = await store.drive(op);
  const { properties, senseless } = settable(metadata, modTime, type);
  for (const key of senseless) {
    const event = { code: 'metadata-unreadable', fields: { key, value: metadata?.[key] } } as const;
    store.client.context.emit({ type: 'log', level: 'notice', path, ...event });
  }
  return properties;
}

/** The file with its metadata, by one request and another one for the permissions. */
export async function readDetails(store: DriveStore, file: FileEntry, op: Op): Promise<FileEntry> {
  const { item, metadata } = await readMetadata(store, file, op);
  return { ...(await tellFile(store, item, file.path, op)), metadata };
}

/** The metadata of a file or a directory, and its item. */
export async function readMetadata(
  store: DriveStore,
  entry: Entry,
  op: Op,
): Promise<{ readonly item: GraphItem; readonly metadata: Metadata }> {
  const { path } = entry;
  const address = await addressOf(store, entry, op);
  const item = await getItem(store.client, address, store.told(path), op);
  const metadata = metadataOf(item, item.parentReference?.driveId ?? address.driveId);
  if (!store.settings.permissions.read) return { item, metadata };
  const permissions = await readPermissions(store, address, store.told(path), op);
  return { item, metadata: { ...metadata, permissions } };
}

/** Sets the metadata of a file that was just copied or moved; rejects with `metadata` if some of it cannot be set. */
export async function setMetadata(
  store: DriveStore,
  file: FileEntry,
  metadata: Metadata,
  op: Op,
): Promise<FileEntry> {
  const { path } = file;
  const modTime = modTimeIn(metadata) ?? file.modTime;
  const properties = await propertiesOf(store, { path, metadata, modTime }, op);
  const address = await addressOf(store, file, op);
  const item = await setTime(store, address, { path, modTime, properties }, op);
  await writePermissions(store, address, metadata, path, op);
  return tellFile(store, item, path, op);
}
