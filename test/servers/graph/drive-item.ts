import type { FileContent } from './file-content.ts';

/** An older content of a file. */
export interface FileVersion {
  readonly id: string;
  readonly content: FileContent;
  /** When it was written, by the service's clock, in milliseconds. */
  readonly modified: number;
}

/** Somebody's access to an item. */
export interface Permission {
  readonly id: string;
  /** Whom it was given to, by ID or email address, and the roles; absent: it is a link. */
  readonly grantee?: string;
  roles?: readonly string[];
  readonly type: string;
  readonly scope: string;
  readonly webUrl: string;
  readonly hasPassword: boolean;
  readonly expires: string | undefined;
}

/** An item of a drive: with `children` a folder, with `content` a file, else a package or a shortcut. */
export interface DriveItem {
  readonly id: string;
  name: string;
  /** Absent: the root. */
  parent: DriveItem | undefined;
  /** By name in lower case. */
  readonly children: Map<string, DriveItem> | undefined;
  content: FileContent | undefined;
  /** A content whose size and hashes are shown instead, as those of pictures of iPhones and notebooks. */
  shownAs?: FileContent;
  mimeType: string;
  description?: string;
  /** The client's times (`fileSystemInfo`), in milliseconds. */
  created: number;
  modified: number;
  /** The service's own time of the last change. */
  serverModified: number;
  /** Goes up with every change, and with every change of the content. */
  revision: number;
  contentRevision: number;
  /** Older contents, newest first, and the number of the present one. */
  versions: FileVersion[];
  versionNumber: number;
  readonly packageType: string | undefined;
  /** A shortcut to an item of another drive. */
  readonly remote: { readonly driveId: string; readonly item: DriveItem } | undefined;
  locked: boolean;
  permissions: Permission[];
  /** Number of the drive's change that touched it last. */
  changed: number;
}

/** Names of the folders above an item, from the root, without the root. */
function namesAbove(item: DriveItem): string[] {
  const names: string[] = [];
  for (let at = item.parent; at?.parent !== undefined; at = at.parent) names.unshift(at.name);
  return names;
}

/** Names that lead to an item, its own last; none for the root. */
export function pathNames(item: DriveItem): string[] {
  return item.parent === undefined ? [] : [...namesAbove(item), item.name];
}

/** The item and everything in it, parents first. */
export function* itemsIn(item: DriveItem): Generator<DriveItem> {
  yield item;
  for (const child of item.children?.values() ?? []) yield* itemsIn(child);
}

/** Size in bytes of a file, or of all files in a folder. */
export function sizeOf(item: DriveItem): number {
  let size = 0;
  for (const one of itemsIn(item)) size += (one.shownAs ?? one.content)?.size ?? 0;
  return size;
}
