import type { Metadata } from '../../../core/entry-details.ts';
import type { Hashes, HashName } from '../../../core/hash-names.ts';
import {
  formatRfc3339NanoUtc,
  type ModTime,
  modTimeToMs,
  parseRfc3339,
} from '../../../core/mod-time.ts';
import type { Entry, FileEntry } from '../../../core/remote.ts';
import { leafName } from '../../../core/remote-path.ts';
import type { DriveType } from '../settings.ts';
import { contentOf, type GraphItem, type IdentitySet, targetOf } from './graph-item.ts';

/** What the conversion to entries needs. */
export interface EntryRules {
  /** The drive on which the items were found. */
  readonly driveId: string;
  readonly driveType: DriveType;
  readonly hashes: readonly HashName[];
  /** Entries have their metadata. */
  readonly metadata: boolean;
}

/** An item as an entry; `undefined` for neither file nor directory, such as a notebook that is to be shown. */
export function entryOf(item: GraphItem, path: string, rules: EntryRules): Entry {
  const { folder } = contentOf(item);
  if (folder === undefined) return fileOf(item, path, rules);
  const modTime = timeOf(item);
  const { childCount } = folder;
  const { driveId, id } = targetOf(item, rules.driveId);
  return {
    kind: 'dir',
    path,
    ...(modTime === undefined ? {} : { modTime }),
    id: `${driveId}#${id}`,
    ...(childCount === undefined ? {} : { entries: childCount }),
    ...(item.remoteItem === undefined ? {} : { isShortcut: true }),
  };
}

/** A file item as an entry. */
export function fileOf(item: GraphItem, path: string, rules: EntryRules): FileEntry {
  const content = contentOf(item);
  const modTime = timeOf(item);
  const hashes = hashesOf(content, rules.hashes);
  const { eTag: etag, cTag: contentTag } = content;
  const mimeType = content.file?.mimeType;
  const { driveId, id } = targetOf(item, rules.driveId);
  return {
    kind: 'file',
    path,
    size: content.size ?? (content.package === undefined ? 0 : -1),
    ...(modTime === undefined ? {} : { modTime }),
    ...(hashes === undefined ? {} : { hashes }),
    ...(etag === undefined ? {} : { etag }),
    ...(contentTag === undefined ? {} : { contentTag }),
    ...(mimeType === undefined ? {} : { mimeType }),
    id: `${driveId}#${id}`,
    ...(isRewritten(path, rules.driveType) ? { isRewritten: true } : {}),
  };
}

/** The time that clients set; the service's own only if there is none. */
export function timeOf(item: GraphItem): ModTime | undefined {
  const content = contentOf(item);
  const told =
    content.fileSystemInfo?.lastModifiedDateTime ??
    item.fileSystemInfo?.lastModifiedDateTime ??
    content.lastModifiedDateTime;
  return told === undefined ? undefined : parseRfc3339(told);
}

function hashesOf({ file }: GraphItem, wanted: readonly HashName[]): Hashes | undefined {
  const { quickXorHash, sha1Hash, sha256Hash, crc32Hash } = file?.hashes ?? {};
  const all: readonly (readonly [HashName, string | undefined])[] = [
    ['quickxor', quickXorHash && Buffer.from(quickXorHash, 'base64').toString('hex')],
    ['sha1', sha1Hash?.toLowerCase()],
    ['sha256', sha256Hash?.toLowerCase()],
    ['crc32', crc32Hash?.toLowerCase()],
  ];
  const found = all.filter(([name, value]) => value && wanted.includes(name));
  return found.length === 0 ? undefined : (Object.fromEntries(found) as Hashes);
}

const OFFICE = /\.(?:do[ct][xm]?|xl(?:s|t|a)[xmb]?|xlam|p(?:o|p)[tas][xm]?|pub|vsd[xm]?|one)$/i;
/** SharePoint writes its own properties into Office files after their upload. */
export function isRewritten(path: string, driveType: DriveType): boolean {
  return driveType !== 'personal' && OFFICE.test(leafName(path));
}

/** The time of a file that lost its own, so that no run confuses it with another file of that size: 1 January 1980. */
export const NO_TIME: ModTime = 315_532_800_000_000_000n;

/** A modification time in the service's format, truncated to milliseconds. */
export function timesOf(modTime: ModTime | undefined) {
  if (modTime === undefined) return undefined;
  return { lastModifiedDateTime: new Date(modTimeToMs(modTime)).toISOString() };
}

/** The metadata of an item found on a drive, under rclone's names, without its permissions. */
export function metadataOf(item: GraphItem, driveId: string): Metadata {
  const content = contentOf(item);
  const { file, folder, fileSystemInfo, shared } = content;
  const id = targetOf(item, driveId);
  const all: Readonly<Record<string, string | undefined>> = {
    btime: timeText(fileSystemInfo?.createdDateTime),
    'content-type': folder === undefined ? file?.mimeType : 'inode/directory',
    ...by('created-by', content.createdBy),
    description: content.description,
    id: `${id.driveId}#${id.id}`,
    ...by('last-modified-by', content.lastModifiedBy),
    'malware-detected': String(content.malware !== undefined),
    mtime: timeText(fileSystemInfo?.lastModifiedDateTime),
    'package-type': content.package?.type,
    'shared-by-id': shared?.sharedBy?.user?.id,
    'shared-owner-id': shared?.owner?.user?.id,
    'shared-scope': shared?.scope,
    'shared-time': timeText(shared?.sharedDateTime),
    utime: timeText(content.createdDateTime),
  };
  const isKnown = (entry: [string, string | undefined]): entry is [string, string] =>
    entry[1] !== undefined && entry[1] !== '';
  return Object.fromEntries(Object.entries(all).filter(isKnown));
}

function by(what: string, set: IdentitySet | undefined): Record<string, string | undefined> {
  return { [`${what}-display-name`]: set?.user?.displayName, [`${what}-id`]: set?.user?.id };
}

function timeText(told: string | undefined): string | undefined {
  const time = told === undefined ? undefined : parseRfc3339(told);
  return time === undefined ? undefined : formatRfc3339NanoUtc(time);
}
