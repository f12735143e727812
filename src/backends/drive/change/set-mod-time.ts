import { type Metadata, modTimeIn } from '../../../core/entry-details.ts';
import { hasCode, SyncerError } from '../../../core/errors.ts';
import { type ModTime, parseRfc3339 } from '../../../core/mod-time.ts';
import type { Entry, FileEntry, WriteSource } from '../../../core/remote.ts';
import type { Drive } from '../drive-store.ts';
import { getItem, provenItem, wantedAt } from '../items/get-item.ts';
import { contentOf, type GraphItem, type ItemAddress, requestPath } from '../items/graph-item.ts';
import { metadataOf, timesOf } from '../items/item-entry.ts';
import { addressOf, onlyIfSame, tellFile } from '../items/tell-entry.ts';
import { deleteVersions } from './delete-item.ts';
import { readPermissions, writePermissions } from './permissions.ts';

/** Sets the modification time of a file if it has not changed. Rejects with `precondition-failed`. */
export async function setModTime(drive: Drive, file: FileEntry, modTime: ModTime) {
  const address = await addressOf(drive, file);
  const item = await onlyIfSame(drive, file, (condition) =>
    setTime(drive, address, { path: file.path, modTime }, condition),
  );
  const set = await tellFile(drive, item, file.path);
  if (drive.settings.noVersions) await deleteVersions(drive, set);
  return set;
}

/** Sets the modification time of a directory, and metadata. Rejects with `directory-not-found` and `metadata`. */
export async function setDirMetadata(
  drive: Drive,
  dir: string,
  modTime: ModTime,
  metadata?: Metadata,
): Promise<void> {
  const properties = metadata && (await propertiesOf(drive, { path: dir, metadata, modTime }));
  const path = drive.toService(dir);
  const known = await drive.locate(path);
  const missing = () =>
    new SyncerError('directory-not-found', 'directory not found', { path: dir });
  const item = known.rest === '' ? undefined : await drive.look(path);
  if (known.rest !== '' && (item === undefined || contentOf(item).folder === undefined)) {
    throw missing();
  }
  await setTime(drive, known, { path: dir, modTime, properties }).catch((thrown) => {
    throw hasCode(thrown, 'file-not-found') ? missing() : thrown;
  });
  await writePermissions(drive, known, metadata, dir);
}

type SetProperties = Pick<GraphItem, 'fileSystemInfo' | 'description'>;

/** An item by its path, and what to set. */
interface TimedPath {
  readonly path: string;
  readonly modTime?: ModTime | undefined;
  /** Other properties, and the time among them. */
  readonly properties?: SetProperties | undefined;
}

/** Sets the modification time of an item. Resolves to the changed item. Rejects as `provenItem`. */
export async function setTime(
  drive: Drive,
  address: ItemAddress,
  { path, modTime, properties }: TimedPath,
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
  const { json } = await drive.call(request);
  return provenItem(drive, json, request, address, { ...wantedAt(address), modTime });
}

/** The part of metadata that can be set, with the modification time, which counts more than `mtime`. */
export async function propertiesOf(
  drive: Drive,
  { path, metadata, modTime }: Pick<TimedPath, 'path' | 'modTime'> & Pick<WriteSource, 'metadata'>,
): Promise<SetProperties> {
  const { type } = await drive.known();
  const { btime, description } = metadata ?? {};
  const created = btime === undefined ? undefined : parseRfc3339(btime);
  if (btime !== undefined && created === undefined) {
    const fields = { key: 'btime', value: btime };
    const event = { code: 'metadata-unreadable', fields } as const;
    drive.client.context.emit({ type: 'log', level: 'notice', path, ...event });
  }
  const made = timesOf(created)?.lastModifiedDateTime;
  const times = {
    ...(made === undefined ? {} : { createdDateTime: made }),
    ...timesOf(modTime ?? (metadata && modTimeIn(metadata))),
  };
  // Personal drives have no descriptions any more.
  const isDescribed = description !== undefined && type !== 'personal';
  return {
    ...(Object.keys(times).length === 0 ? {} : { fileSystemInfo: times }),
    ...(isDescribed ? { description } : {}),
  };
}

/** The file with its metadata, by one request and another one for the permissions. */
export async function readDetails(drive: Drive, file: FileEntry): Promise<FileEntry> {
  const { item, metadata } = await readMetadata(drive, file);
  return { ...(await tellFile(drive, item, file.path)), metadata };
}

/** The metadata of a file or a directory, and its item. */
export async function readMetadata(drive: Drive, entry: Entry) {
  const { path } = entry;
  const address = await addressOf(drive, entry);
  const item = await getItem(drive, address, drive.told(path));
  const metadata: Metadata = metadataOf(item, item.parentReference?.driveId ?? address.driveId);
  if (!drive.settings.permissions.read) return { item, metadata };
  const permissions = await readPermissions(drive, address, drive.told(path));
  return { item, metadata: { ...metadata, permissions } };
}

/** Sets the metadata of a file that was just copied or moved; rejects with `metadata` if some of it cannot be set. */
export async function setMetadata(drive: Drive, file: FileEntry, metadata: Metadata) {
  const { path } = file;
  const modTime = modTimeIn(metadata) ?? file.modTime;
  const properties = await propertiesOf(drive, { path, metadata, modTime });
  const address = await addressOf(drive, file);
  const item = await setTime(drive, address, { path, modTime, properties });
  await writePermissions(drive, address, metadata, path);
  return tellFile(drive, item, path);
}
