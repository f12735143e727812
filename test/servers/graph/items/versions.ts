import type { DriveItem, FileVersion } from '../drive-item.ts';
import { invalidRequest, notFound, notSupported } from '../graph-failure.ts';
import { existing } from '../item-address.ts';
import { downloadAddress, time } from '../item-json.ts';
import type { ItemHandler, ItemRequest } from '../item-request.ts';

/** GET of a file's versions, the present one first. */
export const listVersions: ItemHandler = ({ address }) => {
  const item = file(existing(address));
  const present = { id: presentId(item), content: item.content, modified: item.serverModified };
  const value = [present, ...item.versions].map(({ id, content, modified }) => ({
    id,
    lastModifiedDateTime: time(modified),
    size: content?.size ?? 0,
  }));
  return { status: 200, json: { value } };
};

/** GET of what a file held: a redirect, as for the present content. */
export const getVersionContent: ItemHandler = (request) => {
  const { item, version } = find(request);
  return {
    status: 302,
    headers: { location: downloadAddress(item, request, version?.content ?? item.content) },
  };
};

/** DELETE of an older version; personal drives do not allow it. */
export const deleteVersion: ItemHandler = (request) => {
  const { item, version } = find(request);
  if (request.drive.type === 'personal') {
    throw notSupported('Versions of personal drives cannot be deleted.');
  }
  if (version === undefined) throw invalidRequest('The present version cannot be deleted.');
  request.drive.dropVersion(item, version);
  return { status: 204 };
};

/** POST restoreVersion: an older content becomes the present one, as a new version. */
export const restoreVersion: ItemHandler = (request) => {
  const { item, version } = find(request);
  if (version === undefined) throw invalidRequest('This is the present version.');
  request.drive.write(item, version.content, item.mimeType);
  return { status: 204 };
};

function find({ address, subject }: ItemRequest): {
  item: DriveItem;
  version: FileVersion | undefined;
} {
  const item = file(existing(address));
  if (subject === presentId(item) || subject === 'current') return { item, version: undefined };
  const version = item.versions.find((one) => one.id === subject);
  if (version === undefined) throw notFound('There is no such version.');
  return { item, version };
}

function file(item: DriveItem): DriveItem {
  if (item.content === undefined) throw invalidRequest('Only files have versions.');
  return item;
}

function presentId(item: DriveItem): string {
  return `${item.versionNumber}.0`;
}
