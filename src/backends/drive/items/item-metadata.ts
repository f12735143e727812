import { type Metadata, modTimeIn } from '../../../core/entry-details.ts';
import { formatRfc3339NanoUtc, type ModTime, parseRfc3339 } from '../../../core/mod-time.ts';
import type { DriveType } from '../settings.ts';
import { contentOf, type GraphItem, type IdentitySet, targetOf } from './graph-item.ts';
import { timesOf } from './item-entry.ts';

/**
 * The metadata of an item under rclone's names, without its permissions. The service keeps `btime`, `mtime` and on
 * business drives `description`; it determines the others itself.
 *
 * @param driveId of the drive it was found on
 */
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

/** The properties of an item that clients set. */
export interface SetProperties {
  readonly fileSystemInfo?: {
    readonly createdDateTime?: string;
    readonly lastModifiedDateTime?: string;
  };
  readonly description?: string;
}

/**
 * The part of metadata that can be set, with the modification time, which counts more than `mtime`.
 *
 * @returns also the keys whose values cannot be read
 */
export function settable(
  metadata: Metadata | undefined,
  modTime: ModTime | undefined,
  driveType: DriveType,
): { readonly properties: SetProperties; readonly senseless: readonly string[] } {
  const { btime, description } = metadata ?? {};
  const created = btime === undefined ? undefined : parseRfc3339(btime);
  const modified = timesOf(modTime ?? (metadata && modTimeIn(metadata)));
  const made = timesOf(created)?.lastModifiedDateTime;
  const times = { ...(made === undefined ? {} : { createdDateTime: made }), ...modified };
  // Personal drives have no descriptions any more.
  const isDescribed = description !== undefined && driveType !== 'personal';
  return {
    properties: {
      ...(Object.keys(times).length === 0 ? {} : { fileSystemInfo: times }),
      ...(isDescribed ? { description } : {}),
    },
    senseless: btime !== undefined && created === undefined ? ['btime'] : [],
  };
}
